//! Claude Code's settings file, as text: our hooks go in, and out again.
//!
//! Text in, text out; files are somebody else's, and how text is changed is `handraise-settings`'.

mod connect;
mod disconnect;
mod document;
mod ours;
mod wanted;

pub use connect::connect;
pub use disconnect::disconnect;
pub use handraise_settings::SettingsError;
pub use ours::{Entry, Ours, all_off, entries, program_of};
pub use wanted::{WANTED, Wanted};

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
