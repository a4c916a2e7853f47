//! Reading keys, as long as a prompt is open.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::signal::SIGWINCH;
use signal_hook::low_level::raise;

use crate::burst::Arrival;
use crate::gate::Gate;
use crate::wakes::Wake;

/// The least time for which the event reader looks for keys. With no time at all it would not even
/// look at what it has read already.
const A_LOOK: Duration = Duration::from_millis(1);
/// How often, and how long each time, the reader is called back.
const CALLS: u32 = 10;
const CALL: Duration = Duration::from_millis(10);

/// The thread that reads keys. It ends with this.
pub(crate) struct Keys {
    gate: Arc<Gate>,
}

/// Keys are read while this lives. Afterwards they are left to whoever comes next: a program that
/// is run between two prompts, or the shell.
pub(crate) struct Reading<'a> {
    gate: &'a Gate,
}

impl Keys {
    pub(crate) fn start(wakes: Sender<Wake>) -> io::Result<Self> {
        let gate = Arc::new(Gate::default());
        let inner = Arc::clone(&gate);
        thread::Builder::new().name("keys".into()).spawn(move || {
            while inner.pass() {
                let wake = match arrival(&inner) {
                    Ok(Some(arrival)) => Wake::Arrival(arrival),
                    Ok(None) => continue,
                    Err(error) => {
                        inner.end();
                        Wake::InputLost(error)
                    }
                };
                if wakes.send(wake).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { gate })
    }

    /// Starts reading.
    ///
    /// # Errors
    ///
    /// When the terminal could not be read before.
    pub(crate) fn read(&self) -> io::Result<Reading<'_>> {
        let reading = Reading { gate: &self.gate };
        if self.gate.open() { Ok(reading) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.gate.end();
    }
}

impl Drop for Reading<'_> {
    /// Calls the thread back. It sits in a read that only a key ends, or a change of the window's
    /// size: so it is told of one. Told too early, before it listens, it is told again; should it
    /// hang in the middle of a key that came in pieces, the next key ends that.
    fn drop(&mut self) {
        self.gate.shut();
        for _ in 0..CALLS {
            let _ = raise(SIGWINCH);
            if self.gate.is_left_within(CALL) {
                return;
            }
        }
    }
}

/// The next event; none if it came when no prompt was open any more.
fn arrival(gate: &Gate) -> io::Result<Option<Arrival>> {
    let event = crossterm::event::read()?;
    let at = Instant::now();
    if !gate.is_open() {
        // What the event reader has read ahead must not wait there for the next prompt.
        while crossterm::event::poll(A_LOOK)? {
            crossterm::event::read()?;
        }
        return Ok(None);
    }
    let more = crossterm::event::poll(A_LOOK)?;
    Ok(Some(Arrival { event, at, more }))
}
