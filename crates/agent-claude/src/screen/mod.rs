//! Claude Code's dialog on the screen of a tmux pane: read, and answered with the keys it takes.
//!
//! [`Pane`] is where a session is: it shows what is on the screen and takes keys, but only on the screen
//! they were meant for. `dialog` reads what the screen says; `intent` is what is to be typed;
//! `typing` types it, one key at a time, and looks before each whether the dialog is still the one it
//! was, in the state the keys before have brought it to. Anything else stops it at once.
//!
//! All of it was measured on Claude Code: which key does what, what the dialog shows, and what the model
//! reads of it. What looks different is not touched.

mod alike;
mod composer;
mod dialog;
mod expected;
mod intent;
mod pane;
mod place;
mod tmux;
mod typing;

pub use intent::{Intent, Untypable};
pub use pane::{Pane, View};
pub use place::NoPane;
pub use typing::{Stopped, Typed, Typing};
