use handraise_broker::{AskKey, AskStore, Audit, Level, Query, Sound};

use super::ledger::{Ledger, OWNER, draft, moment, opened};
use crate::asker;

/// Only what has ended and waits for nothing, and never more than was asked for.
pub async fn what_ended_before_is_found_to_be_dropped(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    let [_open, awaited, first, second, third] = [(); 5].map(|()| ledger.open_any());
    ledger.end(awaited, "answered");
    let mut ends = vec![];
    for id in [first, second, third] {
        ledger.end(id, "withdrawn");
        ends.push(ledger.record(id).resolved().unwrap().at);
    }
    ledger.commit(store).await;
    let found = async |before, limit| {
        let mut found = store.ended_before(before, limit).await.unwrap();
        found.sort();
        found
    };
    let later = moment(1000);
    assert_eq!(found(later, 10).await, [first, second, third]);
    assert_eq!(found(ends[2], 10).await, [first, second], "it ended then, and not before");
    assert_eq!(found(ends[0], 10).await, []);
    assert_eq!(found(later, 2).await.len(), 2);
    ledger.deliver(awaited, Level::Handed);
    ledger.commit(store).await;
    assert_eq!(found(later, 10).await, [awaited, first, second, third]);
}

/// Place, time, name and hashes stay, so that the chain holds.
pub async fn what_is_dropped_leaves_its_place_in_the_log(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    let dropped = ledger.open_any();
    let kept = ledger.open_any();
    ledger.end(dropped, "withdrawn");
    ledger.end(kept, "withdrawn");
    ledger.commit(store).await;
    ledger.prune(&[dropped]);
    ledger.commit(store).await;
    let mut expected = ledger.stored();
    for entry in &mut expected {
        if entry.ask == Some(dropped) {
            entry.body = None;
        }
    }
    let log = store.log(0, 10).await.unwrap();
    assert_eq!(log, expected);
    assert_eq!(store.head().await, Ok(ledger.head()));
    let mut audit = Audit::new(None);
    for entry in &log {
        audit.next(entry).unwrap();
    }
    assert_eq!(audit.finish(), Ok(Sound { head: ledger.head(), pruned: 1 }));
}

/// No way of looking finds it any more, and everything else is found as before.
pub async fn nothing_else_is_dropped_and_a_dropped_key_is_free(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    let dropped = ledger.open(opened(asker("test"), Some("k")));
    let kept = ledger.open(opened(asker("test"), Some("l")));
    for id in [dropped, kept] {
        ledger.draft(id, "ann", Some(draft(1, "a")), 1);
        ledger.end(id, "withdrawn");
    }
    ledger.commit(store).await;
    ledger.prune(&[dropped]);
    ledger.commit(store).await;
    let all = Query { limit: 10, ..Query::default() };
    let keys =
        ["k", "l"].map(|key| AskKey { owner: OWNER.into(), agent: "test".into(), key: key.into() });
    assert_eq!(store.load(&[dropped, kept]).await, Ok(vec![ledger.record(kept)]));
    assert_eq!(store.list(&all).await, Ok(vec![ledger.record(kept)]));
    assert_eq!(store.by_key(&keys).await, Ok(vec![(keys[1].clone(), kept)]));
    assert_eq!(store.ended_before(moment(1000), 10).await, Ok(vec![kept]));
    assert_eq!(store.draft(dropped, "ann").await, Ok(None));
    assert_eq!(store.draft(kept, "ann").await.unwrap().unwrap().draft, draft(1, "a"));
    let anew = ledger.open(opened(asker("test"), Some("k")));
    ledger.commit(store).await;
    assert_eq!(store.by_key(&keys[..1]).await, Ok(vec![(keys[0].clone(), anew)]));
    assert_eq!(store.load(&[anew]).await, Ok(vec![ledger.record(anew)]));
}
