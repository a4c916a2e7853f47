//! What one front end of another system has been shown, and what is to be said to it next.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use handraise_broker::{AskId, Record, Session};
use handraise_wire::dialects::{Asked, Dialect, Ended, Refusal, Refused, Status};
use jiff::Timestamp;

use super::sight::Sight;

/// How many asks that have ended are remembered, for what becomes known of them later.
const MOST_PAST: usize = 1000;

/// What one front end has been shown. No socket here: what is to be said is returned.
#[derive(Debug)]
pub(super) struct View {
    dialect: &'static dyn Dialect,
    sight: Sight,
    /// Whether anything is said to it.
    counts: bool,
    /// The questions that can be answered, in the agent's own order.
    open: BTreeMap<AskId, Arc<Record>>,
    /// Those of them it was shown.
    shown: BTreeSet<AskId>,
    /// Those it was shown and that have ended.
    past: VecDeque<AskId>,
    /// The last words about how the session stands.
    status: Option<String>,
}

impl View {
    pub(super) fn new(dialect: &'static dyn Dialect, sight: Sight) -> Self {
        Self {
            dialect,
            sight,
            counts: true,
            open: BTreeMap::new(),
            shown: BTreeSet::new(),
            past: VecDeque::new(),
            status: None,
        }
    }

    pub(super) fn sight(&self) -> &Sight {
        &self.sight
    }

    pub(super) fn counts(&self) -> bool {
        self.counts
    }

    /// The ask a front end means by this name, among those that are open.
    pub(super) fn find(&self, name: &str) -> Option<&Arc<Record>> {
        self.open.values().find(|ask| self.dialect.id(ask) == name)
    }

    /// The asks that were open here and are not among these.
    pub(super) fn missing(&self, open: &[Arc<Record>]) -> Vec<AskId> {
        let is_open = |id: &AskId| open.iter().any(|ask| ask.id == *id);
        self.open.keys().copied().filter(|id| !is_open(id)).collect()
    }

    /// Begins to count, or ceases to.
    pub(super) fn turn(&mut self, counts: bool) -> Option<String> {
        if self.counts == counts {
            return None;
        }
        self.counts = counts;
        // When it counts again it is shown everything anew.
        self.shown.clear();
        self.status = None;
        let refused = Refused { why: &Refusal::Taken, session: self.sight.name(), ask: None };
        if counts { None } else { self.dialect.refused(&refused) }
    }

    /// Takes notice of a session; whether it is the one this is about.
    pub(super) fn note(&mut self, session: &Session) -> bool {
        self.sight.note(session)
    }

    /// Takes notice of an ask, as it stands now.
    pub(super) fn take(&mut self, ask: &Arc<Record>) -> Vec<String> {
        if !self.sight.covers(ask) {
            // It may have been covered before: a session can go on under another name of its agent's.
            self.open.remove(&ask.id);
            self.shown.remove(&ask.id);
            return vec![];
        }
        if ask.is_open() {
            self.open.insert(ask.id, ask.clone());
            return vec![];
        }
        self.open.remove(&ask.id);
        let ends_now = self.shown.remove(&ask.id);
        if ends_now {
            self.past.push_back(ask.id);
            if self.past.len() > MOST_PAST {
                self.past.pop_front();
            }
        }
        let session = self.sight.name_of(ask);
        let is_known = self.counts && self.past.contains(&ask.id);
        let Some(ended) = Ended::of(&session, ask).filter(|_| is_known) else { return vec![] };
        let end = ends_now.then(|| self.dialect.ended(&ended)).flatten();
        let amiss = ended.trouble().map(|words| self.dialect.amiss(&ended, &words));
        end.into_iter().chain(amiss).collect()
    }

    /// What is to be said now that everything was taken notice of.
    pub(super) fn say(&mut self, now: Timestamp) -> Vec<String> {
        if !self.counts {
            return vec![];
        }
        let is_new = self.status.is_none();
        let asked = self.ask(now);
        let status = self.tell_status();
        if is_new {
            // Whoever has just come hears first how it stands.
            status.into_iter().chain(asked).collect()
        } else {
            asked.into_iter().chain(status).collect()
        }
    }

    fn ask(&mut self, now: Timestamp) -> Vec<String> {
        let most = if self.dialect.manners().one_by_one { 1 } else { usize::MAX };
        let due = self.open.values().take(most);
        let new: Vec<_> = due.filter(|ask| self.shown.insert(ask.id)).cloned().collect();
        let words = new.iter().map(|ask| {
            let session = self.sight.name_of(ask);
            let seconds_left = ask.deadline_at.map(|end| seconds(now, end));
            self.dialect.asked(&Asked { session: &session, ask, seconds_left })
        });
        words.collect()
    }

    fn tell_status(&mut self) -> Option<String> {
        let waiting = self.open.values().next().map(|ask| self.dialect.id(ask));
        let status = Status {
            session: self.sight.name()?,
            is_working: self.sight.is_working(),
            waiting: waiting.as_deref(),
        };
        let words = self.dialect.status(&status)?;
        let is_news = self.status.as_ref() != Some(&words);
        is_news.then(|| self.status.insert(words).clone())
    }
}

/// Whole seconds until then: a second that has begun counts.
fn seconds(now: Timestamp, end: Timestamp) -> u64 {
    let left = end.duration_since(now).as_millis();
    u64::try_from(left).unwrap_or(0).div_ceil(1000)
}
