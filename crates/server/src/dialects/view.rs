//! What one front end of another system has been shown, and what is to be said to it next.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
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
    /// Which of them has which name.
    names: HashMap<(String, String), AskId>,
    /// Those of them it was shown.
    shown: BTreeSet<AskId>,
    /// Those it was shown and that have ended, with what it was last told to be wrong with them.
    past: VecDeque<(AskId, Option<String>)>,
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
            names: HashMap::new(),
            shown: BTreeSet::new(),
            past: VecDeque::new(),
            status: None,
        }
    }

    pub(super) fn sight(&self) -> &Sight {
        &self.sight
    }

    /// The ask a front end means by this name, among those that are open. In another session something
    /// else may have the same name.
    pub(super) fn find(
        &self,
        name: &str,
        is_meant: impl Fn(&Record) -> bool,
    ) -> Option<&Arc<Record>> {
        self.open.values().find(|ask| self.dialect.id(ask) == name && is_meant(ask))
    }

    /// Whether an ask can be answered here. What was shown once can be, also when its session has gone
    /// on under another name of its agent's.
    pub(super) fn shows(&self, ask: &Record) -> bool {
        self.sight.covers(ask) || self.shown.contains(&ask.id)
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

    /// Takes notice of a session; whether this is about other asks now.
    pub(super) fn note(&mut self, session: &Session) -> bool {
        self.sight.note(session)
    }

    /// Takes notice of an ask, as it stands now.
    pub(super) fn take(&mut self, ask: &Arc<Record>) -> Vec<String> {
        if !self.shows(ask) {
            return vec![];
        }
        if ask.is_open() {
            // Keys are agents' to choose: were two shown by one name, the answer to one could count for
            // the other.
            if *self.names.entry(self.name_of(ask)).or_insert(ask.id) == ask.id {
                self.open.insert(ask.id, ask.clone());
            }
            return vec![];
        }
        if self.open.remove(&ask.id).is_some() {
            self.names.remove(&self.name_of(ask));
        }
        let ends_now = self.shown.remove(&ask.id);
        if ends_now {
            self.past.push_back((ask.id, None));
            if self.past.len() > MOST_PAST {
                self.past.pop_front();
            }
        }
        let session = self.sight.name_of(ask);
        let known = self.past.iter_mut().find(|(id, _)| *id == ask.id && self.counts);
        let Some((ended, (_, told))) = Ended::of(&session, ask).zip(known) else { return vec![] };
        let trouble = ended.trouble();
        // What was wrong and is not any more is said as if it had just ended.
        let is_well_now = told.is_some() && trouble.is_none();
        let end = (ends_now || is_well_now).then(|| self.dialect.ended(&ended)).flatten();
        let news = trouble.as_ref().filter(|words| told.as_ref() != Some(words));
        let amiss = news.map(|words| self.dialect.amiss(&ended, words));
        *told = trouble;
        end.into_iter().chain(amiss).collect()
    }

    /// What the front end calls an ask: its session, and its name there.
    fn name_of(&self, ask: &Record) -> (String, String) {
        (self.sight.name_of(ask), self.dialect.id(ask))
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

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
