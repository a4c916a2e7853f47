//! That an agent went on with an answer that no person gave.

use handraise_question::{OwnWords, Violation, Violations};
use serde::{Deserialize, Serialize};

/// Why whoever watches an agent doubts that a person gave the answer it went on with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Doubt {
    /// What gave it away.
    pub kind: DoubtKind,
    /// The same in a sentence for a person.
    pub why: String,
}

/// What gives away an answer that nobody gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoubtKind {
    /// There is nothing in it.
    Empty,
    /// It came before anybody could have read the question.
    TooFast,
    /// It stands for silence: the agent waited no longer.
    TimedOut,
    /// No dialog was seen in which anybody could have given it.
    FromNowhere,
}

impl DoubtKind {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooFast => "too_fast",
            Self::TimedOut => "timed_out",
            Self::FromNowhere => "from_nowhere",
        }
    }
}

impl Doubt {
    /// The most characters of the sentence.
    pub const LONGEST: usize = 2_000;

    /// The doubt, if its sentence is one: words as a person may type them, and not too many.
    ///
    /// # Errors
    ///
    /// What is wrong with the sentence.
    pub(crate) fn check(self) -> Result<Self, Violations> {
        const PATH: &str = "doubt.why";
        let characters = self.why.chars().count();
        if characters > Self::LONGEST {
            let allowed = format!("{} or fewer", Self::LONGEST);
            return Err(Violation::new(PATH, format!("{characters} characters"), allowed).into());
        }
        let why = OwnWords::read(PATH, self.why)?.into_string();
        Ok(Self { why, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn because(why: &str) -> Doubt {
        Doubt { kind: DoubtKind::TooFast, why: why.into() }
    }

    #[test]
    fn a_doubt_says_why_in_words_that_steer_no_terminal() {
        for why in ["", "  ", "\u{1b}[2J", &"ä".repeat(Doubt::LONGEST + 1)] {
            assert!(because(why).check().is_err(), "{why:?}");
        }
        for why in ["The answer came after 0.2 s.", &"ä".repeat(Doubt::LONGEST)] {
            assert_eq!(because(why).check(), Ok(because(why)));
        }
    }

    #[test]
    fn each_kind_has_a_stable_name() {
        for (kind, name) in [
            (DoubtKind::Empty, "empty"),
            (DoubtKind::TooFast, "too_fast"),
            (DoubtKind::TimedOut, "timed_out"),
            (DoubtKind::FromNowhere, "from_nowhere"),
        ] {
            assert_eq!(serde_json::to_value(kind).unwrap(), name);
        }
    }
}
