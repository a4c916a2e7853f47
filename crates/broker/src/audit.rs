//! Whether the log is what was written.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use crate::chain::StoredEntry;
use crate::{AskId, Event, Head, Seq};

/// Reads a log from its beginning and finds the first thing that is not as it was written.
#[derive(Debug, Default)]
pub struct Audit {
    head: Option<Head>,
    /// Asks that have lost their contents, and where first.
    dropped: HashMap<AskId, Seq>,
    /// Events about no ask that have lost their contents.
    emptied: Vec<Seq>,
    /// Asks whose contents were dropped by retention.
    pruned: HashSet<AskId>,
    /// Events whose contents were.
    pruned_events: HashSet<Seq>,
    /// Sessions whose contents were.
    pruned_sessions: usize,
    kept_elsewhere: Option<Head>,
}

/// What a good log adds up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sound {
    /// Its end; the number of events is its place.
    pub head: Head,
    /// How many asks and sessions were dropped by retention.
    pub pruned: usize,
}

/// The first thing that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Events are missing.
    #[error("event {expected} is missing: event {found} follows event {}", .expected - 1)]
    Missing {
        /// The one that should be there.
        expected: Seq,
        /// The one that is.
        found: Seq,
    },
    /// What is there cannot be an event.
    #[error("event {seq} cannot be read: {why}")]
    Unreadable {
        /// Its place.
        seq: Seq,
        /// What is wrong with it.
        why: String,
    },
    /// The contents were changed.
    #[error("event {0} was changed: its contents do not match their hash")]
    Contents(Seq),
    /// Something else about it was changed, or something before it.
    #[error("event {0} was changed: it does not fit the chain")]
    Chain(Seq),
    /// The contents are gone, and no retention dropped them.
    #[error("event {0} lost its contents, and no retention dropped them")]
    Lost(Seq),
    /// The log is another one than the head that was kept says.
    #[error("event {0} is not the one that was kept: the log was rewritten")]
    Rewritten(Seq),
    /// The log ends before the head that was kept.
    #[error("the log ends at event {end}, but event {kept} was there: its end was cut off")]
    CutOff {
        /// Where it ends.
        end: Seq,
        /// What was there.
        kept: Seq,
    },
}

impl Audit {
    /// Starts at the beginning; `kept_elsewhere` is a head from an earlier time.
    #[must_use]
    pub fn new(kept_elsewhere: Option<Head>) -> Self {
        Self { kept_elsewhere, ..Self::default() }
    }

    /// The last event that was looked at.
    #[must_use]
    pub fn head(&self) -> Head {
        self.head.unwrap_or(Head::EMPTY)
    }

    /// Looks at the next event.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with it.
    pub fn next(&mut self, entry: &StoredEntry) -> Result<(), Broken> {
        let before = self.head();
        let seq = entry.seq;
        if seq != before.seq + 1 {
            return Err(Broken::Missing { expected: before.seq + 1, found: seq });
        }
        match &entry.body {
            Some(body) => {
                if Sha256::digest(body.as_bytes()).as_slice() != entry.digest {
                    return Err(Broken::Contents(seq));
                }
                if let Ok(Event::Pruned(pruned)) = Event::read(&entry.name, body) {
                    self.pruned.extend(pruned.asks);
                    self.pruned_events.extend(pruned.events);
                    self.pruned_sessions += pruned.sessions.len();
                }
            }
            None => match entry.ask {
                Some(ask) => {
                    self.dropped.entry(ask).or_insert(seq);
                }
                None => self.emptied.push(seq),
            },
        }
        if entry.link(&before.hash) != entry.hash {
            return Err(Broken::Chain(seq));
        }
        let head = Head { seq, hash: entry.hash };
        if self.kept_elsewhere.is_some_and(|kept| kept.seq == seq && kept != head) {
            return Err(Broken::Rewritten(seq));
        }
        self.head = Some(head);
        Ok(())
    }

    /// Ends the audit at the end of the log.
    ///
    /// # Errors
    ///
    /// What only the whole log can show to be wrong.
    pub fn finish(self) -> Result<Sound, Broken> {
        let head = self.head();
        if let Some(kept) = self.kept_elsewhere
            && kept.seq > head.seq
        {
            return Err(Broken::CutOff { end: head.seq, kept: kept.seq });
        }
        let lost = self.dropped.iter().filter(|(ask, _)| !self.pruned.contains(ask));
        let emptied = self.emptied.iter().filter(|seq| !self.pruned_events.contains(seq));
        match lost.map(|(_, seq)| seq).chain(emptied).copied().min() {
            Some(seq) => Err(Broken::Lost(seq)),
            None => Ok(Sound { head, pruned: self.dropped.len() + self.pruned_sessions }),
        }
    }
}

#[cfg(test)]
#[path = "audit_tests.rs"]
mod tests;
