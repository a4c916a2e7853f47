//! tmux, as a program that is run.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::timeout;

/// How long tmux may take over one command: it is asked on this machine, by a socket.
const PATIENCE: Duration = Duration::from_secs(5);

/// A tmux server, by its socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Server(PathBuf);

impl Server {
    pub(super) fn at(socket: &Path) -> Self {
        Self(socket.to_owned())
    }

    /// Gives it a command; what it says, or why it did not take it.
    pub(super) async fn run(&self, args: &[&str], input: Option<&str>) -> Result<String, String> {
        let mut command = Command::new("tmux");
        command
            .arg("-S")
            .arg(&self.0)
            .args(args)
            // Its own idea of where it is would be about another pane.
            .env_remove("TMUX")
            .env_remove("TMUX_PANE")
            // What is on the screen is UTF-8, whatever the language of this process.
            .env("LC_ALL", "C.UTF-8")
            .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| format!("tmux cannot be run: {error}"))?;
        if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
            let written = timeout(PATIENCE, stdin.write_all(input.as_bytes())).await;
            written.map_err(|_| SLOW)?.map_err(|error| format!("tmux does not listen: {error}"))?;
        }
        let output = timeout(PATIENCE, child.wait_with_output()).await.map_err(|_| SLOW)?;
        let output = output.map_err(|error| format!("tmux cannot be run: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("tmux says: {}", said.trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

const SLOW: &str = "tmux does not answer";
