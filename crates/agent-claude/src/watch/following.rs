//! What one session writes down, read on by whoever wants to know now.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{mpsc, watch};

use super::sessions::Session;
use crate::hook::Process;
use crate::transcript::{Found, Places, Reading, Running};

/// A session and its transcript.
#[derive(Debug)]
pub(super) struct Following {
    pub(super) session: Session,
    places: Places,
    reading: Mutex<Option<Reading>>,
    found: mpsc::UnboundedSender<News>,
    /// How often something was found: a call whose turn it was not may have it now.
    turns: watch::Sender<u64>,
}

/// What was found in one go.
#[derive(Debug)]
pub(super) struct News {
    pub(super) pid: u32,
    pub(super) session: String,
    /// Whether nothing of the file was read before.
    pub(super) first: bool,
    pub(super) found: Vec<Found>,
}

impl Following {
    pub(super) fn new(
        session: Session,
        places: Places,
        found: mpsc::UnboundedSender<News>,
    ) -> Arc<Self> {
        let (turns, _) = watch::channel(0);
        Arc::new(Self { session, places, reading: Mutex::new(None), found, turns })
    }

    /// Reads on, and passes on what is found.
    pub(super) fn read_on(&self) {
        self.look(|_| ());
    }

    /// The transcript, once there is one.
    pub(super) fn path(&self) -> Option<PathBuf> {
        self.look(|reading| reading.path().to_owned())
    }

    /// The name a person gave the session, perhaps only lately.
    pub(super) fn name(&self) -> Option<String> {
        let session = &self.session;
        let now = self.places.running().into_iter().find(|running| running.session == session.id);
        now.and_then(|running| running.name)
    }

    /// Whether a call has no result, by what is written down now.
    pub(super) fn waits_for(&self, call: &str) -> bool {
        let waits = |reading: &Reading| reading.pending().iter().any(|other| other.id == call);
        self.look(waits).unwrap_or(false)
    }

    /// Whether another process is at work in the same session: then nobody can say whose dialog it is.
    pub(super) fn is_shared(&self) -> bool {
        let session = &self.session;
        let other = |running: &Running| {
            running.session == session.id
                && running.pid != session.process.pid
                && Process::with(running.pid).lives()
        };
        self.places.running().iter().any(other)
    }

    /// Whether a call is the only one without a result.
    pub(super) fn waits_alone(&self, call: &str) -> bool {
        let alone = |reading: &Reading| {
            let mut own = reading.pending().iter().filter(|other| self.is_of_this_process(other));
            own.all(|other| other.id == call)
        };
        self.look(alone).unwrap_or(false)
    }

    /// Waits until no call before this one is without a result: Claude Code shows one dialog at a time.
    pub(super) async fn turn_of(&self, call: &str) {
        let mut turns = self.turns.subscribe();
        let has_turn = |reading: &Reading| {
            let own = |other: &Arc<crate::transcript::Call>| self.is_of_this_process(other);
            let first = reading.pending().iter().find(|other| own(other));
            first.is_none_or(|first| first.id == call)
        };
        while self.look(has_turn) == Some(false) {
            if turns.changed().await.is_err() {
                return;
            }
        }
    }

    /// Whether a call was made by the process that runs now. Claude Code does not take up what another
    /// has asked: nobody waits for that.
    pub(super) fn is_of_this_process(&self, call: &crate::transcript::Call) -> bool {
        let earlier =
            call.asked_at.zip(self.session.since).is_some_and(|(asked, since)| asked < since);
        !earlier && !call.sidechain
    }

    fn look<T>(&self, look: impl FnOnce(&Reading) -> T) -> Option<T> {
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let first = reading.is_none();
        let is_there = |reading: &Reading| reading.path().is_file();
        if !reading.as_ref().is_some_and(is_there)
            && let Some(path) = self.transcript()
        {
            *reading = Some(Reading::new(path));
        }
        let reading = reading.as_mut()?;
        let mut found = vec![];
        // What cannot be read now may be read the next time.
        let _ = reading.catch_up(|what| found.push(what));
        if !found.is_empty() {
            let (pid, session) = (self.session.process.pid, self.session.id.clone());
            // Nobody listens any more when the watch is over.
            let _ = self.found.send(News { pid, session, first, found });
            self.turns.send_modify(|times| *times += 1);
        }
        Some(look(reading))
    }

    fn transcript(&self) -> Option<PathBuf> {
        let told = self.session.transcript.clone().filter(|path| path.is_file());
        let cwd = self.session.cwd.as_deref();
        told.or_else(|| self.places.transcript(&self.session.id, cwd))
    }

    /// Whether this file may be its transcript.
    pub(super) fn may_write_to(&self, path: &Path) -> bool {
        path.file_stem().is_some_and(|stem| stem == self.session.id.as_str())
    }
}
