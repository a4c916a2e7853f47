//! The terminal in which the hub itself runs.

use std::io::Write;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use crate::board::{Notices, Topic};
use crate::terminal::{Style, tap};
use crate::way::{Occasion, Tap, Way};

/// More than this is not worth ringing for once the terminal goes on.
const MOST_WAITING: usize = 8;

/// Rings in a terminal.
pub(crate) struct Ringing {
    style: Style,
    bytes: SyncSender<Vec<u8>>,
    /// Whether many were there before: then one more is no reason to ring.
    many: bool,
}

impl Ringing {
    pub(crate) fn new(style: Style, mut terminal: Box<dyn Write + Send>) -> Self {
        let (bytes, to_write) = sync_channel::<Vec<u8>>(MOST_WAITING);
        // A thread of its own: a terminal that was stopped with Ctrl-S takes nothing.
        thread::spawn(move || {
            for bytes in to_write {
                if terminal.write_all(&bytes).and_then(|()| terminal.flush()).is_err() {
                    return;
                }
            }
        });
        Self { style, bytes, many: false }
    }
}

impl Way for Ringing {
    fn happened(&mut self, happened: &Tap<'_>) {
        let Some((topic, words)) = happened.said else { return };
        let again = happened.occasion == Occasion::Again;
        if topic == Topic::Many && !again && std::mem::replace(&mut self.many, true) {
            return;
        }
        // A terminal that takes nothing has been rung often enough.
        let _ = self.bytes.try_send(tap(self.style, &words.title, &words.body));
    }

    fn to_be_seen(&mut self, notices: &Notices) {
        self.many = notices.contains_key(&Topic::Many);
    }
}
