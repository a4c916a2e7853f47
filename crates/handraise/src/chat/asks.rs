//! The questions of a session: which is to be put next, and which has ended meanwhile.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use handraise_broker::{AskId, Record, Session};
use handraise_terminal::Remote;

use crate::ask::elsewhere_lines;

/// The asks of one session that were heard of.
#[derive(Default)]
pub(super) struct Asks {
    queue: VecDeque<Arc<Record>>,
    /// Those the person did not want to answer just now.
    aside: Vec<Arc<Record>>,
    /// The one whose prompt is open.
    open: Option<(AskId, Remote)>,
    known: HashSet<AskId>,
    ended: HashMap<AskId, Arc<Record>>,
}

impl Asks {
    /// Takes an ask as it stands now. Returns whether it is a new one, to be put.
    pub(super) fn take(&mut self, record: &Arc<Record>) -> bool {
        if record.is_open() {
            if let Some((id, remote)) = &self.open
                && *id == record.id
            {
                remote.wait(left(record));
            }
            let new = self.known.insert(record.id);
            if new {
                self.queue.push_back(record.clone());
            }
            return new;
        }
        self.queue.retain(|waiting| waiting.id != record.id);
        self.aside.retain(|waiting| waiting.id != record.id);
        if let Some((_, remote)) = self.open.take_if(|(id, _)| *id == record.id) {
            remote.close(elsewhere_lines(record));
        }
        self.known.insert(record.id);
        self.ended.insert(record.id, record.clone());
        false
    }

    /// Forgets those that wait and are not among `open`: they ended while nobody told.
    pub(super) fn only(&mut self, open: &[Arc<Record>]) {
        let still = |waiting: &Arc<Record>| open.iter().any(|record| record.id == waiting.id);
        self.queue.retain(still);
        self.aside.retain(still);
        if let Some((id, remote)) = &self.open
            && !open.iter().any(|record| record.id == *id)
        {
            remote.close(vec!["● Ended elsewhere".into()]);
        }
    }

    pub(super) fn next(&mut self) -> Option<Arc<Record>> {
        self.queue.pop_front()
    }

    /// A prompt opens. If its ask has ended meanwhile, it closes at once.
    pub(super) fn put(&mut self, id: AskId, remote: Remote) {
        match self.ended.get(&id) {
            Some(record) => remote.close(elsewhere_lines(record)),
            None => self.open = Some((id, remote)),
        }
    }

    /// The prompt has closed.
    pub(super) fn over(&mut self) {
        self.open = None;
    }

    pub(super) fn set_aside(&mut self, record: Arc<Record>) {
        if !self.ended.contains_key(&record.id) {
            self.aside.push(record);
        }
    }

    /// Puts what was set aside once more. Returns whether there was anything.
    pub(super) fn bring_back(&mut self) -> bool {
        self.queue.extend(self.aside.drain(..));
        !self.queue.is_empty()
    }

    pub(super) fn is_any_aside(&self) -> bool {
        !self.aside.is_empty()
    }

    pub(super) fn is_any_open(&self) -> bool {
        !self.queue.is_empty() || !self.aside.is_empty() || self.open.is_some()
    }
}

/// Whether an ask is one of this session's.
pub(super) fn belongs(record: &Record, session: &Session) -> bool {
    let asker = record.asker();
    asker.agent == session.agent
        && session.agent_session.is_some()
        && asker.session == session.agent_session
}

/// How long it still waits for an answer; for ever when absent.
pub(super) fn left(record: &Record) -> Option<std::time::Duration> {
    let left = record.deadline_at?.duration_since(crate::environment::time());
    Some(left.try_into().unwrap_or_default())
}
