//! What a run tells while it goes on.

use std::time::Duration;

use handraise_question::Ask;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::{HistoryError, ToolResult};

/// One thing that happened in a run.
///
/// As JSON: `{"type": "text", "text": …}`, and `tool_start`, `tool_result`, `ask_user`, `done`, `error`
/// and `retry` alike. What was done, asked or said to the end was kept in the history before it is told.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// More of what the model is saying. It counts once something else than text or `retry` follows.
    Text {
        /// The words, to be put behind those before.
        text: String,
    },
    /// A call begins.
    ToolStart {
        /// The call.
        id: String,
        /// The tool.
        name: String,
        /// What the model calls it with.
        input: Value,
    },
    /// A call is over.
    ToolResult {
        /// The call.
        id: String,
        /// The tool.
        name: String,
        /// What came of it.
        result: ToolResult,
    },
    /// The run waits for a person: [`Run::answer`](crate::Run::answer) goes on.
    AskUser {
        /// Names the ask: the call's id, and `…/2` for the second ask of one call.
        id: String,
        /// The questions; in JSON, as the model sent them.
        #[serde(rename = "questions", serialize_with = "as_sent")]
        ask: Ask,
        /// What the model said just before it asked.
        #[serde(skip)]
        preamble: Option<String>,
    },
    /// The model is not to be had; it is tried again. The text of the turn so far is void.
    Retry {
        /// In how long; in JSON, seconds.
        #[serde(serialize_with = "seconds")]
        after: Duration,
        /// Why.
        reason: String,
    },
    /// The model has said what it wanted to say. Nothing follows.
    Done {
        /// Its last words.
        text: String,
    },
    /// The run is over without that. Nothing follows.
    Error {
        /// Why.
        error: RunError,
    },
}

fn seconds<S: Serializer>(after: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(after.as_secs_f64())
}

fn as_sent<S: Serializer>(ask: &Ask, serializer: S) -> Result<S::Ok, S::Error> {
    ask.as_sent().serialize(serializer)
}

/// Why a run ended before the model was done. In JSON `{"kind": …, "message": …}`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// It was cancelled. The history can be gone on with.
    #[error("cancelled")]
    Cancelled,
    /// The history has nothing in it that the model could answer.
    #[error("there is no prompt to begin with")]
    NoPrompt,
    /// The model is not to be had.
    #[error("{0}")]
    Model(String),
    /// The model will not say this, or was kept from it.
    #[error("the model refused to go on")]
    Refused,
    /// The model was asked as often as it may be.
    #[error("not done after {0} turns, which is as many as this run may take")]
    Turns(u32),
    /// The model asks although it was told that it must not any more.
    #[error("the model goes on asking after {0} asks, which is as many as this run may make")]
    AsksUsedUp(u32),
    /// The model does not get a call right.
    #[error("{0} invalid tool calls in a row")]
    InvalidCalls(u32),
    /// The model's words are cut off again and again.
    #[error("the model's answer was cut off {0} times in a row: allow it more tokens")]
    CutOff(u32),
    /// Nothing can be kept, so nothing is done.
    #[error("{0}")]
    History(#[from] HistoryError),
    /// The hub does not take the question.
    #[error("the question could not be asked: {0}")]
    Hub(String),
}

impl RunError {
    /// The reason as one word, for programs.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::NoPrompt => "no_prompt",
            Self::Model(_) => "model",
            Self::Refused => "refused",
            Self::Turns(_) => "turns",
            Self::AsksUsedUp(_) => "asks_used_up",
            Self::InvalidCalls(_) => "invalid_calls",
            Self::CutOff(_) => "cut_off",
            Self::History(_) => "history",
            Self::Hub(_) => "hub",
        }
    }
}

impl Serialize for RunError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut error = serializer.serialize_struct("Error", 2)?;
        error.serialize_field("kind", self.kind())?;
        error.serialize_field("message", &self.to_string())?;
        error.end()
    }
}
