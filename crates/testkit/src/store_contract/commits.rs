use handraise_broker::{
    AskId, AskKey, AskStore, Asker, Device, DeviceId, DeviceWrite, Head, Power, Query, Seq,
    StoreError, StoredDraft, Token,
};

use super::ledger::{Holdings, Ledger, OWNER, draft, moment, opened};
use crate::asker;

/// Every way of looking finds nothing, and that is no error.
pub async fn an_empty_store_holds_nothing(store: &impl AskStore) {
    let id = AskId::new(moment(0), [0; 10]);
    let key = AskKey { owner: OWNER.into(), agent: "test".into(), key: "k".into() };
    assert_eq!(store.head().await, Ok(Head::EMPTY));
    assert_eq!(store.load(&[id]).await, Ok(vec![]));
    assert_eq!(store.load(&[]).await, Ok(vec![]));
    assert_eq!(store.by_key(&[key]).await, Ok(vec![]));
    assert_eq!(store.unfinished().await, Ok(vec![]));
    assert_eq!(store.list(&Query { limit: 10, ..Query::default() }).await, Ok(vec![]));
    assert_eq!(store.log(0, 10).await, Ok(vec![]));
    assert_eq!(store.log_of(&[id], Seq::MAX).await, Ok(vec![]));
    assert_eq!(store.draft(id, "ann").await, Ok(None));
    assert_eq!(store.last_typed().await, Ok(vec![]));
    assert_eq!(store.devices().await, Ok(vec![]));
    assert_eq!(store.ended_before(moment(9), 10).await, Ok(vec![]));
}

/// Several events, several asks and several batches.
pub async fn what_was_committed_is_there(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    let one = ledger.open_any();
    let two = ledger.open_any();
    ledger.end(one, "answered");
    ledger.commit(store).await;
    assert_eq!(store.head().await, Ok(ledger.head()));
    ledger.end(two, "declined");
    ledger.commit(store).await;
    assert_eq!(store.head().await, Ok(ledger.head()));
    assert_eq!(store.log(0, 10).await, Ok(ledger.stored()));
    assert_eq!(store.load(&[one]).await, Ok(vec![ledger.record(one)]));
    assert_eq!(store.load(&[two]).await, Ok(vec![ledger.record(two)]));
}

/// More than a store may want to take in one go.
pub async fn a_batch_of_many_megabytes_is_kept_whole(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    for _ in 0..3 {
        let preamble = Some("I have \"been\" thinking.\n".repeat(150_000));
        let ask = ledger.open(opened(Asker { preamble, ..asker("test") }, None));
        ledger.end(ask, "answered");
    }
    ledger.commit(store).await;
    assert_eq!(store.log(0, 10).await, Ok(ledger.stored()));
}

/// A draft is no event, so a batch of drafts moves no head.
pub async fn a_batch_without_events_is_kept(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    let ask = ledger.open_any();
    ledger.commit(store).await;
    ledger.draft(ask, "ann", Some(draft(1, "half a thou")), 7);
    ledger.commit(store).await;
    let kept = StoredDraft { draft: draft(1, "half a thou"), at: moment(7) };
    assert_eq!(store.draft(ask, "ann").await, Ok(Some(kept)));
    assert_eq!(store.head().await, Ok(ledger.head()));
}

fn device(n: u8) -> DeviceWrite {
    let device = Device {
        id: DeviceId::new(moment(1), [n; 10]),
        name: "laptop".into(),
        power: Power::Person,
        person: Some("ann".into()),
        added_at: moment(1),
    };
    DeviceWrite::Add(device, Token::new([n; 32]).hash())
}

/// An event that leaves a gap, a key that another ask has, and a device that is there already:
/// whatever it is that cannot be kept, the rest of its batch is not kept either.
pub async fn nothing_of_a_batch_is_kept_when_a_part_of_it_cannot_be(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    let ask = ledger.open(opened(asker("test"), Some("k")));
    let ended = ledger.open_any();
    ledger.end(ended, "withdrawn");
    ledger.draft(ask, "ann", Some(draft(1, "before")), 1);
    ledger.batch.devices.push(device(1));
    ledger.commit(store).await;
    let before = Holdings::of(store).await;

    let spoilers: [fn(&mut Ledger); 3] = [
        |doomed| _ = doomed.batch.events.remove(2),
        |doomed| _ = doomed.open(opened(asker("test"), Some("k"))),
        |doomed| doomed.batch.devices.push(device(1)),
    ];
    for spoil in spoilers {
        let mut doomed = ledger.clone();
        doomed.end(ask, "answered");
        doomed.open_any();
        doomed.open_any();
        doomed.open_any();
        doomed.draft(ask, "ann", Some(draft(2, "after")), 2);
        doomed.draft(ask, "bob", Some(draft(1, "new")), 2);
        doomed.batch.devices.push(device(2));
        doomed.batch.pruned.push(ended);
        spoil(&mut doomed);
        assert_eq!(doomed.try_commit(store).await, Err(StoreError::Conflict));
        assert_eq!(Holdings::of(store).await, before);
        let kept = StoredDraft { draft: draft(1, "before"), at: moment(1) };
        assert_eq!(store.draft(ask, "ann").await, Ok(Some(kept)));
        assert_eq!(store.draft(ask, "bob").await, Ok(None));
    }

    ledger.end(ask, "declined");
    ledger.commit(store).await;
    assert_eq!(store.load(&[ask]).await, Ok(vec![ledger.record(ask)]), "and the store works on");
}

/// Too early, too late and once more.
pub async fn a_batch_that_does_not_begin_where_the_log_ends_conflicts(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    ledger.open_any();
    let mut stale = ledger.clone();
    let mut ahead = ledger.clone();
    ahead.batch.events.clear();
    ahead.batch.asks.clear();
    ahead.open_any();
    assert_eq!(ahead.try_commit(store).await, Err(StoreError::Conflict), "a gap at the beginning");
    ledger.commit(store).await;
    ledger.open_any();
    ledger.commit(store).await;
    let before = Holdings::of(store).await;
    assert_eq!(stale.try_commit(store).await, Err(StoreError::Conflict), "what is there already");
    let mut ahead = ledger.clone();
    ahead.open_any();
    ahead.batch.events.clear();
    ahead.open_any();
    assert_eq!(ahead.try_commit(store).await, Err(StoreError::Conflict), "a gap at the end");
    assert_eq!(Holdings::of(store).await, before);
}

/// Both mean to write what comes next.
pub async fn of_two_writers_one_is_first_and_the_other_hears_of_it(store: &impl AskStore) {
    let mut one = Ledger::default();
    one.open_any();
    one.commit(store).await;
    let mut two = one.clone();
    let ask = one.open_any();
    two.open_any();
    two.end(ask, "withdrawn");
    let (first, second) = tokio::join!(one.try_commit(store), two.try_commit(store));
    let winner = match (&first, &second) {
        (Ok(()), Err(StoreError::Conflict)) => one,
        (Err(StoreError::Conflict), Ok(())) => two,
        _ => panic!("{first:?}, {second:?}"),
    };
    assert_eq!(store.log(0, 10).await, Ok(winner.stored()));
    assert_eq!(store.load(&[ask]).await, Ok(vec![winner.record(ask)]));
}
