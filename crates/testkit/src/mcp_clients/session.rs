//! A session of an agent in a terminal.

use std::path::Path;
use std::thread;
use std::time::Duration;

use super::McpClient;
use crate::{PATIENCE, Tmux};

/// Gemini CLI takes an Enter that follows another key within 30 ms for a part of a paste, and sends
/// nothing (read in its package).
const PASTE_GUARD: Duration = Duration::from_millis(200);

/// An agent in a terminal. It ends with its home.
#[derive(Debug)]
pub struct McpSession {
    client: McpClient,
    tmux: Tmux,
}

impl McpSession {
    pub(super) fn start(
        client: McpClient,
        program: &[String],
        environment: &[(String, String)],
        project: &Path,
    ) -> Self {
        let tmux = Tmux::start(project, (120, 50));
        tmux.run(&["set", "-g", "remain-on-exit", "on"]);
        let variables = environment.iter().map(|(name, value)| format!("{name}={value}"));
        let start = ["new-window", "-c", &project.display().to_string(), "env", "-i"];
        let mut line: Vec<_> = start.map(str::to_owned).into();
        line.extend(["TERM=tmux-256color".to_owned()].into_iter().chain(variables));
        line.extend(program.iter().cloned());
        line.extend(match client {
            // Its daemon would outlive it.
            McpClient::Codex => vec!["--no-daemon".to_owned()],
            McpClient::Opencode | McpClient::Gemini => vec![],
        });
        tmux.run(&line.iter().map(String::as_str).collect::<Vec<_>>());
        let session = Self { client, tmux };
        let ready = |screen: &str| screen.contains(session.sign());
        // opencode needs seconds of a processor before it shows anything.
        session.tmux.wait_patiently("place for a prompt", 4 * PATIENCE, ready);
        session
    }

    /// What is on the screen when a prompt can be typed.
    fn sign(&self) -> &'static str {
        match self.client {
            McpClient::Codex => "›",
            McpClient::Opencode => "Ask anything",
            McpClient::Gemini => "Type your message",
        }
    }

    /// Types a prompt, waits until it is there, and sends it.
    pub fn prompt(&self, text: &str) {
        self.tmux.type_text(text);
        self.tmux.wait_until("the prompt", |screen| screen.contains(text));
        thread::sleep(PASTE_GUARD);
        self.tmux.press(&["Enter"]);
    }

    /// What is on the screen.
    #[must_use]
    pub fn screen(&self) -> String {
        self.tmux.screen()
    }

    /// Its terminal.
    #[must_use]
    pub fn tmux(&self) -> &Tmux {
        &self.tmux
    }
}
