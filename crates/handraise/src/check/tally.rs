//! What was counted.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use handraise_agent_claude::transcript::{Call, Ending, Outcome, doubt, endings};

use super::report::{Counts, Project, Report, Skipped, Suspicion};
use super::waits::Waits;

/// Of so many calls it is remembered that they were counted: a session that was forked repeats what it
/// was forked from.
const MOST_KNOWN: usize = 1 << 19;
/// So many suspicious answers are listed; all are counted.
const MOST_LISTED: usize = 10_000;

/// The counts so far. What is kept does not grow with the length of transcripts.
#[derive(Debug, Default)]
pub(super) struct Tally {
    projects: BTreeMap<PathBuf, (Counts, Waits)>,
    waits: Waits,
    suspicious: Vec<Suspicion>,
    settled: HashSet<u64>,
    waiting: HashMap<u64, (PathBuf, u64)>,
    hasher: RandomState,
    transcripts: u64,
    skipped: Skipped,
}

impl Tally {
    pub(super) fn read_file(&mut self, lines_passed_over: u64) {
        self.transcripts += 1;
        self.skipped.lines += lines_passed_over;
    }

    pub(super) fn skip_file(&mut self) {
        self.skipped.files += 1;
    }

    /// A call without a result, in this file.
    pub(super) fn waits(&mut self, project: &Path, call: &Call) {
        let hash = self.hasher.hash_one(&call.id);
        if self.waiting.len() < MOST_KNOWN {
            let questions = call.texts().len().max(1) as u64;
            self.waiting.entry(hash).or_insert_with(|| (project.to_owned(), questions));
        }
    }

    /// A call and what came of it.
    pub(super) fn settled(
        &mut self,
        project: &Path,
        session: &str,
        call: &Call,
        outcome: &Outcome,
    ) {
        let hash = self.hasher.hash_one(&call.id);
        if self.settled.contains(&hash) {
            return;
        }
        if self.settled.len() < MOST_KNOWN {
            self.settled.insert(hash);
        }
        if !self.projects.contains_key(project) {
            self.projects.insert(project.to_owned(), Default::default());
        }
        let Some((counts, waits)) = self.projects.get_mut(project) else { return };
        counts.calls += 1;
        counts.through_hook += u64::from(outcome.decided_by.as_deref() == Some("hook"));
        let endings = endings(call, outcome);
        for ending in &endings {
            counts.asked += 1;
            *counts.of(*ending) += 1;
        }
        if !endings.contains(&Ending::Failed)
            && let Some(waited) = outcome.waited(call)
        {
            waits.add(waited);
            self.waits.add(waited);
        }
        // Whether Handraise brought the answer is not written down.
        if let Some(doubt) = doubt(call, outcome, false) {
            counts.suspicious += 1;
            if self.suspicious.len() < MOST_LISTED {
                self.suspicious.push(Suspicion::new(project, session, call, outcome, doubt));
            }
        }
    }

    pub(super) fn report(mut self) -> Report {
        for (hash, (project, questions)) in self.waiting {
            // It may have its result in another file.
            if !self.settled.contains(&hash) {
                let (counts, _) = self.projects.entry(project).or_default();
                counts.calls += 1;
                counts.asked += questions;
                counts.waiting += questions;
            }
        }
        let mut total = Counts { transcripts: Some(self.transcripts), ..Counts::default() };
        let projects = self.projects.into_iter().map(|(directory, (mut counts, waits))| {
            total.add(&counts);
            counts.waited = waits.waited();
            Project { directory: directory.display().to_string(), counts }
        });
        let projects = projects.collect();
        total.waited = self.waits.waited();
        self.suspicious.sort_by_key(|one| one.at);
        Report { projects, total, suspicious: self.suspicious, skipped: self.skipped }
    }
}
