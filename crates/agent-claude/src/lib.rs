//! Claude Code raises its hand.
//!
//! [`hook`] runs beside Claude Code's own dialog: it brings a question to the hub and the hub's answer
//! back, and tells the hub what Claude Code took; [`settings`] puts it into Claude Code's settings and
//! out again; [`transcript`] reads what a session wrote down; [`stream`] runs Claude Code without a
//! terminal and speaks its protocol. Knows Claude Code, `handraise-question` and the trait `Hub`; no
//! server, no terminal, no client.

pub mod hook;
pub mod run;
pub mod screen;
pub mod settings;
pub mod stream;
pub mod transcript;
pub mod watch;

/// The versions of Claude Code that all of this was verified with, end to end.
pub const VERIFIED: [&str; 1] = ["2.1.325"];
