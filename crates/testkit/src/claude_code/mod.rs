//! The real Claude Code, in real tmux, talking to a [`ScriptedModel`](crate::ScriptedModel).
//!
//! Nobody's account, settings or files take part: each home is new, and its environment holds nothing
//! that was not put there.

mod home;
pub(crate) mod leftovers;
mod screen;
mod session;

pub use home::ClaudeHome;
pub use session::ClaudeSession;
