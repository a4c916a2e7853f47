//! How an ask at the terminal ends.

use std::io;

use handraise_question::Resolution;

use crate::prompt::Unsent;

/// How a prompt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The ask has its resolution.
    Resolved(Resolution),
    /// It was closed from elsewhere, through a [`Remote`](crate::Remote). The person may have been
    /// at work on an answer.
    Closed(Unsent),
    /// Ctrl-C.
    Interrupted,
    /// This signal asked the process to end. The terminal is restored; the rest is the caller's.
    Signalled(i32),
}

/// Why a question could not be put on the terminal.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// The process has no terminal.
    #[error("there is no terminal to ask on")]
    None(#[source] io::Error),
    /// The terminal failed or went away.
    #[error("the terminal went away before the question was answered")]
    Lost(#[source] io::Error),
}
