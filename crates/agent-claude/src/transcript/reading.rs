//! One file, read on from where it was left.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::call::Call;
use super::calls::Calls;
use super::line::{self, Told};
use super::opened;
use super::outcome::Outcome;
use super::sieve::{Sifted, sift};
use super::window::Window;

/// So many bytes before the place where reading goes on are remembered: if they are others now, the file
/// was written anew.
const REMEMBERED: usize = 64;

/// What was found in a file.
#[derive(Debug, Clone)]
pub enum Found {
    /// A question was asked.
    Asked(Arc<Call>),
    /// This came of a question.
    Settled(Arc<Call>, Outcome),
    /// The file was replaced or cut: all before is forgotten, and it is read from its beginning.
    Restarted,
}

/// One transcript, and how far it was read.
#[derive(Debug)]
pub struct Reading {
    path: PathBuf,
    /// Device and inode.
    file: Option<(u64, u64)>,
    offset: u64,
    last: Vec<u8>,
    window: Window,
    calls: Calls,
    senseless: u64,
}

impl Reading {
    /// Nothing is read yet.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: None,
            offset: 0,
            last: vec![],
            window: Window::default(),
            calls: Calls::default(),
            senseless: 0,
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The calls without a result, in the order of the file.
    #[must_use]
    pub fn pending(&self) -> &[Arc<Call>] {
        self.calls.pending()
    }

    /// How many lines could have spoken of a question and were passed over: too long, or not JSON.
    #[must_use]
    pub fn lines_passed_over(&self) -> u64 {
        self.window.passed_over() + self.senseless
    }

    /// Reads what was appended since the last time; all of it, the first time. Costs what was appended.
    /// A line that is not whole yet waits for its end.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened or read. What was found until then stands, and the next time goes
    /// on from there.
    pub fn catch_up(&mut self, mut found: impl FnMut(Found)) -> io::Result<()> {
        let (mut file, metadata) = opened::open(&self.path)?;
        if self.is_another(&mut file, &metadata)? {
            *self = Self::new(std::mem::take(&mut self.path));
            found(Found::Restarted);
        }
        self.file = Some((metadata.dev(), metadata.ino()));
        // Not more than there is now: somebody may write faster than anybody reads.
        let appended = metadata.len().saturating_sub(self.offset);
        if appended == 0 {
            return Ok(());
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut sifting =
            Sifting { calls: &mut self.calls, senseless: &mut self.senseless, found: &mut found };
        let last = &mut self.last;
        let (read, result) = self.window.pass(
            &mut file,
            appended,
            |lines| sift(lines, &mut sifting),
            |new| remember(last, new),
        );
        self.offset += read;
        result
    }

    /// Whether this is not the file that was read before, or no longer what it was.
    fn is_another(&self, file: &mut File, metadata: &Metadata) -> io::Result<bool> {
        if self.offset == 0 {
            return Ok(false);
        }
        let same = self.file == Some((metadata.dev(), metadata.ino()));
        if !same || metadata.len() < self.offset {
            return Ok(true);
        }
        file.seek(SeekFrom::Start(self.offset - self.last.len() as u64))?;
        let mut last = vec![];
        file.take(self.last.len() as u64).read_to_end(&mut last)?;
        Ok(last != self.last)
    }
}

/// Keeps the last bytes of all that was read.
fn remember(last: &mut Vec<u8>, new: &[u8]) {
    last.extend_from_slice(&new[new.len().saturating_sub(REMEMBERED)..]);
    last.drain(..last.len().saturating_sub(REMEMBERED));
}

struct Sifting<'a, F> {
    calls: &'a mut Calls,
    senseless: &'a mut u64,
    found: &'a mut F,
}

impl<F: FnMut(Found)> Sifted for Sifting<'_, F> {
    fn waits(&self) -> bool {
        !self.calls.pending().is_empty()
    }

    fn waits_for(&self, id: &[u8]) -> bool {
        str::from_utf8(id).is_ok_and(|id| self.calls.is_pending(id))
    }

    fn take(&mut self, line: &[u8]) {
        let found = &mut *self.found;
        let understood = str::from_utf8(line).is_ok_and(|line| {
            line::tell(line, self.calls, Calls::is_pending, |calls, told| match told {
                Told::Call(call) => {
                    if let Some(call) = calls.asked(call) {
                        found(Found::Asked(call));
                    }
                }
                Told::Result(id, outcome) => {
                    if let Some(call) = calls.settled(&id) {
                        found(Found::Settled(call, outcome));
                    }
                }
            })
        });
        *self.senseless += u64::from(!understood);
    }
}

#[cfg(test)]
#[path = "reading_tests.rs"]
mod tests;
