//! A small log with one event of every kind, for the tests of the log.

use std::sync::Arc;

use handraise_question::{Responder, Surface};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use serde_json::value::RawValue;

use crate::{
    AccessRefused, AskId, Asker, Device, DeviceChange, DeviceChanged, DeviceId, Entry, Event,
    Extended, Head, Level, Matter, Opened, Policy, Power, Pruned, Receipt, Resolved, Sealed,
    StoredEntry, Submit, Undelivered,
};

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1_750_000_000 + second)
}

/// An ask that was answered, delivered and overruled.
pub(crate) fn one() -> AskId {
    AskId::new(at(1), [1; 10])
}

/// An ask that was given more time, declined and never delivered.
pub(crate) fn two() -> AskId {
    AskId::new(at(2), [2; 10])
}

fn opened(matter: Matter) -> Event {
    Event::Opened(Arc::new(Opened {
        asker: Asker { agent: "test".into(), session: Some("s-1".into()), ..Asker::default() },
        key: Some("s-1/toolu_1".into()),
        owner: None,
        matter,
        policy: Policy { deadline_seconds: Some(300), ..Policy::default() },
        rival_dialog: false,
        deadline_at: Some(at(300)),
    }))
}

fn ann() -> Responder {
    Responder { person: Some("ann".into()), device: None, surface: Surface::Api, proof: None }
}

fn resolved(resolution: serde_json::Value) -> Event {
    let submit = Submit { key: "k".into(), content: "c0ffee".into() };
    Event::Resolved(Arc::new(Resolved {
        resolution,
        responder: Some(ann()),
        at: at(7),
        submit: Some(submit),
    }))
}

/// One event of every kind, and the asks they are about.
pub(crate) fn every_event() -> Vec<(Option<AskId>, Event)> {
    let raw = |json: &str| RawValue::from_string(json.to_owned()).unwrap();
    let device = Device {
        id: DeviceId::new(at(0), [3; 10]),
        name: "laptop".into(),
        power: Power::Person,
        person: Some("ann".into()),
        added_at: at(0),
    };
    let receipt =
        |level, text: &str| Receipt { level, text: Some(text.into()), took: None, doubt: None };
    let answers = json!({"kind": "answered", "answers": [{"selected": ["JWT"]}]});
    let questions = raw(r#"[ {"question": "Which auth?","options":[{"label" :"JWT"}]} ]"#);
    let metadata = raw(r#"{ "source" : "caf\u00e9" }"#);
    let bash = raw(r#"{"tool":"Bash",  "input":{"n":1e400}}"#);
    let (one, two) = (Some(one()), Some(two()));
    let added = DeviceChanged { change: DeviceChange::Added, device };
    let refused = AccessRefused {
        code: "agent_cannot_answer".into(),
        tried: "POST /api/v1/asks/{id}/answer".into(),
        peer: Some("127.0.0.1".into()),
        device: None,
        times: 3,
    };
    vec![
        (None, Event::DeviceChanged(added)),
        (one, opened(Matter::questions_with(questions, Some(metadata)).unwrap())),
        (two, opened(Matter::Approval(bash))),
        (two, Event::Extended(Extended { deadline_at: at(400), responder: ann(), submit: None })),
        (one, resolved(answers)),
        (one, Event::Delivered(receipt(Level::Handed, "JWT"))),
        (one, Event::Overruled(receipt(Level::Seen, "Sessions"))),
        (None, Event::AccessRefused(refused)),
        (two, resolved(json!({"kind": "declined", "reason": null}))),
        (two, Event::Undelivered(Undelivered { reason: "gone".into() })),
        (
            None,
            Event::Pruned(Pruned { before: at(0), asks: vec![], sessions: vec![], events: vec![] }),
        ),
    ]
}

/// Writes events into a log, one second after the other.
pub(crate) fn sealed(events: Vec<(Option<AskId>, Event)>) -> Vec<Sealed> {
    let mut head = Head::EMPTY;
    let seal = |(ask, event)| {
        let seq = head.seq + 1;
        let entry = Entry { seq, at: at(i64::try_from(seq).unwrap()), ask, event };
        let sealed = Sealed::new(entry, &head).unwrap();
        head = sealed.head();
        sealed
    };
    events.into_iter().map(seal).collect()
}

/// What a store gives back of it.
pub(crate) fn stored(sealed: &Sealed) -> StoredEntry {
    StoredEntry {
        seq: sealed.entry.seq,
        at: sealed.entry.at,
        ask: sealed.entry.ask,
        name: sealed.entry.event.name().to_owned(),
        body: Some(sealed.body.clone()),
        digest: sealed.digest,
        hash: sealed.hash,
    }
}

/// The log of [`every_event`] as a store gives it back.
pub(crate) fn log() -> Vec<StoredEntry> {
    sealed(every_event()).iter().map(stored).collect()
}
