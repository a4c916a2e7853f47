//! The servers that are measured: the hub, and the same exchange in Python.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use serde::Deserialize;
use tempfile::TempDir;

use crate::tools::{built, root, target};

/// A server that is up; it is killed and its files are removed when this is dropped.
pub(crate) struct Subject {
    pub(crate) http: SocketAddr,
    pub(crate) events: SocketAddr,
    pub(crate) agent: String,
    pub(crate) person: String,
    child: Child,
    directory: TempDir,
}

impl Subject {
    /// The release build, with a home of its own and no limit on how often one token may call.
    pub(crate) fn hub() -> Result<Self> {
        #[derive(Deserialize)]
        struct Greeting {
            url: String,
        }
        let directory = directory()?;
        let limits = "[limits]\nrequests_per_second = 4000000000\n";
        fs::write(directory.path().join("config.toml"), limits)?;
        let mut command = Command::new(built("release", "handraise"));
        command
            .args(["serve", "--json", "--listen", "127.0.0.1:0", "--data"])
            .arg(directory.path());
        let (child, line) = start(&mut command)?;
        let greeting: Greeting = serde_json::from_str(&line).context("no greeting")?;
        let address = greeting.url.strip_prefix("http://").unwrap_or(&greeting.url).parse()?;
        let token = |name: &str| {
            fs::read_to_string(directory.path().join(name)).map(|token| token.trim().to_owned())
        };
        let (agent, person) = (token("agent.token")?, token("person.token")?);
        Ok(Self { http: address, events: address, agent, person, child, directory })
    }

    /// `xtask/bench/hub/server.py`.
    pub(crate) fn python(python: &Path) -> Result<Self> {
        #[derive(Deserialize)]
        struct Greeting {
            http: SocketAddr,
            events: SocketAddr,
        }
        let directory = directory()?;
        let mut command = Command::new(python);
        command.arg(root().join("xtask/bench/hub/server.py")).arg(directory.path().join("asks.db"));
        let (child, line) = start(&mut command)?;
        let Greeting { http, events } = serde_json::from_str(&line).context("no greeting")?;
        let (agent, person) = ("agent".into(), "person".into());
        Ok(Self { http, events, agent, person, child, directory })
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.directory.path().join("handraise.db")
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        // It may be gone already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// On the disk where the repository is: a temporary directory may be in memory.
pub(crate) fn directory() -> Result<TempDir> {
    let place = target().join("bench");
    fs::create_dir_all(&place)?;
    tempfile::tempdir_in(&place).with_context(|| format!("cannot write in {}", place.display()))
}

/// Starts a program and waits for its first line.
fn start(command: &mut Command) -> Result<(Child, String)> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let mut line = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out).read_line(&mut line)?;
    }
    Ok((child, line))
}
