//! Why settings are left alone.

/// What is wrong with settings that we do not dare to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// It is not what its program reads, to the letter.
    #[error("not valid {format}: {reason} at line {line}, column {column}")]
    Invalid {
        /// What it should be: `JSON`, `TOML`.
        format: &'static str,
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
    /// What we would write is there already, and is not ours.
    #[error("{place} is there already and runs another program")]
    Taken {
        /// Where.
        place: String,
    },
    /// It is written in a way that we do not change.
    #[error("{place} is {found}, which Handraise does not change")]
    Unusual {
        /// Where.
        place: String,
        /// How it is written.
        found: &'static str,
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
