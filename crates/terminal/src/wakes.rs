//! What can wake the prompt: keys and signals, in the order they came.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::signal::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;

use crate::burst::Arrival;

/// One reason to wake up.
pub(crate) enum Wake {
    Arrival(Arrival),
    InputLost(io::Error),
    Signal(i32),
}

/// A queue of wakes that can be looked into ahead of time without losing one.
pub(crate) struct Wakes {
    sender: Sender<Wake>,
    receiver: Receiver<Wake>,
    /// Looked at early; their turn is next.
    pending: VecDeque<Wake>,
}

impl Wakes {
    pub(crate) fn new() -> Self {
        let (sender, receiver) = mpsc::channel();
        Self { sender, receiver, pending: VecDeque::new() }
    }

    /// Starts the threads that turn keys and signals into wakes. They end with the process: a read
    /// from a terminal cannot be called off.
    pub(crate) fn listen(&self) -> io::Result<()> {
        let keys = self.sender.clone();
        thread::Builder::new().name("keys".into()).spawn(move || {
            loop {
                let wake = arrival().map_or_else(Wake::InputLost, Wake::Arrival);
                let lost = matches!(wake, Wake::InputLost(_));
                if keys.send(wake).is_err() || lost {
                    return;
                }
            }
        })?;
        let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])?;
        let sender = self.sender.clone();
        thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                if sender.send(Wake::Signal(signal)).is_err() {
                    return;
                }
            }
        })?;
        Ok(())
    }

    /// Waits for the next wake, for ever without a `wait`.
    pub(crate) fn next(&mut self, wait: Option<Duration>) -> Result<Wake, RecvTimeoutError> {
        match (self.pending.pop_front(), wait) {
            (Some(wake), _) => Ok(wake),
            (None, Some(wait)) => self.receiver.recv_timeout(wait),
            (None, None) => self.receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    /// The next event, if one comes within `patience`. Anything else keeps its turn.
    pub(crate) fn next_arrival(&mut self, patience: Duration) -> Option<Arrival> {
        match self.next(Some(patience)) {
            Ok(Wake::Arrival(arrival)) => Some(arrival),
            Ok(other @ (Wake::InputLost(_) | Wake::Signal(_))) => {
                self.pending.push_front(other);
                None
            }
            Err(_) => None,
        }
    }

    /// Gives an event its turn back.
    pub(crate) fn put_back(&mut self, arrival: Arrival) {
        self.pending.push_front(Wake::Arrival(arrival));
    }

    /// The signal to end that came together with the one to go on, if there was one. Those that
    /// stop and go on have done their work.
    pub(crate) fn end_after_stop(&mut self) -> Option<i32> {
        let mut end = None;
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(500)
            && let Ok(wake) = self.receiver.recv_timeout(Duration::from_millis(50))
        {
            match wake {
                Wake::Signal(SIGCONT | SIGTSTP) => {}
                Wake::Signal(signal) => end = Some(signal),
                other @ (Wake::Arrival(_) | Wake::InputLost(_)) => self.pending.push_back(other),
            }
        }
        end
    }
}

fn arrival() -> io::Result<Arrival> {
    let event = crossterm::event::read()?;
    let at = Instant::now();
    // With no time at all it would not even look at what it has read already.
    let more = crossterm::event::poll(Duration::from_millis(1))?;
    Ok(Arrival { event, at, more })
}
