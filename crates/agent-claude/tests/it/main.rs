//! The real Claude Code in real tmux, answered with keys.

mod claude_interference;
mod claude_keys;
mod scene;
