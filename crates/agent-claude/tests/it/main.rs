//! The real Claude Code in real tmux, answered with keys.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

mod claude_interference;
mod claude_keys;
mod scene;
