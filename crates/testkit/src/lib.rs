//! What the tests stand on: real programs in a pseudo-terminal, and in tmux.
//!
//! Nothing here waits for a time to pass. Each wait names a condition and goes on as soon as it
//! holds; only a condition that never holds runs into [`PATIENCE`], and then the test fails with
//! what was on the screen.

mod pty;
mod tmux;

use std::time::Duration;

pub use pty::{Key, Pty, Screen};
pub use tmux::Tmux;
pub use vt100::{Cell, Color};

/// How long a condition may take on a busy machine before it counts as never.
pub const PATIENCE: Duration = Duration::from_secs(30);
