//! When to look at which ask again.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use crate::AskId;

/// One alarm per ask at most, in time that only ever passes.
///
/// The alarm is a reminder, not the truth: deadlines are in the store, and alarms are set anew from
/// them when a hub starts.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    order: BTreeSet<(Duration, AskId)>,
    due: HashMap<AskId, Duration>,
}

impl Timers {
    /// Sets or clears the alarm of an ask.
    pub(crate) fn set(&mut self, ask: AskId, due: Option<Duration>) {
        if let Some(old) = self.due.remove(&ask) {
            self.order.remove(&(old, ask));
        }
        if let Some(due) = due {
            self.due.insert(ask, due);
            self.order.insert((due, ask));
        }
    }

    /// When the next alarm goes off.
    pub(crate) fn next(&self) -> Option<Duration> {
        self.order.first().map(|(due, _)| *due)
    }

    /// The asks whose alarm has gone off, at most `most`; their alarms stay until they are set anew.
    pub(crate) fn due(&self, now: Duration, most: usize) -> Vec<AskId> {
        let due = self.order.iter().take_while(|(due, _)| *due <= now);
        due.take(most).map(|(_, ask)| *ask).collect()
    }
}
