//! The process of an agent, and the pipes to it.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::below::groups_below;
use super::heard::Message;
use super::lines::{LONGEST_LINE, Line, Lines};

/// Tells whatever runs below that its questions have somebody who carries them.
const OWNER: &str = "HANDRAISE_OWNER";
/// How much of the last error output is kept.
const STDERR_KEPT: usize = 8 * 1024;
/// How many bytes may wait to be read by the process.
const MOST_WAITING: usize = 16 * 1024 * 1024;
/// How long pipes may stay open after the process has ended: somebody else may have them, too.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How long those it left behind may take to go before they are killed.
const LEFT_BEHIND: Duration = Duration::from_millis(500);
const TURN: Duration = Duration::from_millis(10);

/// What to start.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The program: a path, or a name that is looked for as usual.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// A program that becomes this one, and what it is called with before it.
    pub launcher: Vec<OsString>,
    /// The directory it works in.
    pub directory: PathBuf,
    /// What is added to its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// What is taken out of its environment.
    pub without: Vec<OsString>,
}

/// Why a program was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no such program.
    #[error("{} was not found", .0.display())]
    NotFound(OsString),
    /// It is there, but cannot be run.
    #[error("{} is not executable", .0.display())]
    NotExecutable(OsString),
    /// The directory it is to work in is not there.
    #[error("{} is no directory", .0.display())]
    NoDirectory(PathBuf),
    /// Anything else.
    #[error("{} cannot be started", program.display())]
    Other {
        /// The program.
        program: OsString,
        /// What the system says.
        #[source]
        error: io::Error,
    },
}

impl StartError {
    fn of(program: OsString, error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound {
            Self::NotFound(program)
        } else if error.kind() == io::ErrorKind::PermissionDenied {
            Self::NotExecutable(program)
        } else {
            Self::Other { program, error }
        }
    }
}

/// Why a line was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The process no longer reads, or has ended.
    #[error("the agent no longer reads")]
    Closed,
    /// The process is alive and does not read; as much waits for it as may.
    #[error("the agent does not read what it is sent")]
    Full,
    /// It cannot be written as JSON.
    #[error("it cannot be written as JSON")]
    Json(#[from] serde_json::Error),
}

/// What came from the process.
#[derive(Debug)]
pub enum Heard {
    /// A line.
    Line(Message),
    /// A line that cannot be read. The lines after it can.
    Unreadable {
        /// Why, without quoting it.
        why: String,
    },
    /// Nothing more: the process is gone.
    Ended(ExitReport),
}

/// How a process ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExitReport {
    /// Its code, if it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The end of its error output. Holds whatever the process wrote: whoever draws it cleans it first.
    pub stderr: String,
}

/// A process in a group of its own, with pipes to all of its streams. When this is dropped, it is killed
/// with all that is below it. Only what it had put into another session before somebody else killed it
/// can be left behind.
///
/// Sending never waits: lines go to a task that writes them, in order. So a process that does not read
/// holds nobody up, and a line is never cut in half because somebody gave up waiting.
#[derive(Debug)]
pub struct Child {
    process: tokio::process::Child,
    group: Pid,
    lines: Option<Lines<ChildStdout>>,
    to: Option<mpsc::UnboundedSender<Waiting>>,
    room: Arc<Semaphore>,
    stderr: Arc<Mutex<Vec<u8>>>,
    draining: Option<JoinHandle<()>>,
    exited: Option<Exited>,
}

/// The process is gone, but maybe not all it has said, nor all it has started.
#[derive(Debug)]
struct Exited {
    status: ExitStatus,
    last_words: Instant,
    swept: Option<JoinHandle<()>>,
}

/// A line that was not written yet, and the room it takes.
struct Waiting {
    line: Vec<u8>,
    _room: OwnedSemaphorePermit,
}

impl Child {
    /// Starts a program. `HANDRAISE_OWNER=1` is added to its environment, so that hooks of ours keep
    /// out of it.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    #[expect(clippy::unused_async, reason = "needs a runtime; awaiting it makes sure of one")]
    pub async fn start(program: Program) -> Result<Self, StartError> {
        // The system says "not found" of the directory, too.
        if !program.directory.is_dir() {
            return Err(StartError::NoDirectory(program.directory));
        }
        // A launcher would say so in its own way.
        if program.program.to_string_lossy().contains('/') && !Path::new(&program.program).exists()
        {
            return Err(StartError::NotFound(program.program));
        }
        let mut words = program.launcher.iter().chain([&program.program]).chain(&program.arguments);
        let mut command = Command::new(words.next().unwrap_or(&program.program));
        command.args(words).current_dir(&program.directory);
        for name in &program.without {
            command.env_remove(name);
        }
        command.envs(program.environment).env(OWNER, "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0).kill_on_drop(true);
        let started = command.spawn().and_then(Self::of);
        started.map_err(|error| StartError::of(program.program, error))
    }

    fn of(mut process: tokio::process::Child) -> io::Result<Self> {
        let missing = || io::Error::other("the process has no pipes");
        let pid = process.id().and_then(|id| i32::try_from(id).ok());
        let group = pid.and_then(Pid::from_raw).ok_or_else(missing)?;
        let stdin = process.stdin.take().ok_or_else(missing)?;
        let stdout = process.stdout.take().ok_or_else(missing)?;
        let errors = process.stderr.take().ok_or_else(missing)?;
        let stderr = Arc::new(Mutex::new(vec![]));
        // Both tasks end with the pipe they serve.
        let draining = tokio::spawn(drain(errors, Arc::clone(&stderr)));
        let (to, waiting) = mpsc::unbounded_channel();
        tokio::spawn(write(waiting, stdin));
        Ok(Self {
            process,
            group,
            lines: Some(Lines::new(stdout, LONGEST_LINE)),
            to: Some(to),
            room: Arc::new(Semaphore::new(MOST_WAITING)),
            stderr,
            draining: Some(draining),
            exited: None,
        })
    }

    /// The number of the process, and of its group.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.group.as_raw_nonzero().get().unsigned_abs()
    }

    /// Sends one line of JSON. It is written as soon as the process reads.
    ///
    /// # Errors
    ///
    /// When the process does not, or will never, read it.
    pub fn send(&self, said: &impl Serialize) -> Result<(), SendError> {
        let mut line = serde_json::to_vec(said)?;
        line.push(b'\n');
        let to = self.to.as_ref().filter(|to| !to.is_closed()).ok_or(SendError::Closed)?;
        let size = u32::try_from(line.len()).map_err(|_| SendError::Full)?;
        let room = Arc::clone(&self.room).try_acquire_many_owned(size);
        let room = room.map_err(|_| SendError::Full)?;
        to.send(Waiting { line, _room: room }).map_err(|_| SendError::Closed)
    }

    /// Closes the pipe to the process, once all that waits is written. Most then end by themselves:
    /// [`Child::next`] tells what they still have to say.
    pub fn close(&mut self) {
        self.to = None;
    }

    /// What the process says next. After its end: its end, as often as it is asked for.
    ///
    /// Safe to be cancelled: nothing is lost.
    pub async fn next(&mut self) -> Heard {
        loop {
            if let Some(lines) = &mut self.lines {
                // A pipe that somebody else holds open would never end.
                let last_words = self.exited.as_ref().map(|exited| exited.last_words);
                let line = tokio::select! {
                    biased;
                    line = lines.next() => line,
                    status = self.process.wait(), if last_words.is_none() => {
                        self.note_exit(status);
                        continue;
                    }
                    () = sleep_until(last_words.unwrap_or_else(Instant::now)), if last_words.is_some() => Ok(None),
                };
                match line {
                    Ok(Some(Line::Whole(line))) if line.trim_ascii().is_empty() => {}
                    Ok(Some(Line::Whole(line))) => {
                        return match Message::read(&line) {
                            Ok(message) => Heard::Line(message),
                            Err(unreadable) => Heard::Unreadable { why: unreadable.to_string() },
                        };
                    }
                    Ok(Some(Line::TooLong { bytes })) => {
                        return Heard::Unreadable { why: format!("a line of {bytes} bytes") };
                    }
                    // Of a pipe that cannot be read there is nothing more to come.
                    Ok(None) | Err(_) => self.lines = None,
                }
                continue;
            }
            if self.exited.is_none() {
                let status = self.process.wait().await;
                self.note_exit(status);
            }
            return Heard::Ended(self.report().await);
        }
    }

    /// Ends the process: closes its input and gives it `patience` to end by itself; asks all of its
    /// group to end, and waits as long again; then kills all that is below it. What it still says is
    /// thrown away. Claude Code ends within 0.1 s when it has nothing to do, and took 1.4 s to end a
    /// shell command when it was asked to (measured).
    pub async fn end(mut self, patience: Duration) -> ExitReport {
        self.close();
        for signal in [Signal::TERM, Signal::KILL] {
            if let Ok(report) = timeout(patience, self.until_ended()).await {
                return report;
            }
            self.signal(signal);
        }
        self.until_ended().await
    }

    async fn until_ended(&mut self) -> ExitReport {
        loop {
            if let Heard::Ended(report) = self.next().await {
                return report;
            }
        }
    }

    fn signal(&self, signal: Signal) {
        // Once it is gone its number may be somebody else's.
        if self.exited.is_some() {
            return;
        }
        // Whoever is asked to end sees to its own; whoever is killed cannot.
        let mut groups = vec![self.group];
        if signal == Signal::KILL {
            groups.extend(groups_below(self.group));
        }
        for group in groups {
            // That it is gone is what was wanted.
            let _ = kill_process_group(group, signal);
        }
    }

    fn note_exit(&mut self, status: io::Result<ExitStatus>) {
        // Of a process nobody can wait for, nothing is known but that it is lost.
        let status = status.unwrap_or_else(|_| ExitStatus::from_raw(0x7f00));
        let swept = Some(tokio::spawn(sweep(self.group)));
        self.exited = Some(Exited { status, last_words: Instant::now() + LAST_WORDS, swept });
        self.to = None;
    }

    /// Waits until those the process left behind are gone, too. Safe to be cancelled.
    async fn report(&mut self) -> ExitReport {
        let Some(exited) = &mut self.exited else { return ExitReport::default() };
        if let Some(swept) = &mut exited.swept {
            // It cannot fail but with the runtime.
            let _ = swept.await;
            exited.swept = None;
        }
        if let Some(draining) = &mut self.draining {
            if timeout(LAST_WORDS, &mut *draining).await.is_err() {
                draining.abort();
            }
            self.draining = None;
        }
        let stderr = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        ExitReport {
            code: exited.status.code(),
            signal: exited.status.signal(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

/// Ends those of a group that outlive its first process. The group's number is theirs as long as one of
/// them is there, so nobody else can be hit.
async fn sweep(group: Pid) {
    let _ = kill_process_group(group, Signal::TERM);
    let start = Instant::now();
    while test_kill_process_group(group).is_ok() {
        if start.elapsed() >= LEFT_BEHIND {
            let _ = kill_process_group(group, Signal::KILL);
            return;
        }
        sleep(TURN).await;
    }
}

async fn write(mut waiting: mpsc::UnboundedReceiver<Waiting>, mut stdin: ChildStdin) {
    while let Some(next) = waiting.recv().await {
        // Whoever sends next learns that nobody reads.
        if stdin.write_all(&next.line).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

/// Reads error output for as long as there is any: a process whose pipe is full would stand still.
async fn drain(mut from: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let mut piece = vec![0; STDERR_KEPT];
    while let Ok(length @ 1..) = from.read(&mut piece).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&piece[..length]);
        let surplus = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..surplus);
    }
}

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;
