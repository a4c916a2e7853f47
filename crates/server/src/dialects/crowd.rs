//! Which front ends of other systems are connected.

use std::sync::{Arc, Mutex, PoisonError};

use handraise_broker::Record;
use handraise_wire::dialects::Dialect;
use tokio::sync::watch;

use super::sight::Sight;

/// The front ends that are connected, in the order they came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Crowd(Arc<Mutex<Here>>);

#[derive(Debug, Default)]
struct Here {
    last: u64,
    guests: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    dialect: &'static str,
    newest_only: bool,
    sight: Sight,
    counts: watch::Sender<bool>,
}

/// A place among the connected front ends, until it is dropped.
#[derive(Debug)]
pub(super) struct Guest {
    crowd: Crowd,
    number: u64,
    /// Whether what it says counts, and anything is told to it.
    pub(super) counts: watch::Receiver<bool>,
}

impl Crowd {
    fn here<T>(&self, look: impl FnOnce(&mut Here) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets one more in.
    pub(super) fn join(&self, dialect: &dyn Dialect, sight: Sight) -> Guest {
        let (counts, heard) = watch::channel(true);
        let number = self.here(|here| {
            here.last += 1;
            here.guests.push(Entry {
                number: here.last,
                dialect: dialect.name(),
                newest_only: dialect.manners().newest_only,
                sight,
                counts,
            });
            here.settle();
            here.last
        });
        Guest { crowd: self.clone(), number, counts: heard }
    }

    /// Whether a front end of this dialect is there that sees an ask.
    pub(super) fn sees(&self, dialect: &str, ask: &Record) -> bool {
        self.here(|here| {
            let mut alike = here.guests.iter().filter(|guest| guest.dialect == dialect);
            alike.any(|guest| guest.sight.covers(ask))
        })
    }
}

impl Guest {
    /// Takes notice of what it is about now.
    pub(super) fn looks_at(&self, sight: &Sight) {
        self.crowd.here(|here| {
            if let Some(entry) = here.guests.iter_mut().find(|entry| entry.number == self.number) {
                entry.sight = sight.clone();
            }
            here.settle();
        });
    }
}

impl Here {
    /// Where only the newest counts, those who came before it do not.
    fn settle(&self) {
        for (n, entry) in self.guests.iter().enumerate() {
            let is_rival = |later: &Entry| {
                later.dialect == entry.dialect && later.sight.place() == entry.sight.place()
            };
            let counts = !(entry.newest_only && self.guests[n + 1..].iter().any(is_rival));
            entry.counts.send_if_modified(|before| std::mem::replace(before, counts) != counts);
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.crowd.here(|here| {
            here.guests.retain(|entry| entry.number != self.number);
            here.settle();
        });
    }
}

#[cfg(test)]
#[path = "crowd_tests.rs"]
mod tests;
