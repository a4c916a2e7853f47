//! What came of a call.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::call::Call;

/// What came of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// What the model reads.
    pub text: String,
    /// What the tool gave back. Null when it is larger than any answer.
    pub result: Value,
    /// Whether it was denied, by whomever.
    pub denied: bool,
    /// Whether a person refused.
    pub rejected: bool,
    /// Whether the model reads it as an error.
    pub failed: bool,
    /// When it was written down.
    pub at: Option<Timestamp>,
    /// Who let the call pass or stopped it, in Claude Code's own word.
    pub decided_by: Option<String>,
    /// After how many milliseconds Claude Code gave up waiting, if it did.
    pub timed_out: Option<u64>,
}

impl Outcome {
    /// How long a call waited for this, by its own two times.
    #[must_use]
    pub fn waited(&self, call: &Call) -> Option<SignedDuration> {
        Some(self.at?.duration_since(call.asked_at?))
    }
}
