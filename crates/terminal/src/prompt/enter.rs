//! Enter, and whether it is held down.

use std::time::Duration;

/// A key held down repeats faster than this; a hand does not press it twice so fast.
const HELD: Duration = Duration::from_millis(80);

/// Lets Enter wait until it is clear that it is not held down. One that is does nothing more than
/// its first press did.
#[derive(Debug, Clone, Default)]
pub(super) struct EnterKey {
    waiting: Option<Duration>,
    last: Option<Duration>,
}

/// An Enter whose time has come.
pub(super) struct Due {
    /// Something else came right behind it.
    pub(super) hurried: bool,
}

impl EnterKey {
    /// Takes note of a press. Returns whether it is one of a key held down; then neither it nor
    /// one that still waits counts.
    pub(super) fn is_held(&mut self, now: Duration) -> bool {
        let held = self.last.is_some_and(|last| is_soon(last, now));
        self.last = Some(now);
        if held {
            self.waiting = None;
        }
        held
    }

    pub(super) fn wait(&mut self, now: Duration) {
        self.waiting = Some(now);
    }

    /// The Enter that waits, once its time has come. Anything but time going by brings it on.
    pub(super) fn due(&mut self, now: Duration, only_time: bool) -> Option<Due> {
        let hurried = is_soon(self.waiting?, now);
        if hurried && only_time {
            return None;
        }
        self.waiting = None;
        Some(Due { hurried })
    }

    /// When the Enter that waits will be due.
    pub(super) fn next_tick(&self) -> Option<Duration> {
        self.waiting.map(|at| at + HELD)
    }
}

fn is_soon(before: Duration, now: Duration) -> bool {
    now.saturating_sub(before) < HELD
}
