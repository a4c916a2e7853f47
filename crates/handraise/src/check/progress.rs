//! How far it is, for somebody who waits.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Tells on standard error, if that is a terminal, and only when it takes long.
pub(super) struct Progress {
    all: usize,
    done: usize,
    last: Instant,
    shown: bool,
    terminal: bool,
}

const FIRST: Duration = Duration::from_secs(1);
const EACH: Duration = Duration::from_millis(200);

impl Progress {
    pub(super) fn of(all: usize) -> Self {
        let terminal = io::stderr().is_terminal();
        Self { all, done: 0, last: Instant::now(), shown: false, terminal }
    }

    pub(super) fn step(&mut self) {
        self.done += 1;
        let pause = if self.shown { EACH } else { FIRST };
        if self.terminal && self.last.elapsed() >= pause {
            (self.last, self.shown) = (Instant::now(), true);
            // If nobody can be told, nobody waits.
            let _ = write!(io::stderr(), "\r{} of {} transcripts", self.done, self.all);
        }
    }

    pub(super) fn end(self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}
