//! What a person has ticked and typed so far: theirs alone.

use handraise_question::{AnswerForm, Violation, Violations};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An unfinished answer. It never becomes an event and is never exported; others see only that
/// somebody is typing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Draft {
    /// Grows with every change, so that of two devices the one that is behind is told so.
    pub version: u64,
    /// One for each question that was touched; unlike an answer it may be anything.
    pub answers: Vec<AnswerForm>,
    /// What is typed beside the answers: a reason to decline, words to talk first, a word with a
    /// decision.
    pub message: Option<String>,
    /// An approval's input while it is edited: text, which need not be JSON yet.
    pub input: Option<String>,
}

/// A draft with the time it last changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDraft {
    /// What was kept.
    pub draft: Draft,
    /// When somebody last typed.
    pub at: Timestamp,
}

impl Draft {
    const MOST_ANSWERS: usize = 20;
    const MOST_BYTES: usize = 512 * 1024;

    /// Checks the size alone: half an answer need not make sense.
    ///
    /// # Errors
    ///
    /// When it is larger than any answer could become.
    pub fn check(self) -> Result<Self, Violations> {
        let mut violations = vec![];
        if self.answers.len() > Self::MOST_ANSWERS {
            let found = format!("{} answers", self.answers.len());
            let allowed = format!("{} or fewer", Self::MOST_ANSWERS);
            violations.push(Violation::new("answers", found, allowed));
        }
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let answers = self.answers.iter().map(|form| {
            let labels: usize = form.selected.iter().map(String::len).sum();
            labels + text(&form.words) + text(&form.notes)
        });
        let bytes = answers.sum::<usize>() + text(&self.message) + text(&self.input);
        if bytes > Self::MOST_BYTES {
            let allowed = format!("{} or fewer", Self::MOST_BYTES);
            violations.push(Violation::new("draft", format!("{bytes} bytes"), allowed));
        }
        if self.version == 0 || i64::try_from(self.version).is_err() {
            violations.push(Violation::new("version", "out of range", "1 or more"));
        }
        Violations::none_or(violations, || self)
    }
}
