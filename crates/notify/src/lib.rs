//! Taps a person on the shoulder when an agent asks: on the desktop, in a terminal, or through a
//! program of their own. Knows the hub, and nothing of who asks.
//!
//! `policy` decides when, `board` how many at once, `words` what is said, and `mask` what is not: all
//! of them pure. `notifier` follows the hub and tells every way; a way never holds it up.

mod board;
mod clean;
mod command;
mod crowd;
mod desktop;
mod mask;
mod memory;
mod notifier;
mod policy;
mod ringing;
pub mod terminal;
mod way;
mod words;

pub use command::{CommandSettings, CommandTrouble, try_command};
pub use desktop::{DesktopSettings, Trouble, try_desktop};
pub use notifier::{Settings, run};
pub use words::{Text, Words};
