//! Several prompts in one process, on a real terminal.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

mod between;
mod closing;
mod plain;
mod program;
