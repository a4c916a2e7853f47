//! Who waits for the end of which ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::AskId;

/// One bell per ask that somebody waits for, so that an end wakes only those who care.
#[derive(Debug, Default)]
pub(crate) struct Waiters(Mutex<HashMap<AskId, Bell>>);

#[derive(Debug, Default)]
struct Bell {
    notify: Arc<Notify>,
    waiting: usize,
}

/// A place at the bell of one ask.
pub(crate) struct Waiting<'a> {
    waiters: &'a Waiters,
    ask: AskId,
    pub(crate) bell: Arc<Notify>,
}

impl Waiters {
    fn bells<T>(&self, look: impl FnOnce(&mut HashMap<AskId, Bell>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn join(&self, ask: AskId) -> Waiting<'_> {
        let bell = self.bells(|bells| {
            let bell = bells.entry(ask).or_default();
            bell.waiting += 1;
            bell.notify.clone()
        });
        Waiting { waiters: self, ask, bell }
    }

    pub(crate) fn ring(&self, ask: AskId) {
        if let Some(bell) = self.bells(|bells| bells.remove(&ask)) {
            bell.notify.notify_waiters();
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.waiters.bells(|bells| {
            // After it rang, there may be another bell in its place.
            let own = bells.get_mut(&self.ask).filter(|bell| Arc::ptr_eq(&bell.notify, &self.bell));
            let Some(bell) = own else { return };
            bell.waiting -= 1;
            if bell.waiting == 0 {
                bells.remove(&self.ask);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use jiff::Timestamp;

    use super::*;

    fn ask() -> AskId {
        AskId::new(Timestamp::UNIX_EPOCH, [1; 10])
    }

    #[test]
    fn a_bell_hangs_as_long_as_somebody_waits() {
        let waiters = Waiters::default();
        let (one, two) = (waiters.join(ask()), waiters.join(ask()));
        drop(one);
        assert!(waiters.bells(|bells| bells.contains_key(&ask())));
        drop(two);
        assert!(waiters.bells(|bells| bells.is_empty()));
    }

    #[test]
    fn those_who_were_rung_leave_the_next_bell_alone() {
        let waiters = Waiters::default();
        let rung = waiters.join(ask());
        waiters.ring(ask());
        let next = waiters.join(ask());
        drop(rung);
        assert!(waiters.bells(|bells| bells.contains_key(&ask())));
        drop(next);
        assert!(waiters.bells(|bells| bells.is_empty()));
    }

    #[test]
    fn no_bell_is_left_by_those_who_leave_at_the_same_moment() {
        let waiters = Waiters::default();
        let together = Barrier::new(2);
        let leave_together = || {
            let mut left = 0;
            for _ in 0..30_000 {
                let waiting = waiters.join(ask());
                together.wait();
                drop(waiting);
                together.wait();
                left += waiters.bells(|bells| bells.len());
                together.wait();
            }
            left
        };
        let left = thread::scope(|scope| {
            let (one, two) = (scope.spawn(leave_together), scope.spawn(leave_together));
            (one.join().unwrap(), two.join().unwrap())
        });
        assert_eq!(left, (0, 0));
    }
}
