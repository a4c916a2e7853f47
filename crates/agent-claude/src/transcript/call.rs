//! A question that was asked.

use std::path::PathBuf;

use jiff::Timestamp;
use serde_json::value::RawValue;

use super::picked::{each, pick};
use crate::stream::fields::text;

/// No hub takes more questions at once.
const MOST_QUESTIONS: usize = 20;

/// One call of the tool that asks a person.
#[derive(Debug, Clone)]
pub struct Call {
    /// The id of the call.
    pub id: String,
    /// The session that says it asked. A session that was forked repeats what it was forked from.
    pub session: Option<String>,
    /// Where that session worked.
    pub cwd: Option<PathBuf>,
    /// When it was written down.
    pub asked_at: Option<Timestamp>,
    /// The questions, byte for byte as written; `null` when the model gave none.
    pub questions: Box<RawValue>,
    /// The metadata beside them, byte for byte as written, if a hub keeps such metadata.
    pub metadata: Option<Box<RawValue>>,
    /// Whether an agent of the agent asked. Today's Claude Code does not let them.
    pub sidechain: bool,
    /// How Claude Code was started: `cli` at a terminal, `sdk-…` by a program.
    pub entrypoint: Option<String>,
}

impl Call {
    /// The texts of the questions, at most twenty; of one that makes no sense, an empty one.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let mut texts = vec![];
        each(self.questions.get(), |question| {
            if texts.len() < MOST_QUESTIONS {
                let asked = pick(question.get(), ["question"]).and_then(|[asked]| asked);
                texts.push(asked.and_then(text).unwrap_or_default());
            }
        });
        texts
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let metadata = self.metadata.as_ref().map_or(0, |metadata| metadata.get().len());
        size_of::<Self>() + self.id.len() + self.questions.get().len() + metadata
    }
}
