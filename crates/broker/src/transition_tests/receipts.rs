use super::*;
use crate::{Delivery, Level, Receipt, State, Undelivered};

fn handed(text: &str) -> Receipt {
    Receipt { level: Level::Handed, text: Some(text.into()) }
}

fn seen(text: &str) -> Receipt {
    Receipt { level: Level::Seen, text: Some(text.into()) }
}

/// An answered ask that is not delivered before the model was seen to read the answer.
fn watched() -> Record {
    answered(&questions(Policy { receipt: Level::Seen, ..Policy::default() }))
}

fn with(ask: &Record, receipt: Receipt, second: i64) -> Record {
    after(ask, ask.receipt(receipt).unwrap(), second)
}

fn delivery(ask: &Record) -> &Delivery {
    match &ask.phase {
        crate::Phase::Resolved { delivery, .. } => delivery,
        crate::Phase::Open => panic!("it is still open"),
    }
}

#[test]
fn an_open_ask_has_nothing_to_deliver() {
    let ask = questions(Policy::default());
    assert_eq!(ask.receipt(handed("JWT")), Err(Rejection::StillOpen));
    assert!(!ask.awaits_receipt());
    assert_eq!(ask.miss_receipt(), vec![]);
}

#[test]
fn handed_over_is_delivered_unless_more_was_asked_for() {
    let ask = answered(&questions(Policy::default()));
    assert!(ask.awaits_receipt());
    assert_eq!(ask.receipt(handed("JWT")), Ok(vec![Event::Delivered(handed("JWT"))]));
    let delivered = with(&ask, handed("JWT"), 6);
    assert_eq!(delivery(&delivered), &Delivery::Delivered { receipt: handed("JWT"), at: at(6) });
    assert!(!delivered.awaits_receipt());
    let delivered = with(&watched(), handed("JWT"), 6);
    assert_eq!((delivered.state(), delivered.awaits_receipt()), (State::Delivered, true));
}

#[test]
fn seen_as_it_was_handed_over_is_delivered() {
    let ask = with(&watched(), handed("JWT"), 6);
    let ask = with(&ask, seen("JWT"), 7);
    assert_eq!(delivery(&ask), &Delivery::Delivered { receipt: seen("JWT"), at: at(7) });
    assert!(!ask.awaits_receipt());
}

#[test]
fn seen_otherwise_than_it_was_handed_over_is_overruled() {
    let ask = with(&watched(), handed("JWT"), 6);
    assert_eq!(ask.receipt(seen("Sessions")), Ok(vec![Event::Overruled(seen("Sessions"))]));
    let ask = with(&ask, seen("Sessions"), 7);
    assert_eq!(delivery(&ask), &Delivery::Overruled { receipt: seen("Sessions"), at: at(7) });
    assert!(!ask.awaits_receipt());
}

#[test]
fn without_both_texts_there_is_nothing_to_compare() {
    let silent = |level| Receipt { level, text: None };
    let ask = with(&watched(), handed("JWT"), 6);
    let said = ask.receipt(silent(Level::Seen));
    assert_eq!(said, Ok(vec![Event::Delivered(silent(Level::Seen))]));
    let ask = with(&watched(), silent(Level::Handed), 6);
    assert_eq!(ask.receipt(seen("JWT")), Ok(vec![Event::Delivered(seen("JWT"))]));
}

#[test]
fn only_a_receipt_that_says_more_counts() {
    let handed_over = with(&watched(), handed("JWT"), 6);
    assert_eq!(handed_over.receipt(handed("JWT")), Ok(vec![]));
    let read = with(&watched(), seen("JWT"), 6);
    assert_eq!(read.receipt(handed("JWT")), Ok(vec![]));
    assert_eq!(read.receipt(seen("Sessions")), Ok(vec![]));
    let overruled = with(&handed_over, seen("Sessions"), 7);
    for again in [handed("JWT"), seen("JWT"), seen("Sessions")] {
        assert_eq!(overruled.receipt(again), Ok(vec![]));
    }
}

#[test]
fn a_receipt_that_does_not_come_is_missed() {
    let missed = |reason: &str| vec![Event::Undelivered(Undelivered { reason: reason.into() })];
    let nobody = answered(&questions(Policy::default()));
    assert_eq!(nobody.miss_receipt(), missed("no process took the answer to the agent"));
    let unread = with(&watched(), handed("JWT"), 6);
    let unseen = missed("handed to the agent, but it was not seen to read it");
    assert_eq!(unread.miss_receipt(), unseen);
    let lost = after(&unread, unseen, 66);
    assert_eq!((lost.state(), lost.awaits_receipt()), (State::Undelivered, false));
    assert_eq!(lost.miss_receipt(), vec![]);
}

#[test]
fn nothing_is_missed_where_nothing_is_awaited() {
    let ask = questions(Policy::default());
    let withdrawn = after(&ask, ask.withdraw(None, at(3)).unwrap(), 3);
    assert_eq!((withdrawn.awaits_receipt(), withdrawn.miss_receipt()), (false, vec![]));
    let delivered = with(&answered(&ask), handed("JWT"), 6);
    assert_eq!(delivered.miss_receipt(), vec![]);
}

#[test]
fn a_late_receipt_still_counts() {
    let ask = answered(&questions(Policy::default()));
    let lost = after(&ask, ask.miss_receipt(), 65);
    let found = with(&lost, handed("JWT"), 90);
    assert_eq!(delivery(&found), &Delivery::Delivered { receipt: handed("JWT"), at: at(90) });
}

#[test]
fn a_late_receipt_is_compared_with_what_was_handed_over_in_time() {
    let unread = with(&watched(), handed("JWT"), 6);
    let lost = after(&unread, unread.miss_receipt(), 66);
    assert_eq!(lost.receipt(seen("JWT")), Ok(vec![Event::Delivered(seen("JWT"))]));
    assert_eq!(lost.receipt(seen("Sessions")), Ok(vec![Event::Overruled(seen("Sessions"))]));
    assert_eq!(lost.receipt(handed("JWT")), Ok(vec![]), "that much was known before");
}
