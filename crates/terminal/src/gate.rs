//! Holds a thread that reads from the terminal back while no prompt is open.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What a reading thread passes before each read. Shut to begin with.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    open: bool,
    /// The thread has passed, and may be reading.
    inside: bool,
    /// There will be no more reading.
    over: bool,
}

impl Gate {
    /// Waits until the gate is open. Returns whether it ever will be again.
    pub(crate) fn pass(&self) -> bool {
        let mut state = self.lock();
        state.inside = false;
        self.changed.notify_all();
        let shut = |state: &mut State| !state.open && !state.over;
        state = self.changed.wait_while(state, shut).unwrap_or_else(PoisonError::into_inner);
        state.inside = !state.over;
        state.inside
    }

    /// Lets the thread pass. Returns whether there still is one.
    pub(crate) fn open(&self) -> bool {
        self.change(|state| state.open = true);
        !self.lock().over
    }

    pub(crate) fn shut(&self) {
        self.change(|state| state.open = false);
    }

    pub(crate) fn is_open(&self) -> bool {
        self.lock().open
    }

    /// Shuts the gate for good: the thread ends, or has ended.
    pub(crate) fn end(&self) {
        self.change(|state| *state = State { over: true, ..State::default() });
    }

    /// Whether nobody reads any more, at the latest after `patience`.
    pub(crate) fn is_left_within(&self, patience: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), patience, |state| state.inside);
        !waited.unwrap_or_else(PoisonError::into_inner).0.inside
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn a_reader_reads_only_between_opening_and_shutting() {
        let gate = Arc::new(Gate::default());
        let (wanted, turns) = mpsc::channel::<()>();
        let (reads, read) = mpsc::channel();
        let inner = Arc::clone(&gate);
        let reader = thread::spawn(move || {
            while inner.pass() {
                reads.send(inner.is_open()).unwrap();
                // As a read that waits for a key.
                turns.recv().unwrap();
            }
        });
        assert!(gate.open());
        assert!(read.recv_timeout(LONG).unwrap());
        gate.shut();
        assert!(!gate.is_left_within(Duration::ZERO), "it still waits for a key");
        wanted.send(()).unwrap();
        assert!(gate.is_left_within(LONG));
        assert!(read.try_recv().is_err(), "and does not read once more");
        gate.end();
        reader.join().unwrap();
        assert!(!gate.open());
    }
}
