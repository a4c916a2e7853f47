//! What the loop asks of a model: one turn after the other.

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::{Event, ToolResult};

/// Whatever plays the part of the model: a server behind HTTP, or a script in a test.
#[async_trait]
pub trait Model: Send + Sync {
    /// Has the model say its next turn.
    ///
    /// One attempt: trying again is the loop's business. Text is told to `said` as it comes and is
    /// whole in the turn; of an attempt that fails, nothing that was told counts. The future is
    /// dropped when the run is cancelled.
    ///
    /// # Errors
    ///
    /// Why there is no turn, and whether it is worth trying again.
    async fn turn(&self, request: &Request<'_>, said: &Said) -> Result<Turn, ModelError>;
}

/// What the model is given for its next turn.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// Who the model is and what it is to do; empty when there is nothing to say.
    pub system: &'a str,
    /// What it may call.
    pub tools: &'a [ToolSpec],
    /// What was said so far. Every call in it has its result in the message that follows.
    pub messages: Vec<Message<'a>>,
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// When to call it, and when not.
    pub description: String,
    /// The JSON schema of its input.
    pub schema: Value,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message<'a> {
    /// Words to the model.
    User(&'a str),
    /// What the model said.
    Assistant(&'a Turn),
    /// What came of all calls of the turn before, in their order.
    Results(Vec<(&'a Call, &'a ToolResult)>),
}

/// What a model said before it waits again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Its words.
    pub text: String,
    /// What it calls, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// Why it stopped.
    pub stop: Stop,
    /// What the model wants to see again together with this turn, such as signed thoughts. The loop
    /// keeps it and does not look into it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Value>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Names the call; the loop gives it another name where the model's is of no use.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is called with. Text where the model's input is not JSON.
    pub input: Value,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It has said what it wanted to say.
    #[default]
    End,
    /// It ran out of room: the last thing it said is not whole.
    CutOff,
    /// It will not say this, or was kept from it.
    Refused,
}

/// Why there is no turn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// It may be better in a moment.
    #[error("{reason}")]
    Passing {
        /// What happened, as a person reads it; never with a secret in it.
        reason: String,
        /// How long to wait, where the model says so.
        after: Option<Duration>,
    },
    /// Trying again would not help.
    #[error("{reason}")]
    Final {
        /// What happened and what to do about it; never with a secret in it.
        reason: String,
    },
}

/// Takes the words of a model while it says them.
#[derive(Debug, Clone)]
pub struct Said(pub(crate) mpsc::UnboundedSender<Event>);

impl Said {
    /// Tells more of the turn's text.
    pub fn text(&self, text: &str) {
        if !text.is_empty() {
            // Nobody listens any more: the run was dropped.
            let _ = self.0.send(Event::Text { text: text.to_owned() });
        }
    }
}
