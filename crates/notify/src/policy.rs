//! When somebody is to be tapped on the shoulder. Pure: time and looks come as arguments.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use handraise_broker::AskId;

/// So long after a key somebody still counts as being at it.
const TYPING: Duration = Duration::from_secs(15);
/// When a deadline is near: its last quarter, within these.
const NEAR: std::ops::RangeInclusive<Duration> = Duration::from_secs(10)..=Duration::from_mins(5);
/// More answers gone wrong than anybody looks into one by one.
const MOST_TROUBLES: usize = 100;

/// Why somebody is tapped on the shoulder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// An agent asks.
    Opened,
    /// Nobody has answered for as long as the configuration says.
    Waiting,
    /// Its time is nearly over.
    Deadline,
    /// The agent took another answer.
    Overruled,
    /// Nobody can say that the agent has its answer.
    Undelivered,
    /// The agent went on with an answer that nobody gave.
    Doubted,
}

impl Why {
    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Waiting => "waiting",
            Self::Deadline => "deadline",
            Self::Overruled => "overruled",
            Self::Undelivered => "undelivered",
            Self::Doubted => "doubted",
        }
    }
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Show it, or show it once more.
    Show(AskId, Why),
    /// Take it down.
    Withdraw(AskId),
}

/// How long an ask waits in all, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Deadline {
    pub(crate) at: Duration,
    pub(crate) whole: Duration,
}

impl Deadline {
    /// From when on it is near.
    fn near(self) -> Duration {
        self.at.saturating_sub((self.whole / 4).clamp(*NEAR.start(), *NEAR.end()))
    }
}

/// Says when which ask is shown and taken down.
///
/// Every change is told to it, then it is asked what is [due](Self::due); it says when to ask again.
#[derive(Debug, Default)]
pub(crate) struct Policy {
    remind_after: Option<Duration>,
    asks: BTreeMap<AskId, Waiting>,
    /// When an ask has to be thought about again.
    agenda: BTreeSet<(Duration, AskId)>,
    /// Those that are not shown because somebody looks.
    quiet: BTreeSet<AskId>,
    /// What went wrong with answers, and was told.
    troubles: BTreeMap<AskId, Why>,
    /// What went wrong, and is not told because somebody looks; and until when they do.
    held: BTreeMap<AskId, Why>,
    held_until: Option<Duration>,
    /// What was decided and not told yet.
    decided: Vec<Action>,
}

#[derive(Debug, Default)]
struct Waiting {
    deadline: Option<Deadline>,
    typed: Option<Duration>,
    /// Since when it is shown.
    shown: Option<Duration>,
    reminded: bool,
    warned: bool,
    /// Its place in the agenda.
    next: Option<Duration>,
}

impl Policy {
    pub(crate) fn new(remind_after: Option<Duration>) -> Self {
        Self { remind_after, ..Self::default() }
    }

    /// An ask is open. That it is may be told more than once.
    pub(crate) fn opened(&mut self, ask: AskId, deadline: Option<Deadline>, now: Duration) {
        if let Entry::Vacant(place) = self.asks.entry(ask) {
            place.insert(Waiting { deadline, ..Waiting::default() });
            self.plan(ask, Some(now));
        }
    }

    /// An ask is open, and was shown before this hub was started.
    pub(crate) fn shown_before(&mut self, ask: AskId, deadline: Option<Deadline>, now: Duration) {
        let waiting = Waiting { deadline, shown: Some(now), ..Waiting::default() };
        self.asks.insert(ask, waiting);
        self.plan(ask, Some(now));
    }

    /// Somebody gave themselves another deadline: that it is near is worth saying again.
    pub(crate) fn extended(&mut self, ask: AskId, deadline: Option<Deadline>, now: Duration) {
        if let Some(waiting) = self.asks.get_mut(&ask) {
            waiting.deadline = deadline;
            waiting.warned = false;
            self.plan(ask, Some(now));
        }
    }

    /// Somebody types at an ask, which may have moved its deadline.
    pub(crate) fn typed(&mut self, ask: AskId, ends_at: Option<Duration>, now: Duration) {
        if let Some(waiting) = self.asks.get_mut(&ask) {
            waiting.typed = Some(now);
            if let (Some(deadline), Some(at)) = (&mut waiting.deadline, ends_at) {
                deadline.at = at;
            }
            self.plan(ask, Some(now));
        }
    }

    /// An ask has ended, wherever.
    pub(crate) fn ended(&mut self, ask: AskId) {
        self.plan(ask, None);
        self.quiet.remove(&ask);
        let waiting = self.asks.remove(&ask);
        if waiting.is_some_and(|waiting| waiting.shown.is_some()) {
            self.decided.push(Action::Withdraw(ask));
        }
    }

    /// What is known of the agent's side of an ask that has ended: `None` when all is well.
    pub(crate) fn delivery(&mut self, ask: AskId, trouble: Option<Why>) {
        match trouble {
            None => {
                self.held.remove(&ask);
                if self.troubles.remove(&ask).is_some() {
                    self.decided.push(Action::Withdraw(ask));
                }
            }
            Some(why) if self.troubles.get(&ask) == Some(&why) => {}
            Some(why) => {
                self.held.insert(ask, why);
                if self.held.len() > MOST_TROUBLES {
                    self.held.pop_first();
                }
            }
        }
    }

    /// Something went wrong with an answer, and that was told before this hub was started.
    pub(crate) fn told_before(&mut self, ask: AskId, trouble: Why) {
        self.troubles.insert(ask, trouble);
    }

    /// Tells what went wrong, unless somebody looks: they may see it for themselves, or look away.
    fn tell_troubles(&mut self, looked_at: &impl Fn(AskId) -> Option<Duration>) {
        self.held_until = None;
        for (ask, why) in std::mem::take(&mut self.held) {
            if let Some(until) = looked_at(ask) {
                self.held_until = self.held_until.into_iter().chain([until]).min();
                self.held.insert(ask, why);
                continue;
            }
            self.troubles.insert(ask, why);
            self.decided.push(Action::Show(ask, why));
            if self.troubles.len() > MOST_TROUBLES
                && let Some((oldest, _)) = self.troubles.pop_first()
            {
                self.decided.push(Action::Withdraw(oldest));
            }
        }
    }

    /// Somebody began to look, or looks no more.
    pub(crate) fn looks_changed(&mut self, now: Duration) {
        for ask in std::mem::take(&mut self.quiet) {
            self.plan(ask, Some(now));
        }
    }

    /// What is to be done by now. `looked_at` says until when somebody looks at an ask.
    pub(crate) fn due(
        &mut self,
        now: Duration,
        looked_at: impl Fn(AskId) -> Option<Duration>,
    ) -> Vec<Action> {
        self.tell_troubles(&looked_at);
        while let Some(&(at, ask)) = self.agenda.first()
            && at <= now
        {
            self.consider(ask, now, &looked_at);
        }
        std::mem::take(&mut self.decided)
    }

    /// When something may be due that nothing else will bring up.
    pub(crate) fn next(&self) -> Option<Duration> {
        let agenda = self.agenda.first().map(|(at, _)| *at);
        agenda.into_iter().chain(self.held_until).min()
    }

    /// The asks that wait and were never shown.
    pub(crate) fn unshown(&self) -> impl Iterator<Item = AskId> {
        let unshown = |ask: &&AskId| self.asks.get(ask).is_some_and(|one| one.shown.is_none());
        self.quiet.iter().filter(unshown).copied()
    }

    /// The asks that wait.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = AskId> {
        self.asks.keys().copied()
    }

    fn consider(
        &mut self,
        ask: AskId,
        now: Duration,
        looked_at: &impl Fn(AskId) -> Option<Duration>,
    ) {
        let remind_after = self.remind_after;
        let Some(waiting) = self.asks.get_mut(&ask) else { return self.plan(ask, None) };
        let Some((at, why)) = waiting.next_reason(remind_after, now) else {
            return self.plan(ask, None);
        };
        if at > now {
            return self.plan(ask, Some(at));
        }
        let typing = waiting.typed.map(|typed| typed + TYPING).filter(|until| *until > now);
        if let Some(until) = looked_at(ask).max(typing) {
            self.quiet.insert(ask);
            return self.plan(ask, Some(until));
        }
        waiting.tell(why, now);
        let next = waiting.next_reason(remind_after, now).map(|(at, _)| at);
        self.decided.push(Action::Show(ask, why));
        self.quiet.remove(&ask);
        self.plan(ask, next);
    }

    /// Puts an ask on the agenda, and off the place it had there.
    fn plan(&mut self, ask: AskId, at: Option<Duration>) {
        let Some(waiting) = self.asks.get_mut(&ask) else { return };
        if let Some(before) = std::mem::replace(&mut waiting.next, at) {
            self.agenda.remove(&(before, ask));
        }
        if let Some(at) = at {
            self.agenda.insert((at, ask));
        }
    }
}

impl Waiting {
    /// When there is a reason to show it next, and which.
    fn next_reason(
        &self,
        remind_after: Option<Duration>,
        now: Duration,
    ) -> Option<(Duration, Why)> {
        let near = self.deadline.filter(|_| !self.warned).map(Deadline::near);
        let Some(shown) = self.shown else {
            let late = near.is_some_and(|near| near <= now);
            return Some((Duration::ZERO, if late { Why::Deadline } else { Why::Opened }));
        };
        let near = near.map(|at| (at, Why::Deadline));
        let remind =
            remind_after.filter(|_| !self.reminded).map(|after| (shown + after, Why::Waiting));
        near.into_iter().chain(remind).min_by_key(|(at, _)| *at)
    }

    fn tell(&mut self, why: Why, now: Duration) {
        match why {
            Why::Opened | Why::Overruled | Why::Undelivered | Why::Doubted => {}
            Why::Waiting => self.reminded = true,
            Why::Deadline => self.warned = true,
        }
        self.shown.get_or_insert(now);
    }
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
