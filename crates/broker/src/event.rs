//! What happened, in the words of the log.

use std::borrow::Cow;
use std::sync::Arc;

use handraise_question::Responder;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{
    AnswerIn, AskId, Asker, Device, Doubt, Level, Matter, Policy, Questions, Seq, SessionChanged,
    SessionId,
};

/// One thing that happened. The log holds nothing else, and the state of every ask is made of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// An agent asked.
    Opened(Arc<Opened>),
    /// The one end of an ask.
    Resolved(Arc<Resolved>),
    /// A person gave themselves more time.
    Extended(Extended),
    /// The agent has what was resolved.
    Delivered(Receipt),
    /// The agent took another answer than the hub's.
    Overruled(Receipt),
    /// The agent was gone, or nobody heard that it has its answer.
    Undelivered(Undelivered),
    /// A device was added or revoked.
    DeviceChanged(DeviceChanged),
    /// Somebody tried what they may not do.
    AccessRefused(AccessRefused),
    /// A session began, went on or ended, or something was said in it.
    SessionChanged(Arc<SessionChanged>),
    /// Old asks were dropped from the log.
    Pruned(Pruned),
}

/// What was asked, by whom and under which rules.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// Who asks.
    pub asker: Asker,
    /// The asker's own name for the ask, unique among those of the same owner and kind of agent.
    pub key: Option<String>,
    /// The name of the agent's token that opened it. None for asks of versions before owners were kept.
    pub owner: Option<String>,
    /// What it is about.
    pub matter: Matter,
    /// The rules it lives under.
    pub policy: Policy,
    /// Whether the agent shows a dialog of its own beside it, as it said when it asked.
    pub rival_dialog: bool,
    /// When silence will be reported as silence.
    pub deadline_at: Option<Timestamp>,
}

impl Opened {
    /// Whether the agent can have an answer that no surface of the hub gave: only then may a receipt
    /// end the ask. An ask that only the agent's own dialog takes an answer to has such a dialog.
    #[must_use]
    pub fn has_rival_dialog(&self) -> bool {
        self.rival_dialog || self.policy.answer_in == AnswerIn::Dialog
    }
}

/// How an ask ended, who ended it and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resolved {
    /// The lossless form, without responder and time.
    pub resolution: Value,
    /// Who gave it; nobody for silence.
    pub responder: Option<Responder>,
    /// When.
    pub at: Timestamp,
    /// The submit that did it, to know a retry by.
    pub submit: Option<Submit>,
}

/// What makes a retried submit the same submit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Submit {
    /// The caller's own name for it.
    pub key: String,
    /// The SHA-256 of what was submitted, in hexadecimal.
    pub content: String,
}

/// More time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Extended {
    /// The new deadline.
    pub deadline_at: Timestamp,
    /// Who extended it.
    pub responder: Responder,
    /// The submit that did it, to know a retry by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submit: Option<Submit>,
}

/// What is known of the agent's side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// How sure it is.
    pub level: Level,
    /// What was handed over, or what the model read.
    pub text: Option<String>,
    /// What the agent took, in the lossless form of a resolution, where it says so itself: from its
    /// own dialog, perhaps. Beside such a dialog the agent is the judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took: Option<Value>,
    /// That no person gave what the agent went on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
}

impl Receipt {
    /// It was written to the agent.
    #[must_use]
    pub fn handed(text: Option<String>) -> Self {
        Self { level: Level::Handed, text, took: None, doubt: None }
    }

    /// The model was seen to read it.
    #[must_use]
    pub fn seen(text: Option<String>) -> Self {
        Self { level: Level::Seen, text, took: None, doubt: None }
    }

    /// And this is what the agent took.
    #[must_use]
    pub fn taking(self, took: Value) -> Self {
        Self { took: Some(took), ..self }
    }

    /// And no person gave it.
    #[must_use]
    pub fn doubted(self, doubt: Doubt) -> Self {
        Self { doubt: Some(doubt), ..self }
    }

    /// Both together: what was known stays known, and only of a surer receipt another text counts.
    pub(crate) fn after(self, earlier: &Self) -> Self {
        let text = match (earlier.level, self.level) {
            (Level::Handed, Level::Seen) => self.text,
            (Level::Seen, Level::Handed) => earlier.text.clone(),
            (Level::Handed, Level::Handed) | (Level::Seen, Level::Seen) => {
                earlier.text.clone().or(self.text)
            }
        };
        let seen = [earlier.level, self.level].contains(&Level::Seen);
        let level = if seen { Level::Seen } else { Level::Handed };
        let took = earlier.took.clone().or(self.took);
        Self { level, text, took, doubt: earlier.doubt.clone().or(self.doubt) }
    }
}

/// Why nobody can say that the agent has its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Undelivered {
    /// In words a person reads.
    pub reason: String,
}

/// A change in who may do what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceChanged {
    /// What happened to it.
    pub change: DeviceChange,
    /// The device.
    pub device: Device,
}

/// What can happen to a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceChange {
    /// It was given a token.
    Added,
    /// Its token counts no more.
    Revoked,
}

/// A refused attempt, or several of the same kind shortly after one another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessRefused {
    /// Why, as the stable code of the API.
    pub code: String,
    /// What was tried, e.g. `POST /api/v1/asks/{id}/answer`.
    pub tried: String,
    /// From where, as far as it is known.
    pub peer: Option<String>,
    /// With whose token.
    pub device: Option<String>,
    /// How often.
    pub times: u64,
}

/// Old asks and sessions whose contents were dropped. Their events keep place and hash, so the chain still holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pruned {
    /// What had ended before this was dropped.
    pub before: Timestamp,
    /// The asks.
    #[serde(default)]
    pub asks: Vec<AskId>,
    /// The sessions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<SessionId>,
    /// The events of those sessions: nothing else about an event tells which session it was about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Seq>,
}

/// An event in its place in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its place.
    pub seq: Seq,
    /// When it happened.
    pub at: Timestamp,
    /// The ask it is about, if it is about one.
    pub ask: Option<AskId>,
    /// What happened.
    pub event: Event,
}

impl Event {
    /// The stable name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Opened(_) => "ask.opened",
            Self::Resolved(_) => "ask.resolved",
            Self::Extended(_) => "ask.extended",
            Self::Delivered(_) => "ask.delivered",
            Self::Overruled(_) => "ask.overruled",
            Self::Undelivered(_) => "ask.undelivered",
            Self::DeviceChanged(_) => "device.changed",
            Self::AccessRefused(_) => "access.refused",
            Self::SessionChanged(_) => "session.changed",
            Self::Pruned(_) => "log.pruned",
        }
    }

    /// The session it is about, and what was said in it.
    #[must_use]
    pub fn session(&self) -> Option<&Arc<SessionChanged>> {
        match self {
            Self::SessionChanged(changed) => Some(changed),
            Self::Opened(_)
            | Self::Resolved(_)
            | Self::Extended(_)
            | Self::Delivered(_)
            | Self::Overruled(_)
            | Self::Undelivered(_)
            | Self::DeviceChanged(_)
            | Self::AccessRefused(_)
            | Self::Pruned(_) => None,
        }
    }

    /// The JSON the log keeps.
    ///
    /// # Errors
    ///
    /// Never in practice: every part has a JSON form.
    pub fn body(&self) -> serde_json::Result<String> {
        match self {
            Self::Opened(opened) => serde_json::to_string(&OpenedForm::from(&**opened)),
            Self::Resolved(resolved) => serde_json::to_string(&**resolved),
            Self::Extended(extended) => serde_json::to_string(extended),
            Self::Delivered(receipt) | Self::Overruled(receipt) => serde_json::to_string(receipt),
            Self::Undelivered(undelivered) => serde_json::to_string(undelivered),
            Self::DeviceChanged(changed) => serde_json::to_string(changed),
            Self::AccessRefused(refused) => serde_json::to_string(refused),
            Self::SessionChanged(changed) => serde_json::to_string(&**changed),
            Self::Pruned(pruned) => serde_json::to_string(pruned),
        }
    }

    /// Reads what the log keeps.
    ///
    /// # Errors
    ///
    /// When the name is unknown or the body is not of its form.
    pub fn read(name: &str, body: &str) -> serde_json::Result<Self> {
        Ok(match name {
            "ask.opened" => {
                Self::Opened(Arc::new(serde_json::from_str::<OpenedForm>(body)?.into()))
            }
            "ask.resolved" => Self::Resolved(Arc::new(serde_json::from_str(body)?)),
            "ask.extended" => Self::Extended(serde_json::from_str(body)?),
            "ask.delivered" => Self::Delivered(serde_json::from_str(body)?),
            "ask.overruled" => Self::Overruled(serde_json::from_str(body)?),
            "ask.undelivered" => Self::Undelivered(serde_json::from_str(body)?),
            "device.changed" => Self::DeviceChanged(serde_json::from_str(body)?),
            "access.refused" => Self::AccessRefused(serde_json::from_str(body)?),
            "session.changed" => Self::SessionChanged(Arc::new(serde_json::from_str(body)?)),
            "log.pruned" => Self::Pruned(serde_json::from_str(body)?),
            _ => return Err(serde::de::Error::custom("no such event")),
        })
    }
}

/// [`Opened`] as the log has it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenedForm<'a> {
    asker: Cow<'a, Asker>,
    key: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    questions: Option<Cow<'a, RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metadata: Option<Cow<'a, RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    approval: Option<Cow<'a, RawValue>>,
    policy: Cow<'a, Policy>,
    // An ask that was kept before agents said so has none: a receipt must not end it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    rival_dialog: bool,
    deadline_at: Option<Timestamp>,
}

impl<'a> From<&'a Opened> for OpenedForm<'a> {
    fn from(opened: &'a Opened) -> Self {
        let (questions, approval) = match &opened.matter {
            Matter::Questions(questions) => (Some(Cow::Borrowed(&*questions.as_sent)), None),
            Matter::Approval(raw) => (None, Some(Cow::Borrowed(&**raw))),
        };
        Self {
            asker: Cow::Borrowed(&opened.asker),
            key: opened.key.as_deref().map(Cow::Borrowed),
            owner: opened.owner.as_deref().map(Cow::Borrowed),
            questions,
            metadata: opened.matter.metadata().map(Cow::Borrowed),
            approval,
            policy: Cow::Borrowed(&opened.policy),
            rival_dialog: opened.rival_dialog,
            deadline_at: opened.deadline_at,
        }
    }
}

impl From<OpenedForm<'_>> for Opened {
    fn from(form: OpenedForm<'_>) -> Self {
        let matter = match (form.questions, form.approval) {
            (Some(raw), _) => Matter::Questions(Questions {
                as_sent: raw.into_owned(),
                metadata: form.metadata.map(Cow::into_owned),
            }),
            (None, raw) => Matter::Approval(raw.map(Cow::into_owned).unwrap_or_default()),
        };
        Self {
            asker: form.asker.into_owned(),
            key: form.key.map(Cow::into_owned),
            owner: form.owner.map(Cow::into_owned),
            matter,
            policy: form.policy.into_owned(),
            rival_dialog: form.rival_dialog,
            deadline_at: form.deadline_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ask_kept_before_agents_declared_a_dialog_has_none() {
        let old = r#"{"asker":{"agent":"a"},"key":null,"questions":[{"question":"Q?"}],"policy":{},"deadlineAt":null}"#;
        let Event::Opened(opened) = Event::read("ask.opened", old).unwrap() else {
            panic!("{old}")
        };
        assert!(!opened.has_rival_dialog());
        let body = Event::Opened(opened.clone()).body().unwrap();
        assert!(!body.contains("rivalDialog"), "{body}");
        let declared = Opened { rival_dialog: true, ..Opened::clone(&opened) };
        let declared = Event::Opened(Arc::new(declared));
        let body = declared.body().unwrap();
        assert_eq!(Event::read("ask.opened", &body).unwrap(), declared);
        let policy = Policy { answer_in: AnswerIn::Dialog, ..Policy::default() };
        assert!(Opened { policy, ..Opened::clone(&opened) }.has_rival_dialog());
    }
}
