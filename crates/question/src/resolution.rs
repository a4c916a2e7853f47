//! How an ask ends.

use crate::{Answers, OwnWords};

/// The one end of an ask. Only [`Resolution::Answered`] holds a choice: [`Answers`] to questions,
/// or the [`Decision`](crate::Decision) on an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution<A = Answers> {
    /// Every question is answered, or left open on purpose.
    Answered(A),
    /// The person will not answer.
    Declined {
        /// Why, if they said so.
        reason: Option<OwnWords>,
    },
    /// The person wants to talk before answering.
    Discuss {
        /// What they want to say first.
        words: OwnWords,
    },
    /// The deadline passed. Silence is neither a choice nor consent.
    NoAnswer {
        /// How long the question waited.
        after_seconds: u64,
    },
    /// The agent left, or took the question back.
    Withdrawn {
        /// Why, if it is known.
        reason: Option<OwnWords>,
    },
}
