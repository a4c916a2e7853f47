//! What a front end's wire form consists of.

use std::fmt;

use handraise_broker::{Delivery, Phase, Record, Rejection, Resolved};
use handraise_question::{Surface, Violation, Violations};
use serde::Serialize;
use serde_json::{Map, Value};

/// The wire form of front ends that speak over a WebSocket.
///
/// Translation only: which asks are shown to whom, who may answer and what counts is decided elsewhere,
/// for all dialects alike.
pub trait Dialect: fmt::Debug + Send + Sync {
    /// Its name, in `/dialects/<name>` and in the surface `dialect:<name>`.
    fn name(&self) -> &'static str;

    /// What its document says about connections.
    fn manners(&self) -> Manners;

    /// What its front ends call an ask.
    fn id(&self, ask: &Record) -> String;

    /// How a session stands; `None` where the dialect has no words for that.
    fn status(&self, status: &Status<'_>) -> Option<String>;

    /// A question that waits for the person.
    fn asked(&self, asked: &Asked<'_>) -> String;

    /// It waits no more; `None` where the front end knows.
    fn ended(&self, ended: &Ended<'_>) -> Option<String>;

    /// After its end it became known that the agent did not take it.
    fn amiss(&self, ended: &Ended<'_>, words: &str) -> String;

    /// What a front end said does not count; `None` where that is passed over in silence.
    fn refused(&self, refused: &Refused<'_>) -> Option<String>;

    /// Understands what a front end says.
    ///
    /// # Errors
    ///
    /// When it is not of this dialect.
    fn read(&self, message: &str) -> Result<Said, Violations>;
}

/// What a document says about connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manners {
    /// What a connection is about.
    pub scope: Scope,
    /// Of the connections to a session only the newest counts.
    pub newest_only: bool,
    /// A session's questions are shown one after the other.
    pub one_by_one: bool,
    /// When the last connection to a session goes, its questions hear of it: what that means is said by
    /// the rules of each.
    pub missed_when_gone: bool,
}

/// What a connection is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The session its address names.
    Session,
    /// That, or all of them if it names none.
    Any,
}

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status<'a> {
    /// The front end's name for it.
    pub session: &'a str,
    /// Whether its agent is at work.
    pub is_working: bool,
    /// The question that waits for the person, by the dialect's name for it.
    pub waiting: Option<&'a str>,
}

/// A question that waits for the person.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The front end's name for its session.
    pub session: &'a str,
    /// The ask.
    pub ask: &'a Record,
    /// How long it will wait from now on; for ever, when absent.
    pub seconds_left: Option<u64>,
}

/// A question that waits no more.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    /// The front end's name for its session.
    pub session: &'a str,
    /// The ask.
    pub ask: &'a Record,
    /// How it ended.
    pub resolved: &'a Resolved,
}

impl<'a> Ended<'a> {
    /// An ask that has ended; `None` when it has not.
    #[must_use]
    pub fn of(session: &'a str, ask: &'a Record) -> Option<Self> {
        ask.resolved().map(|resolved| Self { session, ask, resolved })
    }

    /// Whether it was ended in this dialect.
    #[must_use]
    pub fn is_from(&self, dialect: &dyn Dialect) -> bool {
        self.resolved.responder.as_ref().is_some_and(|responder| match &responder.surface {
            Surface::Dialect(name) => name == dialect.name(),
            Surface::Terminal | Surface::Web | Surface::Dialog | Surface::Api | Surface::Rule => {
                false
            }
        })
    }

    /// Who ended it and how, in one line.
    #[must_use]
    pub fn by_whom(&self) -> String {
        Rejection::AlreadyResolved(Box::new(self.ask.clone())).to_string()
    }

    /// What is known to have gone wrong with it since.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        match &self.ask.phase {
            Phase::Open => None,
            Phase::Resolved { delivery, .. } => match delivery {
                Delivery::Awaited | Delivery::Delivered { .. } => None,
                Delivery::Overruled { .. } => {
                    Some("the agent went on with another answer than this one".into())
                }
                Delivery::Undelivered { reason, .. } => {
                    Some(format!("the agent may not have got the answer: {reason}"))
                }
            },
        }
    }
}

/// Something a front end said that does not count.
#[derive(Debug, Clone, Copy)]
pub struct Refused<'a> {
    /// Why.
    pub why: &'a Refusal,
    /// The session it was about, as the front end called it.
    pub session: Option<&'a str>,
    /// The ask it was about, as the front end called it.
    pub ask: Option<&'a str>,
}

/// Why something does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Another connection has taken the session over.
    Taken,
    /// What it was about had ended before.
    Late,
    /// There is no such question, or none by that name in that session.
    Unknown,
    /// Anything else, in words for whoever sent it.
    Other {
        /// Stable, for programs.
        code: String,
        /// For people: what was wrong, and where.
        message: String,
    },
}

impl Refusal {
    /// Names a refusal.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Other { code: code.into(), message: message.into() }
    }

    /// What is wrong with a message, all of it.
    #[must_use]
    pub fn invalid(code: &str, violations: &Violations) -> Self {
        let all: Vec<_> = violations.as_slice().iter().map(Violation::to_string).collect();
        Self::new(code, all.join("; "))
    }
}

/// What a front end says.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// Something about a question.
    Response {
        /// In which session, where the message names one.
        session: Option<String>,
        /// To which ask, by the dialect's name for it.
        ask: String,
        /// What.
        says: Says,
    },
    /// A person's words to the agent.
    Words(String),
}

/// What a front end says about a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Says {
    /// Question text to answer.
    Answers(Map<String, Value>),
    /// The person does not want to answer.
    Cancelled,
}

/// One frame of text.
pub(super) fn frame(value: &impl Serialize) -> String {
    // Texts, numbers and what was JSON before: it cannot fail.
    serde_json::to_string(value).unwrap_or_default()
}

/// A message's fields.
pub(super) fn object(message: &str) -> Result<Map<String, Value>, Violations> {
    let wrong = |found: String| Violations::from(Violation::new("message", found, "a JSON object"));
    match serde_json::from_str(message) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(wrong("JSON of another kind".into())),
        Err(error) => Err(wrong(format!("not JSON ({error})"))),
    }
}

/// A field that has to be text.
pub(super) fn text(fields: &Map<String, Value>, path: &str) -> Result<String, Violation> {
    let value = field(fields, path);
    let text = value.as_str().ok_or_else(|| Violation::new(path, kind(value), "text"))?;
    Ok(text.to_owned())
}

/// A field that has to be an object.
pub(super) fn fields<'a>(
    fields: &'a Map<String, Value>,
    path: &str,
) -> Result<&'a Map<String, Value>, Violation> {
    let value = field(fields, path);
    value.as_object().ok_or_else(|| Violation::new(path, kind(value), "an object"))
}

/// The field a path ends with.
fn field<'a>(fields: &'a Map<String, Value>, path: &str) -> &'a Value {
    let name = path.rsplit('.').next().unwrap_or(path);
    fields.get(name).unwrap_or(&Value::Null)
}

/// What a value is, without saying it.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
