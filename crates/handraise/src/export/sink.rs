//! Where an export goes.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Stdout, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::ELSEWHERE;
use crate::failure::{Exit, Failure};
use crate::whole_file::WholeFile;

/// Standard output, or a file that is written whole or not at all.
pub(super) enum Sink {
    Stdout { to: BufWriter<Stdout>, is_terminal: bool },
    File { to: WholeFile, path: PathBuf },
}

impl Sink {
    /// A file, which only its owner may read when it is new, or standard output.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else {
            let stdout = io::stdout();
            let is_terminal = stdout.is_terminal();
            return Ok(Self::Stdout { to: BufWriter::new(stdout), is_terminal });
        };
        let to = WholeFile::begin(path, 0o600);
        let to = to.map_err(|error| Failure::unwritten(path, error, ELSEWHERE))?;
        Ok(Self::File { to, path: path.to_owned() })
    }

    /// Writes a line; whoever reads may have seen enough.
    pub(super) fn line(&mut self, text: &str) -> Result<ControlFlow<()>, Failure> {
        match self {
            Self::Stdout { to, is_terminal: true } => {
                enough(writeln!(to, "{}", handraise_terminal::visible(text)))
            }
            Self::Stdout { to, is_terminal: false } => enough(writeln!(to, "{text}")),
            Self::File { to, path } => {
                let written = writeln!(to, "{text}");
                written.map_err(|error| Failure::unwritten(path, error, ELSEWHERE))?;
                Ok(ControlFlow::Continue(()))
            }
        }
    }

    /// Ends it.
    pub(super) fn close(self) -> Result<(), Failure> {
        match self {
            Self::Stdout { mut to, .. } => enough(to.flush()).map(|_| ()),
            Self::File { to, path } => {
                to.keep().map_err(|error| Failure::unwritten(&path, error, ELSEWHERE))
            }
        }
    }
}

/// A closed pipe is no failure.
fn enough(written: io::Result<()>) -> Result<ControlFlow<()>, Failure> {
    match written {
        Ok(()) => Ok(ControlFlow::Continue(())),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
        Err(error) => {
            let error = anyhow::Error::new(error).context("cannot write to standard output");
            Err(Failure::new(Exit::Internal, error))
        }
    }
}
