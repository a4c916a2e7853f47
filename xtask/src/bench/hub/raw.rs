//! SQLite alone, through `xtask/bench/hub/raw.py`.
//!
//! In Python because its module is a thin skin over the same C library, while the hub's own driver is
//! part of what is measured.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use tempfile::TempDir;

use super::subject::directory;
use crate::tools::root;

/// What SQLite alone needed for everything a hub has stored.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Replay {
    pub(crate) asks: f64,
    /// How many commits the hub made of it.
    pub(crate) commits: f64,
    /// In the hub's own batches.
    pub(crate) batched_seconds: f64,
    /// With one commit for each ask.
    pub(crate) single_seconds: f64,
}

impl Replay {
    pub(crate) fn of(python: &Path, hub: &Path) -> Result<Self> {
        let directory = directory()?;
        let output = command(python, "replay", hub, &directory).output()?;
        ensure!(output.status.success(), "raw.py: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).context("raw.py said something else")
    }
}

/// SQLite doing the two commits of an exchange whenever it is told to.
pub(crate) struct Commits {
    child: Child,
    orders: ChildStdin,
    times: BufReader<ChildStdout>,
    _directory: TempDir,
}

impl Commits {
    pub(crate) fn like(python: &Path, hub: &Path) -> Result<Self> {
        let directory = directory()?;
        let mut child = command(python, "commits", hub, &directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let orders = child.stdin.take().context("no standard input")?;
        let times = BufReader::new(child.stdout.take().context("no standard output")?);
        let mut commits = Self { child, orders, times, _directory: directory };
        let ready = commits.line()?;
        ensure!(ready.trim() == "ready", "raw.py said {ready}");
        Ok(commits)
    }

    /// The two commits of one exchange, and how long they took together.
    pub(crate) fn two(&mut self) -> Result<Duration> {
        self.orders.write_all(b"\n")?;
        let line = self.line()?;
        let times: Result<Vec<u64>, _> = line.split_whitespace().map(str::parse).collect();
        Ok(Duration::from_nanos(times?.iter().sum()))
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.times.read_line(&mut line)?;
        Ok(line)
    }
}

impl Drop for Commits {
    fn drop(&mut self) {
        // It may be gone already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(python: &Path, how: &str, hub: &Path, directory: &TempDir) -> Command {
    let mut command = Command::new(python);
    command.arg(root().join("xtask/bench/hub/raw.py")).arg(how).arg(hub);
    command.arg(directory.path().join("raw.db"));
    command
}
