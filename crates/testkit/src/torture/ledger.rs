//! What everybody was told, to be compared in the end.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use handraise_broker::{AskId, Draft};
use serde_json::Value;

/// The notes of everybody together.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) asks: BTreeMap<AskId, Story>,
    pub(super) drafts: HashMap<AskId, Draft>,
    pub(super) drafts_kept: usize,
    /// How often an asker noticed that the hub was away.
    pub(super) breaks: usize,
    pub(super) longest_wait: Duration,
    problems: Vec<String>,
}

/// What is known of one ask.
#[derive(Debug, Default)]
pub(super) struct Story {
    pub(super) key: String,
    pub(super) attempts: Vec<Attempt>,
    /// When somebody was first told that their reply stands.
    pub(super) stands_since: Option<Instant>,
    /// What its asker got.
    pub(super) got: Option<Value>,
}

/// One reply to an ask.
#[derive(Debug)]
pub(super) struct Attempt {
    /// What it should become.
    pub(super) meant: Value,
    pub(super) heard: Heard,
}

/// What the hub said to a reply.
#[derive(Debug)]
pub(super) enum Heard {
    /// This is how it stands.
    Stands(Value),
    /// Somebody was first, and this stands.
    TooLate(Value),
}

/// With thousands of asks, one fault shows in many places; the first few tell enough.
const MOST_PROBLEMS: usize = 20;

impl Ledger {
    pub(super) fn problem(&mut self, problem: String) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        }
    }

    pub(super) fn take_problems(&mut self) -> Vec<String> {
        std::mem::take(&mut self.problems)
    }

    pub(super) fn story(&mut self, ask: AskId) -> &mut Story {
        self.asks.entry(ask).or_default()
    }

    pub(super) fn heard(&mut self, ask: AskId, attempt: Attempt) {
        let story = self.story(ask);
        if matches!(attempt.heard, Heard::Stands(_)) {
            story.stands_since.get_or_insert_with(Instant::now);
        }
        story.attempts.push(attempt);
    }

    /// An asker has its answer, and the hub was up since `up`.
    pub(super) fn got(&mut self, ask: AskId, resolution: Value, up: Instant) {
        let story = self.story(ask);
        story.got = Some(resolution);
        // Nobody can be told before the hub is up, or before there is something to tell.
        if let Some(since) = story.stands_since {
            let waited = since.max(up).elapsed();
            self.longest_wait = self.longest_wait.max(waited);
        }
    }
}
