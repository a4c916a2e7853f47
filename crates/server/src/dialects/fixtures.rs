//! Asks and sessions as front ends see them.

use std::sync::Arc;

use handraise_broker::{
    AskId, Asker, Attempt, Entry, Event, Matter, Opened, Policy, Receipt, Record, Reply, Session,
    SessionId, SessionState,
};
use handraise_question::{Responder, Surface};
use jiff::Timestamp;
use serde_json::{Value, json};

pub(super) const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// A session that is run under the hub, by number, with the agent's own name for it.
pub(super) fn session(number: u8, own: Option<&str>) -> Session {
    Session {
        id: SessionId::new(NOW, [number; 10]),
        key: None,
        owner: None,
        agent: "claude-code".into(),
        agent_session: own.map(str::to_owned),
        directory: "/home/dev/app".into(),
        host: None,
        title: None,
        state: SessionState::Idle,
        trouble: None,
        runner: None,
        started_at: NOW,
        changed_at: NOW,
        messages: 0,
        interrupts: 0,
        interrupt_keys: vec![],
        ending: false,
    }
}

/// An open ask, by number: later ones have higher ones.
pub(super) fn asked(number: u8, session: Option<&str>) -> Record {
    asked_under(number, session, Policy::default())
}

pub(super) fn asked_under(number: u8, session: Option<&str>, policy: Policy) -> Record {
    let question = json!([{"question": "Which?", "options": [{"label": "a"}, {"label": "b"}]}]);
    let matter = serde_json::value::to_raw_value(&question).unwrap();
    opened(number, session, Matter::questions(matter).unwrap(), policy)
}

pub(super) fn approval(number: u8, session: Option<&str>) -> Record {
    let call = json!({"tool": "Bash", "input": {"command": "ls"}});
    let matter = Matter::approval(serde_json::value::to_raw_value(&call).unwrap()).unwrap();
    opened(number, session, matter, Policy::default())
}

fn opened(number: u8, session: Option<&str>, matter: Matter, policy: Policy) -> Record {
    let asker = Asker {
        agent: "claude-code".into(),
        session: session.map(str::to_owned),
        ..Asker::default()
    };
    let key = session.map(|session| format!("{session}/toolu_{number}"));
    let opened =
        Opened { asker, key, owner: None, matter, policy, rival_dialog: false, deadline_at: None };
    Record::open(AskId::new(NOW, [number; 10]), Arc::new(opened), 1, NOW)
}

fn happen(mut ask: Record, events: Vec<Event>) -> Record {
    for event in events {
        ask.apply(&Entry { seq: ask.seq + 1, at: NOW, ask: Some(ask.id), event });
    }
    ask
}

/// The same ask after somebody chose `a` there.
pub(super) fn answered(ask: &Record, surface: Surface) -> Record {
    let responder = Responder { person: Some("ann".into()), device: None, surface, proof: None };
    let forms = serde_json::from_value(json!([{"selected": ["a"]}])).unwrap();
    let attempt = Attempt { reply: Reply::Answer(forms), responder, key: None };
    happen(ask.clone(), ask.reply(attempt, NOW).unwrap())
}

/// The same ask after the agent was gone.
pub(super) fn withdrawn(ask: &Record) -> Record {
    happen(ask.clone(), ask.withdraw(None, NOW).unwrap())
}

/// The same ask after the agent said what it took.
pub(super) fn took(ask: &Record, label: &str, text: &str) -> Record {
    let took = json!({"kind": "answered", "answers": [{"selected": [label]}]});
    let receipt = Receipt::seen(Some(text.to_owned())).taking(took);
    happen(ask.clone(), ask.receipt(receipt, NOW).unwrap())
}

pub(super) fn json(frames: &[String]) -> Vec<Value> {
    frames.iter().map(|frame| serde_json::from_str(frame).unwrap()).collect()
}
