//! Signals: to the prompt that is open, or else with the effect they have by themselves.

use std::io;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::process::{getpgrp, getsid};
use signal_hook::consts::signal::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::wakes::Wake;

/// Signals belong to the process, so this does, too.
static LISTENER: Mutex<Listener> = Mutex::new(Listener { listens: false, prompt: None });

struct Listener {
    listens: bool,
    /// The prompt that is open, if one is.
    prompt: Option<Sender<Wake>>,
}

/// Signals reach the prompt while this lives.
pub(crate) struct Diverted(());

/// Starts the thread that signals go to, once in a process. Until a prompt is open they do what
/// they would do without it.
pub(crate) fn listen() -> io::Result<()> {
    let mut listener = listener();
    if listener.listens {
        return Ok(());
    }
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            deliver(signal);
        }
    })?;
    listener.listens = true;
    Ok(())
}

/// Sends signals to the prompt, which can tidy up the screen before it obeys.
pub(crate) fn divert(prompt: Sender<Wake>) -> Diverted {
    listener().prompt = Some(prompt);
    Diverted(())
}

impl Drop for Diverted {
    fn drop(&mut self) {
        listener().prompt = None;
    }
}

fn deliver(signal: i32) {
    // Held to the end: no prompt may take the terminal from under a signal that ends the process.
    let listener = listener();
    let taken = listener.prompt.as_ref().is_some_and(|to| to.send(Wake::Signal(signal)).is_ok());
    if !taken && (signal != SIGTSTP || can_stop()) {
        // Fails only for signals it does not know.
        let _ = emulate_default_handler(signal);
    }
}

/// Whether a shell with job control started this; nobody else would wake it up again.
pub(crate) fn can_stop() -> bool {
    getsid(None).is_ok_and(|session| session != getpgrp())
}

/// Ends the process the way `signal` does, so that its parent sees the true cause.
pub fn end_by(signal: i32) -> ! {
    // It returns only for signals that do not end a process.
    let _ = emulate_default_handler(signal);
    std::process::exit(128 + signal)
}

fn listener() -> MutexGuard<'static, Listener> {
    LISTENER.lock().unwrap_or_else(PoisonError::into_inner)
}
