//! The question prompt in a terminal.
//!
//! Three layers, each testable without the one below: [`Prompt`] is state and keys, `view` draws
//! it into a buffer, and [`ask`] ties both to a real terminal. [`ask_plainly`] puts the same questions
//! as numbered lines, for screen readers and terminals that can do no more.
//!
//! Agent text reaches the screen only through [`visible`]; nothing an agent writes can move the
//! cursor, change a title or hide a character.

mod background;
mod burst;
mod clean;
mod field;
mod inline;
mod palette;
mod plain;
mod prompt;
mod raw_mode;
mod terminal;
mod view;
mod wakes;

pub use clean::visible;
pub use palette::{ColorHints, Depth, Palette, Tone};
pub use plain::ask_plainly;
pub use prompt::{Effect, Input, Prompt};
pub use terminal::{Outcome, Settings, TerminalError, ask, end_by};
