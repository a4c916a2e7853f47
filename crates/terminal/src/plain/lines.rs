//! Reading lines at a plain desk.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Instant;

use crate::gate::Gate;
use crate::wakes::{Line, Wake};

/// The thread that reads lines. It ends with this, or with the line it is waiting for: a read from
/// a terminal cannot be called off.
pub(crate) struct Lines {
    gate: Arc<Gate>,
}

impl Lines {
    pub(crate) fn start(tty: File, wakes: Sender<Wake>) -> io::Result<Self> {
        let gate = Arc::new(Gate::default());
        let inner = Arc::clone(&gate);
        let mut input = BufReader::new(tty);
        thread::Builder::new().name("lines".into()).spawn(move || {
            while inner.pass() {
                let mut bytes = vec![];
                let read = input.read_until(b'\n', &mut bytes);
                let at = Instant::now();
                if !matches!(read, Ok(1..)) {
                    // Closed by Ctrl-D, it can be read again, but only the next ask should: gone
                    // for good, it reads as closed over and over.
                    inner.shut();
                }
                let line = read.map(|_| Line { bytes, at });
                if wakes.send(line.map_or_else(Wake::InputLost, Wake::Line)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { gate })
    }

    /// Has lines read until [`Lines::rest`].
    pub(super) fn read(&self) {
        self.gate.open();
    }

    /// Leaves further lines to whoever comes next, except for one that is being read already.
    pub(super) fn rest(&self) {
        self.gate.shut();
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.gate.end();
    }
}
