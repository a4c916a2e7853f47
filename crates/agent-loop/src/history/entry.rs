//! One thing a history holds.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ToolResult, Turn};

/// One thing that was said, done, asked or answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Entry {
    /// The person said something to the model.
    Prompt {
        /// Their words.
        text: String,
    },
    /// The model said something, and perhaps calls tools.
    Turn(Turn),
    /// A call begins: from here on it may have taken effect.
    Started {
        /// The call.
        call: String,
    },
    /// A person is about to be asked.
    Asked {
        /// Names the ask.
        id: String,
        /// The call that asks.
        call: String,
        /// The questions, JSON as they were sent.
        questions: String,
    },
    /// An ask has ended.
    Resolved {
        /// The ask.
        id: String,
        /// How: the lossless form.
        resolution: Value,
    },
    /// The model was told that it must not ask any more.
    UsedUp {
        /// The call that asked.
        call: String,
    },
    /// A call is over.
    Result {
        /// The call.
        call: String,
        /// What came of it.
        result: ToolResult,
        /// Whether the call could not be made at all.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        invalid: bool,
    },
    /// The loop itself said something to the model.
    Note {
        /// Its words.
        text: String,
    },
}
