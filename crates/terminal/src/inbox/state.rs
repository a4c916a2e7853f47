//! What is on the screen and where keys go; what the inbox is told, and what it wants.

use std::collections::VecDeque;
use std::time::Duration;

use super::asks::{Asks, Put, until};
use super::ended::EndedInFront;
use super::entry::{Entry, EntryId, Opened};
use super::history::History;
use super::orders::{InboxOrder, Sent, Wanted};
use super::overlay::Overlay;
use super::page::Page;
use crate::field::Field;
use crate::prompt::Unsent;

/// Whoever has not pressed a key for this long is not there.
const AWAY_AFTER: Duration = A_MINUTE;
const A_MINUTE: Duration = Duration::from_mins(1);

/// Now, by the two clocks that count: since the inbox began, and as people tell the time, in seconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Moment {
    pub(crate) since: Duration,
    pub(crate) clock: i64,
}

/// What the terminal is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Suspend,
    Redraw,
}

/// What keys answer. When it changes, keys that are under way were meant for something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scene {
    pub(crate) ask: EntryId,
    pub(crate) page: usize,
    /// They choose, rather than type.
    pub(crate) choosing: bool,
}

/// Where keys go.
#[derive(Debug)]
pub(super) enum View {
    List,
    Filter(Box<Field>),
    Ask,
    History(Box<History>),
}

/// Everything that waits, and what is on the screen of it.
#[derive(Debug)]
pub(crate) struct Inbox {
    pub(super) asks: Asks,
    pub(super) view: View,
    pub(super) overlay: Option<Overlay>,
    pub(super) away: bool,
    pub(super) notice: Option<String>,
    /// List and ask are side by side, as last drawn.
    pub(super) side_by_side: bool,
    /// The ask on the screen when somebody asked what is wanted, and whether keys went to it.
    shown: Option<(EntryId, bool)>,
    /// Not everything was heard yet of what waits.
    pub(super) loading: bool,
    /// The ask that ended while keys went to it, until that was noticed.
    pub(super) ended: Option<EndedInFront>,
    pub(super) wanted: VecDeque<Wanted>,
    focused: Option<bool>,
    pub(super) last_key: Option<Duration>,
    /// The Enter that opened the ask on the screen, if it was the last key.
    pub(super) opened_by_enter: Option<Duration>,
    pub(super) now: Moment,
}

impl Inbox {
    pub(crate) fn new(now: Moment) -> Self {
        Self {
            asks: Asks::default(),
            view: View::List,
            overlay: None,
            away: false,
            notice: None,
            side_by_side: false,
            shown: None,
            loading: true,
            ended: None,
            wanted: VecDeque::new(),
            focused: None,
            last_key: None,
            opened_by_enter: None,
            now,
        }
    }

    /// What is wanted next.
    pub(crate) fn next_wanted(&mut self) -> Option<Wanted> {
        let in_front = matches!(self.view, View::Ask);
        let shown = self.asks.list.selected().filter(|_| in_front || self.side_by_side);
        let shown = shown.map(|id| (id, in_front));
        let shown_anew = shown != std::mem::replace(&mut self.shown, shown);
        if let Some(held) = shown.and_then(|(id, _)| self.asks.get_mut(id)) {
            let id = held.entry.id;
            if !std::mem::replace(&mut held.asked_for, true) {
                return Some(Wanted::Open(id));
            }
            if shown_anew && held.entry.waits() {
                return Some(Wanted::Again(id));
            }
        }
        self.wanted.pop_front()
    }

    /// When the picture changes without a key: a minute goes by, or the prompt on the screen changes.
    pub(crate) fn next_tick(&self) -> Duration {
        let minute = self.now.since + A_MINUTE;
        let others = [self.shown_prompt_tick(), self.rested()];
        others.into_iter().flatten().fold(minute, Duration::min)
    }

    fn shown_prompt_tick(&self) -> Option<Duration> {
        let shown = self.side_by_side || matches!(self.view, View::Ask);
        let held = self.asks.selected().filter(|held| shown && held.entry.waits())?;
        let page = held.page.as_ref().filter(|page| page.sending.is_none())?;
        page.prompt.as_ref().ok()?.next_tick()
    }

    /// What keys would answer, if they answer anything.
    pub(crate) fn scene(&self) -> Option<Scene> {
        if !matches!(self.view, View::Ask) || self.overlay.is_some() {
            return None;
        }
        let held = self.asks.selected().filter(|held| held.entry.waits())?;
        let page = held.page.as_ref().filter(|page| page.sending.is_none())?;
        let prompt = page.prompt.as_ref().ok()?;
        Some(Scene {
            ask: held.entry.id,
            page: prompt.page_number(),
            choosing: prompt.is_choosing(),
        })
    }

    /// Whether text is being typed, so that a burst of keys may be a paste.
    pub(crate) fn is_writing(&self) -> bool {
        match &self.view {
            _ if self.overlay.is_some() => false,
            View::Filter(_) => true,
            View::History(history) => history.typing,
            View::List => false,
            View::Ask => {
                let page = self.asks.selected().and_then(|held| held.page.as_ref());
                page.is_some_and(Page::is_writing)
            }
        }
    }

    /// An ask is opened for the first time.
    pub(crate) fn open(&mut self, id: EntryId, opened: Opened, now: Moment) {
        self.now = now;
        if let Some(held) = self.asks.get_mut(id) {
            let wait = until(held.entry.deadline, now);
            held.page = Some(Page::new(opened, wait));
        }
    }

    /// The terminal has or has lost the person's eyes.
    pub(crate) fn focus(&mut self, focused: bool) {
        self.focused = Some(focused);
        self.wanted.push_back(Wanted::Looking(focused));
    }

    /// It runs again: somebody has just brought it back.
    pub(crate) fn resume(&mut self, now: Moment) {
        self.now = now;
        self.last_key = Some(now.since);
        self.wanted.push_back(Wanted::Looking(true));
    }

    pub(crate) fn take(&mut self, order: InboxOrder, now: Moment) {
        self.now = now;
        match order {
            InboxOrder::Put { entries, new } => {
                let mut first = None;
                for entry in entries {
                    let id = entry.id;
                    match self.asks.put(entry, now) {
                        Put::New => first = first.or(Some(id)),
                        Put::EndedInFront { writing } if matches!(self.view, View::Ask) => {
                            self.ended_in_front(id, writing);
                        }
                        Put::EndedInFront { .. } | Put::Known => {}
                    }
                }
                if self.loading && self.last_key.is_none() {
                    // Nobody has looked at anything yet: it begins at the top.
                    self.asks.list.go(isize::MIN / 2);
                }
                if let Some(id) = first.filter(|_| new && !self.is_looked_at()) {
                    self.wanted.push_back(Wanted::Ring(id));
                }
            }
            InboxOrder::Sent { id, outcome } => self.sent(id, outcome),
            InboxOrder::TakeUp { id, version, elsewhere, over } => {
                let held = self.asks.get_mut(id).filter(|held| held.entry.waits());
                let page = held.and_then(|held| held.page.as_mut());
                let here = page.and_then(|page| page.take_up(&elsewhere, over.as_ref()));
                self.wanted.extend(here.map(|here| Wanted::TakenUp(id, version, here)));
            }
            InboxOrder::Divided { id, divided } => {
                if let Some(page) = self.asks.get_mut(id).and_then(|held| held.page.as_mut()) {
                    page.divided = divided;
                }
            }
            InboxOrder::Found { text, past, more } => {
                if let View::History(history) = &mut self.view {
                    history.found(&text, past, more);
                }
            }
            InboxOrder::NotFound { text, why } => {
                if let View::History(history) = &mut self.view {
                    history.failed(&text);
                }
                self.notice = Some(why);
            }
            InboxOrder::Doubt => self.asks.doubt(),
            InboxOrder::Show { title, passages } => {
                self.overlay = Some(Overlay::of(title, passages));
            }
            InboxOrder::Say(text) => self.notice = Some(text),
            InboxOrder::Away(away) => {
                self.away = away;
                self.loading &= away;
            }
            InboxOrder::Close => self.wanted.push_back(Wanted::Closed),
        }
    }

    fn is_looked_at(&self) -> bool {
        let lately = self.last_key.is_some_and(|key| self.now.since < key + AWAY_AFTER);
        self.focused != Some(false) && lately
    }

    fn sent(&mut self, id: EntryId, outcome: Sent) {
        if outcome == Sent::Late {
            self.notice = Some("Too late: it had ended. Your answer does not count.".into());
        }
        let Some(held) = self.asks.get_mut(id) else { return };
        let place = held.place;
        let Some(page) = &mut held.page else { return };
        page.sending = None;
        match outcome {
            Sent::Taken => page.answered_here = true,
            Sent::Late => {}
            Sent::Refused(why) => {
                if let Ok(prompt) = &mut page.prompt {
                    prompt.notice = Some(crate::prompt::Notice::Refused(why.clone()));
                }
                self.notice = Some(format!("Not taken: {why}"));
            }
        }
        self.asks.relist(id, place);
    }

    /// What was typed for each ask and nobody was sent.
    pub(crate) fn unsent(&self) -> Vec<(Entry, Vec<String>)> {
        self.asks.unsent()
    }

    /// Tells what has changed of a draft.
    pub(super) fn tell_draft(&mut self) {
        let Some(held) = self.asks.selected_mut() else { return };
        let id = held.entry.id;
        let news: Option<Unsent> = held.page.as_mut().and_then(Page::news);
        self.wanted.extend(news.map(|unsent| Wanted::Draft(id, unsent)));
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
