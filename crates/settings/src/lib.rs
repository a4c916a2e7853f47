//! Settings files of other programs, in JSON with or without comments.
//!
//! Text in, text out; files are somebody else's, and so is what belongs into them. Every change cuts or
//! inserts a piece of text where the parser says the piece is, so whatever is not ours stays byte for
//! byte, in its own formatting.

mod between;
mod container;
mod document;
mod error;
mod style;

pub use container::{Container, spliced};
pub use document::{Dialect, body, object, only, parse, place, string, value, wrong_kind};
pub use error::SettingsError;
pub use style::{Style, indent, own_line};

#[cfg(test)]
#[path = "container_tests.rs"]
mod tests;
