use handraise_broker::{AskStore, Draft, Level, StoredDraft};
use handraise_question::AnswerForm;

use super::ledger::{Ledger, draft, moment};

fn kept(draft: Draft, n: u64) -> StoredDraft {
    StoredDraft { draft, at: moment(n) }
}

/// Nobody finds another's, nor one of their own at another ask.
pub async fn a_draft_belongs_to_one_ask_and_one_person(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    let one = ledger.open_any();
    let two = ledger.open_any();
    ledger.draft(one, "ann", Some(draft(1, "ann's")), 3);
    ledger.draft(one, "bob", Some(draft(7, "bob's")), 4);
    ledger.commit(store).await;
    assert_eq!(store.draft(one, "ann").await, Ok(Some(kept(draft(1, "ann's"), 3))));
    assert_eq!(store.draft(one, "bob").await, Ok(Some(kept(draft(7, "bob's"), 4))));
    for nobody in ["Ann", "ann ", "", "an%"] {
        assert_eq!(store.draft(one, nobody).await, Ok(None));
    }
    assert_eq!(store.draft(two, "ann").await, Ok(None));
}

/// What was kept last is what is there, byte for byte.
pub async fn a_draft_is_replaced_and_thrown_away(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    let ask = ledger.open_any();
    let form = AnswerForm {
        selected: vec!["a, \"b\"".into(), String::new()],
        words: Some("two lines\n\u{0}👩‍👧".into()),
        notes: Some("שלום".into()),
        left_open: true,
    };
    let odd = Draft {
        version: i64::MAX as u64,
        answers: vec![AnswerForm::default(), form],
        message: Some("not\u{0} \"yet\" 👩‍👧".into()),
        input: Some("{\"command\": \"ls".into()),
    };
    let empty = Draft { version: 2, ..Draft::default() };
    for (n, next) in [(1, draft(1, "first")), (2, empty), (3, odd)] {
        ledger.draft(ask, "ann", Some(next.clone()), n);
        ledger.commit(store).await;
        assert_eq!(store.draft(ask, "ann").await, Ok(Some(kept(next, n))));
    }
    ledger.draft(ask, "ann", None, 4);
    ledger.draft(ask, "bob", None, 4);
    ledger.commit(store).await;
    assert_eq!(store.draft(ask, "ann").await, Ok(None));
    ledger.draft(ask, "ann", Some(draft(1, "anew")), 5);
    ledger.commit(store).await;
    assert_eq!(store.draft(ask, "ann").await, Ok(Some(kept(draft(1, "anew"), 5))));
}

/// The latest of all persons, for each ask that still waits for something.
pub async fn the_last_to_type_is_remembered_while_it_matters(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    let [busy, untouched, awaited, done, cleared] = [(); 5].map(|()| ledger.open_any());
    ledger.draft(busy, "ann", Some(draft(1, "a")), 8);
    ledger.draft(busy, "bob", Some(draft(1, "b")), 9);
    ledger.draft(busy, "eve", Some(draft(1, "e")), 7);
    ledger.draft(awaited, "ann", Some(draft(1, "a")), 4);
    ledger.draft(done, "ann", Some(draft(1, "a")), 5);
    ledger.draft(cleared, "ann", Some(draft(1, "a")), 6);
    ledger.draft(cleared, "ann", None, 7);
    ledger.end(awaited, "answered");
    ledger.end(done, "answered");
    ledger.deliver(done, Level::Handed);
    ledger.commit(store).await;
    let mut typed = store.last_typed().await.unwrap();
    typed.sort();
    assert_eq!(typed, [(busy, moment(9)), (awaited, moment(4))]);
    assert_eq!(store.draft(untouched, "ann").await, Ok(None));
    assert_eq!(store.draft(done, "ann").await, Ok(Some(kept(draft(1, "a"), 5))), "drafts are kept");
}
