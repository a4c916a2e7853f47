//! Claude Code's settings file, as text: our hooks go in, and out again.
//!
//! Text in, text out; files are somebody else's. Every change cuts or inserts a piece of text where
//! the parser says the piece is, so whatever is not ours stays byte for byte, in its own formatting.

mod connect;
mod disconnect;
mod document;
mod edit;
mod error;
mod ours;
mod style;
mod wanted;

pub use connect::connect;
pub use disconnect::disconnect;
pub use error::SettingsError;
pub use ours::{Entry, Ours, all_off, entries, program_of};
pub use wanted::{WANTED, Wanted};

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
