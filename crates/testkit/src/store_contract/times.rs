use std::sync::Arc;

use handraise_broker::{AskStore, Asker, Doubt, DoubtKind, Event, Receipt, Record, Resolved, Span};
use handraise_question::{Responder, Surface};
use jiff::Timestamp;
use serde_json::json;

use super::ledger::{Ledger, moment, opened};
use crate::asker;

/// What is open, and what ended then or later, as its record says; what was dropped is gone.
pub async fn the_time_each_ask_took_is_found(store: &impl AskStore) {
    let mut ledger = Ledger::default();
    let mut open = |directory: Option<&str>| {
        let host = directory.map(|_| "a \"desk\"\n".to_owned());
        let directory = directory.map(str::to_owned);
        ledger.open(opened(Asker { directory, host, ..asker("test") }, None))
    };
    let open_one = open(Some("/home/ann/\u{1f41f}\0\"\\\n\u{1b}"));
    let [dropped, silent, by_person, by_rule, by_nobody, overruled] = [(); 6].map(|()| open(None));
    for (id, kind) in [(dropped, "withdrawn"), (silent, "no_answer")] {
        ledger.end(id, kind);
    }
    for (id, surface) in [
        (by_person, Surface::Web),
        (by_rule, Surface::Rule),
        (by_nobody, Surface::Dialog),
        (overruled, Surface::Web),
    ] {
        let at = moment(ledger.head().seq + 1);
        let responder = Responder { person: None, device: None, surface, proof: None };
        let resolution = json!({"kind": "declined", "reason": null});
        let resolved = Resolved { resolution, responder: Some(responder), at, submit: None };
        ledger.happen(id, Event::Resolved(Arc::new(resolved)));
    }
    let doubt = Doubt { kind: DoubtKind::TooFast, why: "It came after 0.2 s.".into() };
    let doubted = || Receipt::seen(None).doubted(doubt.clone());
    // First it looked as if somebody had answered.
    ledger.happen(by_nobody, Event::Delivered(Receipt::seen(None)));
    ledger.happen(by_nobody, Event::Delivered(doubted()));
    // Somebody did answer this one; what is doubted is what the agent took instead.
    ledger.happen(overruled, Event::Overruled(doubted()));
    ledger.prune(&[dropped]);
    ledger.commit(store).await;
    let found = async |since| sorted(store.spans(since).await.unwrap());
    let expected = |records: &[Record]| sorted(records.iter().map(Record::span).collect());

    let all =
        [open_one, silent, by_person, by_rule, by_nobody, overruled].map(|id| ledger.record(id));
    assert_eq!(found(Timestamp::MIN).await, expected(&all));
    assert_eq!(all.iter().filter(|record| record.span().by_person).count(), 2);
    let then = ledger.record(by_person).resolved().unwrap().at;
    let later = [open_one, by_person, by_rule, by_nobody, overruled].map(|id| ledger.record(id));
    assert_eq!(found(then).await, expected(&later), "it ended just then");
    assert_eq!(found(Timestamp::MAX).await, expected(&later[..1]));
}

fn sorted(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| span.asked_at);
    spans
}
