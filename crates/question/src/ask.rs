//! One request of an agent: one or more questions, ended by one resolution.

use serde_json::value::RawValue;

use crate::{Fields, Limits, Question, Violation, Violations, read};

/// Questions an agent asked together, within the limits they were read under.
///
/// At least one question; no two with the same text; no question with two equal labels.
#[derive(Debug, Clone)]
pub struct Ask {
    pub(crate) questions: Vec<Question>,
    pub(crate) as_sent: Box<RawValue>,
    pub(crate) metadata: Option<Box<RawValue>>,
    pub(crate) unknown: Fields,
}

/// An ask that was read, and what could be better about it.
#[derive(Debug, Clone)]
pub struct Reading {
    /// What was asked.
    pub ask: Ask,
    /// Advice to the asker; nothing in it stops the ask.
    pub warnings: Vec<Violation>,
}

impl Ask {
    /// Reads the input of an `AskUserQuestion` call.
    ///
    /// Fields this crate does not know are kept; `answers` and `annotations` that the asker wrote
    /// itself are dropped, because only a person answers.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the input, at once.
    pub fn read(json: &[u8], limits: &Limits) -> Result<Reading, Violations> {
        read::read(json, limits)
    }

    /// The questions, at least one.
    #[must_use]
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// The `questions` array as JSON, byte for byte as the agent sent it.
    #[must_use]
    pub fn as_sent(&self) -> &RawValue {
        &self.as_sent
    }

    /// The agent's `metadata` object as JSON, byte for byte as the agent sent it, if it sent one.
    #[must_use]
    pub fn metadata(&self) -> Option<&RawValue> {
        self.metadata.as_deref()
    }

    /// The same ask with this `metadata` beside its questions.
    #[must_use]
    pub fn with_metadata(self, metadata: Option<Box<RawValue>>) -> Self {
        Self { metadata, ..self }
    }

    /// Every other field beside them, kept as it came.
    #[must_use]
    pub fn unknown(&self) -> &Fields {
        &self.unknown
    }
}
