//! A program with pipes, whose words can be waited for.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::PATIENCE;

/// Stops a process, and waits until every thread of it stands still: on a busy machine some run on for a
/// while after the signal.
pub fn pause(pid: u32) {
    let process = Pid::from_raw(pid.cast_signed()).expect("the number of a process");
    kill_process(process, Signal::STOP).expect("the process is there");
    let start = Instant::now();
    while !is_paused(pid) {
        assert!(start.elapsed() < PATIENCE, "process {pid} does not stop");
        thread::sleep(Duration::from_millis(1));
    }
}

fn is_paused(pid: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).expect("the process is there");
    threads.flatten().all(|thread| {
        let stat = fs::read_to_string(thread.path().join("stat"));
        // A thread without one has ended.
        stat.map_or(true, |stat| {
            stat.rsplit_once(") ").is_some_and(|(_, it)| it.starts_with(['T', 'Z']))
        })
    })
}

/// A running program. It is killed when this is dropped.
#[derive(Debug)]
pub struct Program {
    child: Child,
    stdout: Heard,
    stderr: Heard,
}

/// What a program that has ended left behind.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

impl Program {
    /// A command with a clean environment, at home in `directory`.
    #[must_use]
    pub fn command(program: impl AsRef<Path>, directory: &Path) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .env_clear()
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", directory)
            .env("LANG", "C.UTF-8")
            .current_dir(directory);
        command
    }

    /// Starts a command and gives it `input`.
    #[must_use]
    pub fn spawn(command: &mut Command, input: &str) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let mut stdin = child.stdin.take().expect("standard input is a pipe");
        let input = input.to_owned();
        // Beside: it may not read before it has written, or not at all.
        thread::spawn(move || stdin.write_all(input.as_bytes()));
        let stdout = Heard::from(child.stdout.take().expect("standard output is a pipe"));
        let stderr = Heard::from(child.stderr.take().expect("standard error is a pipe"));
        Self { child, stdout, stderr }
    }

    /// Runs a command to its end.
    pub fn run(command: &mut Command) -> Ended {
        Self::spawn(command, "").wait_exit()
    }

    /// Its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has written to standard error so far.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.stderr.lock().text.clone()
    }

    /// Waits for a line on standard output; `None` when it ends without one.
    #[must_use]
    pub fn first_line(&self) -> Option<String> {
        match self.stdout.wait(|text, closed| closed || text.contains('\n')) {
            Ok(text) => text.split_once('\n').map(|(line, _)| line.to_owned()),
            Err((why, text)) => panic!("no line ({why}); it said: {text}{}", self.stderr()),
        }
    }

    /// Waits until `text` is on standard error, and returns all that is.
    #[expect(clippy::must_use_candidate, reason = "waiting is the point; the text is a courtesy")]
    pub fn wait_stderr(&self, text: &str) -> String {
        match self.stderr.wait(|said, _| said.contains(text)) {
            Ok(said) => said,
            Err((why, said)) => panic!("no {text:?} ({why}); it said:\n{said}"),
        }
    }

    /// What it has written to standard output so far.
    #[must_use]
    pub fn stdout(&self) -> String {
        self.stdout.lock().text.clone()
    }

    /// Waits until standard output is as described, and returns it.
    pub fn wait_stdout(&self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        match self.stdout.wait(|said, _| holds(said)) {
            Ok(said) => said,
            Err((why, said)) => panic!("no {what} ({why}); it said:\n{said}{}", self.stderr()),
        }
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("the program can be waited for").is_some()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.pid()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(pid, signal).expect("the program takes signals");
    }

    /// Ends it without any warning (SIGKILL), and waits until it is gone.
    #[must_use]
    pub fn kill(mut self) -> Ended {
        self.child.kill().expect("the program can be killed");
        self.wait_exit()
    }

    /// Waits for its end, and for the last of its words.
    #[must_use]
    pub fn wait_exit(mut self) -> Ended {
        // Its pipes close when it ends, unless a child of its own keeps them.
        let said = |heard: &Heard| match heard.wait(|_, closed| closed) {
            Ok(text) => text,
            Err((why, text)) => panic!("it has not ended ({why}); it said:\n{text}"),
        };
        let (stdout, stderr) = (said(&self.stdout), said(&self.stderr));
        let status = self.child.wait().expect("the program can be waited for");
        Ended { status, stdout, stderr }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended long ago.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came out of a pipe so far.
#[derive(Debug, Clone)]
struct Heard(Arc<(Mutex<Said>, Condvar)>);

#[derive(Debug, Default)]
struct Said {
    bytes: Vec<u8>,
    text: String,
    closed: bool,
}

impl Heard {
    fn from(mut pipe: impl Read + Send + 'static) -> Self {
        let heard = Self(Arc::default());
        let sink = heard.clone();
        thread::spawn(move || {
            let mut buf = [0; 4096];
            loop {
                let read = pipe.read(&mut buf).unwrap_or(0);
                let mut said = sink.lock();
                said.bytes.extend_from_slice(&buf[..read]);
                said.text = String::from_utf8_lossy(&said.bytes).into_owned();
                said.closed = read == 0;
                sink.0.1.notify_all();
                if read == 0 {
                    return;
                }
            }
        });
        heard
    }

    fn lock(&self) -> MutexGuard<'_, Said> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, holds: impl Fn(&str, bool) -> bool) -> Result<String, (&'static str, String)> {
        let start = Instant::now();
        let mut said = self.lock();
        loop {
            if holds(&said.text, said.closed) {
                return Ok(said.text.clone());
            }
            let left = PATIENCE.saturating_sub(start.elapsed());
            if said.closed {
                return Err(("the program has ended", said.text.clone()));
            }
            if left.is_zero() {
                return Err(("waited long enough", said.text.clone()));
            }
            said = self.0.1.wait_timeout(said, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
