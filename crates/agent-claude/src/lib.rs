//! Claude Code raises its hand.
//!
//! Knows Claude Code, `handraise-question` and the trait `Hub`; no server, no terminal.

pub mod settings;
