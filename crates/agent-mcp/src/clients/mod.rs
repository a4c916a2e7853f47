//! The settings of programs that speak MCP, as text: our server goes in, and out again.
//!
//! Text in, text out; files are somebody else's. Each client has a file that says what it wants to find;
//! how JSON and TOML are changed is the same for all.

mod codex;
mod gemini;
mod json;
mod opencode;
mod ours;
mod toml;

pub use handraise_settings::SettingsError;
pub use ours::{Ours, Server};

use crate::tools;

/// A client whose settings we can write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Codex.
    Codex,
    /// opencode.
    Opencode,
    /// Gemini CLI.
    Gemini,
    /// Qwen Code.
    Qwen,
}

/// What our server is called in every client's settings; clients put it before the names of the tools.
const NAME: &str = "handraise";

/// How long a client may wait for one call, and how long the server uses of it before it returns a
/// ticket. A day: each ticket costs the model a turn, and a person may sleep over a question.
const LIMIT_SECONDS: u64 = 24 * 60 * 60;
const PATIENCE: &str = "23h";

impl Client {
    /// What the client runs to start our server, apart from the program and a hub's home.
    #[must_use]
    pub fn arguments(self) -> Vec<String> {
        ["mcp", "--agent", self.agent(), "--patience", PATIENCE].map(str::to_owned).into()
    }

    /// The agent whose token the client uses.
    fn agent(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Opencode => "opencode",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
        }
    }

    /// What our tools are called there.
    #[must_use]
    pub fn tools(self) -> [&'static str; 2] {
        match self {
            Self::Gemini => [tools::ASK_PERSON, tools::WAIT_ANSWER],
            Self::Codex | Self::Opencode | Self::Qwen => [tools::ASK_USER, tools::WAIT_ANSWER],
        }
    }

    /// Returns the settings with our server in them.
    ///
    /// A server of ours that is there already is brought up to date; where nothing has to change, no byte
    /// does.
    ///
    /// # Errors
    ///
    /// When the settings are not such that we can change them, or hold somebody else's server of our name.
    pub fn connect(
        self,
        text: &str,
        ours: &Ours,
        server: &Server,
    ) -> Result<String, SettingsError> {
        let ours = ours.clone().and(&server.program);
        match self {
            Self::Codex => codex::connect(text, &ours, server),
            Self::Opencode => opencode::connect(text, &ours, server),
            Self::Gemini | Self::Qwen => gemini::connect(text, &ours, server),
        }
    }

    /// Returns the settings without our server; everything else stays as it is.
    ///
    /// What is empty without it goes too, unless it was in `before`, the settings as they were before ours
    /// came in.
    ///
    /// # Errors
    ///
    /// When the settings are not such that we can change them.
    pub fn disconnect(
        self,
        text: &str,
        ours: &Ours,
        before: Option<&str>,
    ) -> Result<String, SettingsError> {
        match self {
            Self::Codex => codex::disconnect(text, ours, before),
            Self::Opencode => opencode::disconnect(text, ours, before),
            Self::Gemini | Self::Qwen => gemini::disconnect(text, ours, before),
        }
    }

    /// What the settings run as our server, if it is in them.
    ///
    /// # Errors
    ///
    /// When the settings are not such that we can look into them.
    pub fn server(self, text: &str, ours: &Ours) -> Result<Option<Server>, SettingsError> {
        match self {
            Self::Codex => codex::server(text, ours),
            Self::Opencode => opencode::server(text, ours),
            Self::Gemini | Self::Qwen => gemini::server(text, ours),
        }
    }
}

#[cfg(test)]
#[path = "clients_tests.rs"]
mod tests;
