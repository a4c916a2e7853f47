//! The real Codex, opencode and Gemini CLI, talking to a [`ScriptedModel`](crate::ScriptedModel).
//!
//! Nobody's account, settings or files take part: each home is new, and its environment holds nothing
//! that was not put there.

mod home;
mod programs;
mod session;

pub use home::McpHome;
pub use session::McpSession;

/// An agent that asks through a server of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpClient {
    /// Codex.
    Codex,
    /// opencode.
    Opencode,
    /// Gemini CLI.
    Gemini,
}

impl McpClient {
    /// What it is called, by `handraise connect` and by whoever starts it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Opencode => "opencode",
            Self::Gemini => "gemini",
        }
    }

    /// What its model calls the tool that asks.
    #[must_use]
    pub fn ask(self) -> &'static str {
        match self {
            Self::Codex => "mcp__handraise__ask_user",
            Self::Opencode => "handraise_ask_user",
            Self::Gemini => "mcp_handraise_ask_person",
        }
    }

    /// What its model calls the tool that goes on waiting.
    #[must_use]
    pub fn wait(self) -> &'static str {
        match self {
            Self::Codex => "mcp__handraise__wait_answer",
            Self::Opencode => "handraise_wait_answer",
            Self::Gemini => "mcp_handraise_wait_answer",
        }
    }
}
