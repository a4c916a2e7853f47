//! Why settings are left alone.

/// What is wrong with settings that we do not dare to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// It is not JSON, to the letter: comments and trailing commas are not, either.
    #[error("not valid JSON: {reason} at line {line}, column {column}")]
    Invalid {
        /// What is wrong.
        reason: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
    },
    /// Something we have to look into is of another kind.
    #[error("{place} is {found}, {needed} needed")]
    Kind {
        /// Where: `the top level`, `hooks`, `hooks.Stop`.
        place: String,
        /// What is there.
        found: &'static str,
        /// What should be.
        needed: &'static str,
    },
    /// A name that is there twice: which of the two counts is anybody's guess.
    #[error("{place} is there {times} times")]
    Repeated {
        /// Which name.
        place: String,
        /// How often.
        times: usize,
    },
}
