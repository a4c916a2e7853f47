//! Asks as dialects see them.

use std::sync::Arc;

use handraise_broker::{
    AskId, Asker, Attempt, Entry, Event, Matter, Opened, Policy, Receipt, Record, Reply,
};
use handraise_question::{Responder, Surface};
use jiff::Timestamp;
use serde_json::Value;
use serde_json::value::to_raw_value;

/// An ask of session `s-1`, call `toolu_1`.
pub(super) fn asked(questions: &Value) -> Record {
    let asker =
        Asker { agent: "claude-code".into(), session: Some("s-1".into()), ..Asker::default() };
    let matter = Matter::questions(to_raw_value(questions).unwrap()).unwrap();
    let key = Some("s-1/toolu_1".into());
    let opened = Opened {
        asker,
        key,
        owner: None,
        matter,
        policy: Policy::default(),
        rival_dialog: false,
        deadline_at: None,
    };
    let now = Timestamp::UNIX_EPOCH;
    Record::open(AskId::new(now, [1; 10]), Arc::new(opened), 1, now)
}

pub(super) fn happen(mut ask: Record, events: Vec<Event>) -> Record {
    for event in events {
        let entry = Entry { seq: ask.seq + 1, at: Timestamp::UNIX_EPOCH, ask: Some(ask.id), event };
        ask.apply(&entry);
    }
    ask
}

/// The same ask after a reply from `surface`.
pub(super) fn replied(ask: &Record, reply: Reply, surface: Surface) -> Record {
    let responder = Responder { person: Some("ann".into()), device: None, surface, proof: None };
    let attempt = Attempt { reply, responder, key: None };
    happen(ask.clone(), ask.reply(attempt, Timestamp::UNIX_EPOCH).unwrap())
}

pub(super) fn answered(ask: &Record, answers: Value, surface: Surface) -> Record {
    replied(ask, Reply::Answer(serde_json::from_value(answers).unwrap()), surface)
}

/// The same ask after nobody answered.
pub(super) fn silent(ask: &Record) -> Record {
    let mut opened = Opened::clone(&ask.opened);
    opened.deadline_at = Some(Timestamp::UNIX_EPOCH);
    let ask = Record::open(ask.id, Arc::new(opened), ask.seq, ask.asked_at);
    let events = ask.expire(None, Timestamp::UNIX_EPOCH);
    happen(ask, events)
}

/// The same ask after the agent was seen to have read something else.
pub(super) fn overruled(ask: &Record, took: Value) -> Record {
    let receipt = Receipt::seen(Some("something else".into())).taking(took);
    let events = ask.receipt(receipt, Timestamp::UNIX_EPOCH).unwrap();
    happen(ask.clone(), events)
}

pub(super) fn surface(dialect: &str) -> Surface {
    Surface::Dialect(dialect.into())
}
