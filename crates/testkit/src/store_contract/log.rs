use handraise_broker::{AccessRefused, AskStore, Event, Seq, StoredEntry};

use super::ledger::Ledger;

/// Two asks whose events alternate, with others between them.
fn mixed() -> Ledger {
    let mut ledger = Ledger::default();
    let one = ledger.open_any();
    let two = ledger.open_any();
    ledger.note(Event::AccessRefused(AccessRefused {
        code: "no_token".into(),
        tried: "GET /metrics".into(),
        peer: None,
        device: None,
        times: 1,
    }));
    ledger.end(two, "declined");
    ledger.end(one, "answered");
    ledger.give_up(two);
    ledger
}

/// From everywhere, in pages of every size.
pub async fn the_log_is_read_page_by_page(store: &impl AskStore) {
    let mut ledger = mixed();
    ledger.commit(store).await;
    let whole = ledger.stored();
    for after in 0..=whole.len() {
        for limit in 0..=whole.len() + 1 {
            let end = whole.len().min(after + limit);
            let page = store.log(after as Seq, u32::try_from(limit).unwrap()).await;
            assert_eq!(page.unwrap(), whole[after..end]);
        }
    }
    for beyond in [7, 1000, Seq::MAX] {
        assert_eq!(store.log(beyond, 10).await, Ok(vec![]));
    }
}

/// Of none, of each and of all, up to every place.
pub async fn the_log_of_some_asks_is_read_up_to_a_place(store: &impl AskStore) {
    let mut ledger = mixed();
    ledger.commit(store).await;
    let whole = ledger.stored();
    let [one, two] = [0, 1].map(|place: usize| ledger.records()[place].id);
    for through in [0, 1, 3, 5, 6, 7, Seq::MAX] {
        for asks in [vec![], vec![one], vec![two], vec![two, one]] {
            let about = |entry: &&StoredEntry| {
                entry.seq <= through && entry.ask.is_some_and(|ask| asks.contains(&ask))
            };
            let expected: Vec<_> = whole.iter().filter(about).cloned().collect();
            assert_eq!(store.log_of(&asks, through).await, Ok(expected));
        }
    }
}
