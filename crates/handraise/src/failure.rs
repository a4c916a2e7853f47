//! Exit codes, and errors with the code they end in.

use std::fmt::{self, Display};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use handraise_question::{Resolution, Violations};

/// How a command ended, as its caller sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Answered = 0,
    Internal = 1,
    BadInput = 2,
    Declined = 3,
    NoAnswer = 4,
    Withdrawn = 5,
    NowhereToAsk = 6,
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<&Resolution> for Exit {
    fn from(resolution: &Resolution) -> Self {
        match resolution {
            Resolution::Answered(_) => Self::Answered,
            Resolution::Declined { .. } | Resolution::Discuss { .. } => Self::Declined,
            Resolution::NoAnswer { .. } => Self::NoAnswer,
            Resolution::Withdrawn { .. } => Self::Withdrawn,
        }
    }
}

/// An error, the code it ends in, and what to do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    error: anyhow::Error,
    details: Vec<String>,
    hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self { exit, error: error.into(), details: vec![], hint: None }
    }

    /// A file, or the directory it belongs in, that cannot be written to.
    pub(crate) fn unwritable(path: &Path, error: io::Error) -> Self {
        let kind = error.kind();
        let hint = if matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded) {
            Some("make room on that disk")
        } else if matches!(kind, ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied) {
            Some("make it writable, or name another home with --data DIR")
        } else {
            None
        };
        let context = format!("cannot write {}", path.display());
        let failure = Self::new(Exit::Internal, anyhow::Error::new(error).context(context));
        Self { hint: hint.map(str::to_owned), ..failure }
    }

    /// A file that could not be written whole, and so was not written at all; `elsewhere` says how to name
    /// another.
    pub(crate) fn unwritten(path: &Path, error: io::Error, elsewhere: &str) -> Self {
        let kind = error.kind();
        let stays = "what is there stays as it was";
        let hint = if matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded) {
            format!("make room on that disk, or {elsewhere}; {stays}")
        } else if matches!(kind, ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied) {
            format!("make its directory writable, or {elsewhere}; {stays}")
        } else {
            format!("{elsewhere}; {stays}")
        };
        Self::unwritable(path, error).hint(hint)
    }

    /// What is wrong with the input from `source`, line by line.
    pub(crate) fn bad_input(source: impl Display, violations: &Violations) -> Self {
        let details: Vec<_> = violations.as_slice().iter().map(ToString::to_string).collect();
        let what = if details.len() == 1 { "problem" } else { "problems" };
        let error = anyhow::anyhow!("{} {what} in {source}", details.len());
        Self { exit: Exit::BadInput, error, details, hint: None }
    }

    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.details.push(detail.into());
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same, where nothing better is known.
    pub(crate) fn or_hint(self, hint: impl Into<String>) -> Self {
        if self.hint.is_some() { self } else { self.hint(hint) }
    }

    /// The same, found out before anything was done.
    pub(crate) fn nothing_changed(self) -> Self {
        let hint = match self.hint {
            Some(hint) => format!("{hint}; nothing was changed"),
            None => "nothing was changed".to_owned(),
        };
        Self { exit: Exit::BadInput, hint: Some(hint), ..self }
    }

    /// Whether the reader of what is printed has seen enough.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        let error = self.error.downcast_ref::<io::Error>();
        error.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    }

    /// All of it, as it is said.
    pub(crate) fn lines(&self) -> Vec<String> {
        let error = format!("error: {:#}", self.error);
        let details = self.details.iter().map(|detail| format!("  {detail}"));
        let hint = self.hint.iter().map(|hint| format!("hint: {hint}"));
        std::iter::once(error).chain(details).chain(hint).collect()
    }

    /// Says what went wrong on standard error.
    pub(crate) fn report(self) -> ExitCode {
        self.lines().iter().for_each(|line| say(line));
        self.exit.into()
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.error)?;
        self.details.iter().try_for_each(|detail| write!(f, "; {}", detail.trim()))
    }
}

/// Says something on standard error, made visible: it may name files, and file names are anybody's.
pub(crate) fn say(text: &str) {
    // If standard error is gone there is nobody left to tell, and the exit code still tells.
    let _ = writeln!(io::stderr(), "{}", handraise_terminal::visible(text));
}
