//! Stopping and going on, as jobs of a shell do.

use std::fs::File;
use std::io;
use std::time::Instant;

use rustix::process::{Signal, getpgrp, kill_process_group};
use rustix::termios::{QueueSelector, tcflush, tcgetpgrp};
use signal_hook::consts::signal::SIGTSTP;
use signal_hook::low_level::emulate_default_handler;

use super::{Session, size};
use crate::full::Canvas;
use crate::outcome::Outcome;
use crate::raw_mode::RawMode;
use crate::signals::can_stop;

/// What is to be stopped.
#[derive(Clone, Copy)]
pub(super) enum Stop {
    /// Nothing: it was stopped from outside and runs again.
    Not,
    /// This process, by a signal it was sent.
    Alone,
    /// Everything in this job, as the terminal does on Ctrl-Z.
    WholeJob,
}

impl<C: Canvas> Session<'_, C> {
    /// Stops like any other job, with the screen tidied up, and comes back, unless it is woken
    /// only to be ended.
    pub(super) fn suspend(&mut self, stop: Stop) -> io::Result<Option<Outcome>> {
        if !matches!(stop, Stop::Not) && !can_stop() {
            return Ok(None);
        }
        if !matches!(stop, Stop::Not) {
            self.screen.erase()?;
            self.raw = None;
            if let Stop::WholeJob = stop {
                // Reaches this process as well, as a wake that is passed over below.
                kill_process_group(getpgrp(), Signal::TSTP)?;
            }
            emulate_default_handler(SIGTSTP)?;
        }
        loop {
            if let Some(signal) = self.wakes.end_after_stop() {
                return Ok(Some(Outcome::Signalled(signal)));
            }
            if owns(self.tty) {
                self.resume()?;
                return Ok(None);
            }
            // Woken in the background: the terminal is somebody else's, so it stops again.
            emulate_default_handler(SIGTSTP)?;
        }
    }

    fn resume(&mut self) -> io::Result<()> {
        self.raw = None;
        self.raw = Some(RawMode::enter(self.screen.out())?);
        // What was typed until now was typed to the shell.
        tcflush(self.tty, QueueSelector::IFlush)?;
        self.page_shown = Instant::now();
        self.screen.forget();
        (self.columns, self.rows) = size();
        self.screen.resize(self.columns);
        Ok(())
    }
}

/// Whether the terminal is this job's to use.
pub(super) fn owns(tty: &File) -> bool {
    tcgetpgrp(tty).is_ok_and(|owner| owner == getpgrp())
}
