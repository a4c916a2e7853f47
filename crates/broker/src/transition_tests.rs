//! An ask to decide about, and those who decide.

#[path = "transition_tests/any_sequence.rs"]
mod any_sequence;
#[path = "transition_tests/receipts.rs"]
mod receipts;
#[path = "transition_tests/replies.rs"]
mod replies;
#[path = "transition_tests/silence.rs"]
mod silence;
#[path = "transition_tests/withdrawals.rs"]
mod withdrawals;

use std::sync::Arc;

use handraise_question::{AnswerForm, Responder, Surface};
use jiff::{SignedDuration, Timestamp};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::{
    AskId, Asker, Attempt, Entry, Event, Matter, Opened, Policy, Record, Rejection, Reply, Resolved,
};

fn at(second: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1_750_000_000 + second)
}

fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).unwrap()
}

fn record(matter: Matter, policy: Policy) -> Record {
    let seconds = policy.deadline_seconds.map(|seconds| i64::try_from(seconds).unwrap());
    let opened = Opened {
        asker: Asker { agent: "test".into(), ..Asker::default() },
        key: None,
        owner: None,
        matter,
        policy,
        rival_dialog: false,
        deadline_at: seconds.map(at),
    };
    Record::open(AskId::new(at(0), [1; 10]), Arc::new(opened), 1, at(0))
}

/// An ask of two questions: one takes one option, the other any number.
fn questions(policy: Policy) -> Record {
    let questions = json!([
        {"question": "Which auth?", "options": [{"label": "JWT"}, {"label": "Sessions"}]},
        {"question": "Which extras?", "multiSelect": true,
         "options": [{"label": "Redis"}, {"label": "Email"}]}]);
    record(Matter::questions(raw(&questions)).unwrap(), policy)
}

fn approval() -> Record {
    let bash = json!({"tool": "Bash", "input": {"command": "ls"}, "suggestions": [{}]});
    record(Matter::approval(raw(&bash)).unwrap(), Policy::default())
}

/// The same ask, of an agent that shows a dialog of its own beside it.
fn beside_a_dialog(record: Record) -> Record {
    let opened = Opened { rival_dialog: true, ..Opened::clone(&record.opened) };
    Record { opened: Arc::new(opened), ..record }
}

fn by(person: &str) -> Responder {
    Responder {
        person: Some(person.into()),
        device: Some("laptop".into()),
        surface: Surface::Web,
        proof: Some("browser".into()),
    }
}

fn forms(answers: Value) -> Vec<AnswerForm> {
    serde_json::from_value(answers).unwrap()
}

/// A full set of answers.
fn jwt() -> Reply {
    Reply::Answer(forms(json!([{"selected": ["JWT"]}, {"leftOpen": true}])))
}

fn attempt(reply: Reply, key: Option<&str>) -> Attempt {
    Attempt { reply, responder: by("ann"), key: key.map(str::to_owned) }
}

/// The ask after these events, which happened at `second`.
fn after(record: &Record, events: Vec<Event>, second: i64) -> Record {
    let mut record = record.clone();
    for event in events {
        let entry = Entry { seq: record.seq + 1, at: at(second), ask: Some(record.id), event };
        record.apply(&entry);
    }
    record
}

/// The ask after ann answered it at second 5.
fn answered(record: &Record) -> Record {
    after(record, record.reply(attempt(jwt(), Some("k")), at(5)).unwrap(), 5)
}

fn resolved(resolution: Value, second: i64) -> Resolved {
    Resolved { resolution, responder: None, at: at(second), submit: None }
}

fn is_resolved(resolved: Resolved) -> Vec<Event> {
    vec![Event::Resolved(Arc::new(resolved))]
}

/// The paths of what was wrong.
fn refused<T>(result: Result<T, Rejection>) -> Vec<String> {
    match result {
        Err(Rejection::Invalid(violations)) => {
            violations.as_slice().iter().map(|violation| violation.path.clone()).collect()
        }
        Err(other) => panic!("refused for another reason: {other}"),
        Ok(_) => panic!("not refused"),
    }
}
