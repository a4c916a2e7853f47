use handraise_broker::{AskId, AskKey, AskStore, Event, Level, Opened, Policy, Receipt};

use super::ledger::{Ledger, OWNER, by_id, moment, opened};
use crate::asker;

/// After every event, and whether they are alone or among others.
pub async fn asks_are_loaded_as_they_stand(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    let one = ledger.open_any();
    let two = ledger.open_any();
    ledger.commit(store).await;
    assert_eq!(store.load(&[one]).await, Ok(vec![ledger.record(one)]));
    ledger.end(one, "answered");
    ledger.deliver(one, Level::Handed);
    ledger.commit(store).await;
    let unknown = AskId::new(moment(1), [77; 10]);
    let found = store.load(&[two, unknown, one]).await.unwrap();
    assert_eq!(by_id(found), [ledger.record(one), ledger.record(two)]);
    assert_eq!(store.load(&[unknown]).await, Ok(vec![]));
}

fn key(agent: &str, key: &str) -> AskKey {
    AskKey { owner: OWNER.into(), agent: agent.into(), key: key.into() }
}

/// The same key of another agent is another ask.
pub async fn a_key_finds_its_ask(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    let ours = ledger.open(opened(asker("one"), Some("k")));
    let theirs = ledger.open(opened(asker("two"), Some("k")));
    let other = ledger.open(opened(asker("one"), Some("K")));
    ledger.open(opened(asker("one"), None));
    ledger.open(opened(asker("one"), None));
    ledger.commit(store).await;
    let asked =
        [key("one", "k"), key("two", "K"), key("two", "k"), key("one", "K"), key("one", "")];
    let mut found = store.by_key(&asked).await.unwrap();
    found.sort_by_key(|(_, id)| *id);
    let expected = [(key("one", "k"), ours), (key("two", "k"), theirs), (key("one", "K"), other)];
    assert_eq!(found, expected);
    assert_eq!(store.by_key(&[]).await, Ok(vec![]));
}

/// Neither finds the other's; one that was stored without an owner is found by all who have none of their own.
pub async fn a_key_finds_the_ask_of_its_owner(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    let of = |owner: Option<&str>, key| {
        let owner = owner.map(str::to_owned);
        Opened { owner, ..opened(asker("test"), Some(key)) }
    };
    let before = ledger.open(of(None, "k"));
    ledger.open(of(None, "old"));
    ledger.commit(store).await;
    let ours = ledger.open(of(Some("us"), "k"));
    let theirs = ledger.open(of(Some("them"), "k"));
    ledger.commit(store).await;
    let found = async |owner: &str, key: &str| {
        let key = AskKey { owner: owner.into(), agent: "test".into(), key: key.into() };
        let found = store.by_key(std::slice::from_ref(&key)).await.unwrap();
        found
            .into_iter()
            .map(|(of, id)| {
                assert_eq!(of, key);
                id
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(found("us", "k").await, [ours]);
    assert_eq!(found("them", "k").await, [theirs]);
    assert_eq!(found("others", "k").await, [before]);
    assert_eq!(found("others", "new").await, []);
}

/// A key is anything an agent can say.
pub async fn any_text_is_a_key(store: &impl AskStore) {
    let long = "k".repeat(500);
    let keys = [
        "1",
        "1.0",
        "null",
        "true",
        "[]",
        "{\"a\":1}",
        "'; --",
        "\"",
        "\\",
        "\\u0041",
        "A",
        "a",
        " ",
        "  ",
        "%",
        "_",
        "\n",
        "é",
        "e\u{301}",
        "👩‍👧",
        "שלום",
        "\u{0}",
        "a\u{0}",
        "a\u{0}b",
        "\u{1}",
        "\u{7f}",
        "\u{ffff}",
        "\u{10ffff}",
        &long,
    ];
    let mut ledger = Ledger::default();
    let asks: Vec<_> = keys
        .iter()
        .map(|name| (key("\u{0}agent", name), ledger.open(opened(asker("\u{0}agent"), Some(name)))))
        .collect();
    ledger.commit(store).await;
    for (key, id) in &asks {
        let found = store.by_key(std::slice::from_ref(key)).await;
        assert_eq!(found, Ok(vec![(key.clone(), *id)]));
    }
    let all: Vec<_> = asks.iter().map(|(key, _)| key.clone()).collect();
    let mut found = store.by_key(&all).await.unwrap();
    found.sort_by_key(|(_, id)| *id);
    assert_eq!(found, asks);
}

/// One ask for each way to be finished, and for each way not to be.
pub async fn unfinished_is_what_waits_for_a_person_or_a_receipt(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    let watched = || {
        let policy = Policy { receipt: Level::Seen, ..Policy::default() };
        Opened { policy, ..opened(asker("test"), None) }
    };
    let open = ledger.open_any();
    let awaited = ledger.open_any();
    let unread = ledger.open(watched());
    let [delivered, withdrawn, undelivered] = [(); 3].map(|()| ledger.open_any());
    let read = ledger.open(watched());
    let overruled = ledger.open(watched());
    for id in [awaited, unread, delivered, undelivered, read, overruled] {
        ledger.end(id, "answered");
    }
    ledger.commit(store).await;
    ledger.end(withdrawn, "withdrawn");
    for id in [unread, delivered, read, overruled] {
        ledger.deliver(id, Level::Handed);
    }
    ledger.commit(store).await;
    ledger.give_up(undelivered);
    ledger.deliver(read, Level::Seen);
    let other = Receipt::seen(Some("Sessions".into()));
    ledger.happen(overruled, Event::Overruled(other));
    ledger.commit(store).await;
    let expected: Vec<_> = [open, awaited, unread].map(|id| ledger.record(id)).into();
    assert_eq!(by_id(store.unfinished().await.unwrap()), expected);
}
