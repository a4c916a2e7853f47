//! Who waits for the end of which ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::AskId;

/// One bell per ask that somebody waits for, so that an end wakes only those who care.
#[derive(Debug, Default)]
pub(crate) struct Waiters(Mutex<HashMap<AskId, Arc<Notify>>>);

/// A place at the bell of one ask.
pub(crate) struct Waiting<'a> {
    waiters: &'a Waiters,
    ask: AskId,
    pub(crate) bell: Arc<Notify>,
}

impl Waiters {
    fn bells<T>(&self, look: impl FnOnce(&mut HashMap<AskId, Arc<Notify>>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn join(&self, ask: AskId) -> Waiting<'_> {
        let bell = self.bells(|bells| bells.entry(ask).or_default().clone());
        Waiting { waiters: self, ask, bell }
    }

    pub(crate) fn ring(&self, ask: AskId) {
        if let Some(bell) = self.bells(|bells| bells.remove(&ask)) {
            bell.notify_waiters();
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.waiters.bells(|bells| {
            // The last to leave takes the bell down: one count is the map's, one this one's.
            let last = bells
                .get(&self.ask)
                .is_some_and(|bell| Arc::ptr_eq(bell, &self.bell) && Arc::strong_count(bell) == 2);
            if last {
                bells.remove(&self.ask);
            }
        });
    }
}
