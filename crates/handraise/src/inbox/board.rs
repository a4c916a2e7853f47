//! What is known of the hub's asks, shared by whoever follows it and sits before it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use handraise_broker::{AskId, HubError, Record, Told};
use handraise_terminal::{Entry, InboxRemote, Sent, Standing};
use jiff::Timestamp;
use tokio::sync::Notify;

use super::entry::{entry, id_of};

/// Whatever changes is shown in the inbox at once.
pub(super) struct Board {
    pub(super) remote: InboxRemote,
    /// Only agents whose directory has this in it, in small letters.
    pub(super) project: Option<String>,
    state: Mutex<State>,
    settled: Notify,
}

#[derive(Default)]
struct State {
    /// Those that wait, and those that ended in a way a person should know of.
    records: HashMap<AskId, Arc<Record>>,
    /// What was answered here and is on its way, in words.
    pending: HashMap<AskId, String>,
    /// What was answered here, and counts.
    taken: HashSet<AskId>,
    /// Known from before the hub's log began anew: whatever is told of them next counts.
    stale: HashSet<AskId>,
    failed: Option<HubError>,
}

impl Board {
    pub(super) fn new(remote: InboxRemote, project: Option<&str>) -> Self {
        let project = project.map(str::to_lowercase);
        Self { remote, project, state: Mutex::default(), settled: Notify::new() }
    }

    /// Something happened at the hub.
    pub(super) fn told(&self, told: &Told) {
        if let Some(record) = &told.ask {
            self.take(std::slice::from_ref(record), told.name == "ask.opened");
        }
    }

    /// Asks as they stand; `new` ones may call somebody.
    pub(super) fn take(&self, records: &[Arc<Record>], new: bool) {
        let records = records.iter().filter(|record| self.is_ours(record));
        let mut entries = vec![];
        let mut state = self.lock();
        for record in records {
            let entry = entry(record);
            let known = state.records.get(&record.id);
            let is_old = known.is_some_and(|known| known.seq > record.seq);
            if !state.stale.remove(&record.id) && is_old {
                continue;
            }
            if record.is_open() || is_alarming(record) {
                state.records.insert(record.id, record.clone());
            } else {
                state.records.remove(&record.id);
            }
            entries.push(entry);
        }
        // Under the lock, so that of two the later one is shown last.
        self.remote.put(entries, new);
    }

    /// Somebody is typing, and silence now ends it later.
    pub(super) fn moved(&self, id: AskId, ends_at: Option<Timestamp>) {
        let mut state = self.lock();
        let Some(record) = state.records.get_mut(&id).filter(|record| record.is_open()) else {
            return;
        };
        if record.deadline_at != ends_at {
            let moved = Arc::make_mut(record);
            moved.deadline_at = ends_at;
            self.remote.put(vec![entry(moved)], false);
        }
    }

    /// The hub's log began anew, as after a restore: what was known may never have been.
    pub(super) fn doubt(&self) {
        let mut state = self.lock();
        state.stale = state.records.keys().copied().collect();
        self.remote.doubt();
    }

    /// The hub no longer knows it.
    pub(super) fn gone(&self, id: AskId) {
        let mut state = self.lock();
        state.stale.remove(&id);
        if let Some(record) = state.records.remove(&id) {
            let standing = Standing::Ended(vec!["● The hub no longer knows it.".into()]);
            self.remote.put(vec![Entry { standing, ..entry(&record) }], false);
        }
    }

    /// Those that wait or are in doubt and are not among `open`: they ended while nobody told.
    pub(super) fn missing(&self, open: &HashSet<AskId>) -> Vec<AskId> {
        let state = self.lock();
        let unsure = |record: &&Arc<Record>| record.is_open() || state.stale.contains(&record.id);
        let waiting = state.records.values().filter(unsure);
        waiting.map(|record| record.id).filter(|id| !open.contains(id)).collect()
    }

    pub(super) fn record(&self, id: AskId) -> Option<Arc<Record>> {
        self.lock().records.get(&id).cloned()
    }

    /// An answer is on its way.
    pub(super) fn sending(&self, id: AskId, words: String) {
        self.lock().pending.insert(id, words);
    }

    /// It has arrived, or was refused.
    pub(super) fn sent(&self, id: AskId, outcome: Sent) {
        let mut state = self.lock();
        state.pending.remove(&id);
        if outcome == Sent::Taken {
            state.taken.insert(id);
        }
        self.remote.sent(id_of(id), outcome);
        self.settled.notify_one();
    }

    /// Waits until every answer has arrived.
    pub(super) async fn all_sent(&self) {
        while !self.lock().pending.is_empty() {
            self.settled.notified().await;
        }
    }

    /// Answers that have not arrived, in words.
    pub(super) fn pending(&self) -> Vec<String> {
        self.lock().pending.values().cloned().collect()
    }

    /// Whether an answer is on its way.
    pub(super) fn is_pending(&self, id: AskId) -> bool {
        self.lock().pending.contains_key(&id)
    }

    /// Whether the answer that was given here counts.
    pub(super) fn is_taken(&self, id: AskId) -> bool {
        self.lock().taken.contains(&id)
    }

    /// There is no following it any more.
    pub(super) fn fail(&self, error: HubError) {
        self.lock().failed = Some(error);
        self.remote.close();
    }

    pub(super) fn failure(&self) -> Option<HubError> {
        self.lock().failed.clone()
    }

    fn is_ours(&self, record: &Record) -> bool {
        let directory = record.asker().directory.as_deref().unwrap_or_default();
        self.project.as_ref().is_none_or(|part| directory.to_lowercase().contains(part))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_alarming(record: &Record) -> bool {
    super::entry::alarm(record).is_some()
}
