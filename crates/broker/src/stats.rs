//! Counts since this hub was started.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::{Event, Record};

/// Upper ends, in seconds, of the ranges times to answer are counted in.
pub const ANSWER_TIMES: [u64; 10] = [5, 15, 30, 60, 120, 300, 900, 3600, 14_400, 86_400];

/// What happened since this hub was started.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Asks.
    pub asked: u64,
    /// Ends, by kind.
    pub resolved: BTreeMap<String, u64>,
    /// Agent-seconds spent waiting for those ends.
    pub waited_seconds: f64,
    /// Answers by how long they took: one count for each of [`ANSWER_TIMES`], and one for the rest.
    pub answer_times: [u64; ANSWER_TIMES.len() + 1],
    /// Seconds people took for those answers.
    pub answer_seconds: f64,
    /// Deliveries that ended in doubt.
    pub undelivered: u64,
    /// Answers that the agent did not take.
    pub overruled: u64,
    /// Refused attempts.
    pub refused: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Stats(Mutex<Counts>);

impl Stats {
    pub(crate) fn counts(&self) -> Counts {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn count(&self, event: &Event, record: Option<&Record>) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Opened(_) => counts.asked += 1,
            Event::Resolved(resolved) => {
                *counts.resolved.entry(resolved.kind().to_owned()).or_default() += 1;
                let waited = record.map_or(0.0, |record| {
                    resolved.at.duration_since(record.asked_at).as_secs_f64().max(0.0)
                });
                counts.waited_seconds += waited;
                if resolved.responder.is_some() {
                    let range = ANSWER_TIMES
                        .iter()
                        .position(|&end| {
                            std::time::Duration::from_secs(end).as_secs_f64() >= waited
                        })
                        .unwrap_or(ANSWER_TIMES.len());
                    counts.answer_times[range] += 1;
                    counts.answer_seconds += waited;
                }
            }
            Event::Undelivered(_) => counts.undelivered += 1,
            Event::Overruled(_) => counts.overruled += 1,
            Event::AccessRefused(refused) => counts.refused += refused.times,
            Event::Extended(_)
            | Event::Delivered(_)
            | Event::DeviceChanged(_)
            | Event::SessionChanged(_)
            | Event::Pruned(_) => {}
        }
    }
}
