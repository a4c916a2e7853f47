//! What is half done goes away when its process is asked to end.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use tokio::signal::unix::{SignalKind, signal};

use crate::runtime;

/// Files that are of no use before all is done.
pub(crate) struct HalfDone(Arc<Mutex<Option<Vec<PathBuf>>>>);

impl HalfDone {
    /// From now on SIGINT and SIGTERM remove these before they end the process.
    pub(crate) fn guard(files: Vec<PathBuf>) -> io::Result<Self> {
        let guarded = Arc::new(Mutex::new(Some(files)));
        let (ready, is_ready) = mpsc::channel();
        let (watched, runtime) = (guarded.clone(), runtime::single()?);
        thread::spawn(move || {
            runtime.block_on(async {
                let interrupts = signal(SignalKind::interrupt());
                let terminations = signal(SignalKind::terminate());
                let (Ok(mut interrupts), Ok(mut terminations)) = (interrupts, terminations) else {
                    // Then they end the process as always, and the next one cleans up.
                    return;
                };
                // Whoever waits for this is there.
                let _ = ready.send(());
                loop {
                    let asked = tokio::select! {
                        _ = interrupts.recv() => SignalKind::interrupt(),
                        _ = terminations.recv() => SignalKind::terminate(),
                    };
                    end(&watched, asked);
                }
            });
        });
        // Without it nobody would know when a signal is heard.
        let _ = is_ready.recv();
        Ok(Self(guarded))
    }

    /// What comes now is not stopped half way: the process ends by itself in a moment.
    pub(crate) fn finish(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn end(guarded: &Mutex<Option<Vec<PathBuf>>>, asked: SignalKind) {
    let guarded = guarded.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(files) = &*guarded else { return };
    for file in files {
        // Most of them are not there.
        let _ = fs::remove_file(file);
    }
    // Still locked, so that nothing is finished in this moment.
    handraise_terminal::end_by(asked.as_raw_value());
}
