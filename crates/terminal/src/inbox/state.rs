//! What the inbox knows, and what it is told.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use super::ended::EndedInFront;
use super::entry::{Entry, EntryId, Opened, Standing};
use super::history::History;
use super::list::List;
use super::order::{Place, place};
use super::orders::{InboxOrder, Sent, Wanted};
use super::overlay::Overlay;
use super::page::Page;
use super::scroll::Scroll;
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

#[derive(Debug)]
pub(super) struct Held {
    pub(super) entry: Entry,
    place: Place,
    listed: bool,
    pub(super) page: Option<Page>,
    /// Which part of its end is in view.
    pub(super) end: Scroll,
    /// It was asked for, and is about to come.
    asked_for: bool,
    /// What is told of it next counts, even that it waits again.
    doubted: bool,
}

impl Held {
    fn new(entry: Entry, place: Place) -> Self {
        Self {
            entry,
            place,
            listed: false,
            page: None,
            end: Scroll::default(),
            asked_for: false,
            doubted: false,
        }
    }
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
    held: HashMap<EntryId, Held>,
    pub(super) list: List,
    pub(super) view: View,
    pub(super) overlay: Option<Overlay>,
    /// The words an entry must hold to be in the list, in small letters.
    pub(super) filter: Vec<String>,
    pub(super) away: bool,
    pub(super) notice: Option<String>,
    /// List and ask are side by side, as last drawn.
    pub(super) side_by_side: bool,
    /// The ask on the screen when somebody asked what is wanted, and whether keys went to it.
    shown: Option<(EntryId, bool)>,
    /// Not everything was heard yet of what waits.
    pub(super) loading: bool,
    dismissed: HashSet<EntryId>,
    /// What was typed for asks that were dismissed since.
    kept: Vec<(Entry, Vec<String>)>,
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
            held: HashMap::new(),
            list: List::default(),
            view: View::List,
            overlay: None,
            filter: vec![],
            away: false,
            notice: None,
            side_by_side: false,
            shown: None,
            loading: true,
            dismissed: HashSet::new(),
            kept: vec![],
            ended: None,
            wanted: VecDeque::new(),
            focused: None,
            last_key: None,
            opened_by_enter: None,
            now,
        }
    }

    pub(super) fn held(&self, id: EntryId) -> Option<&Held> {
        self.held.get(&id)
    }

    pub(super) fn selected(&self) -> Option<&Held> {
        self.held.get(&self.list.selected()?)
    }

    pub(super) fn selected_mut(&mut self) -> Option<&mut Held> {
        self.held.get_mut(&self.list.selected()?)
    }

    /// How many wait, and how many have ended in a way a person should know of.
    pub(super) fn counts(&self) -> (usize, usize) {
        let waits = self.held.values().filter(|held| held.entry.waits()).count();
        let alarms = self.held.values().filter(|held| is_alarm(&held.entry)).count();
        (waits, alarms)
    }

    /// What is wanted next.
    pub(crate) fn next_wanted(&mut self) -> Option<Wanted> {
        let in_front = matches!(self.view, View::Ask);
        let shown = self.list.selected().filter(|_| in_front || self.side_by_side);
        let shown = shown.map(|id| (id, in_front));
        let shown_anew = shown != std::mem::replace(&mut self.shown, shown);
        if let Some(held) = shown.and_then(|(id, _)| self.held.get_mut(&id)) {
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
        let held = self.selected().filter(|held| shown && held.entry.waits())?;
        let page = held.page.as_ref().filter(|page| page.sending.is_none())?;
        page.prompt.as_ref().ok()?.next_tick()
    }

    /// What keys would answer, if they answer anything.
    pub(crate) fn scene(&self) -> Option<Scene> {
        if !matches!(self.view, View::Ask) || self.overlay.is_some() {
            return None;
        }
        let held = self.selected().filter(|held| held.entry.waits())?;
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
                let page = self.selected().and_then(|held| held.page.as_ref());
                page.is_some_and(Page::is_writing)
            }
        }
    }

    /// An ask is opened for the first time.
    pub(crate) fn open(&mut self, id: EntryId, opened: Opened, now: Moment) {
        self.now = now;
        if let Some(held) = self.held.get_mut(&id) {
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
                    if self.put(entry) {
                        first = first.or(Some(id));
                    }
                }
                if self.loading && self.last_key.is_none() {
                    // Nobody has looked at anything yet: it begins at the top.
                    self.list.go(isize::MIN / 2);
                }
                if let Some(id) = first.filter(|_| new && !self.is_looked_at()) {
                    self.wanted.push_back(Wanted::Ring(id));
                }
            }
            InboxOrder::Sent { id, outcome } => self.sent(id, outcome),
            InboxOrder::TakeUp { id, version, elsewhere, over } => {
                let held = self.held.get_mut(&id).filter(|held| held.entry.waits());
                let page = held.and_then(|held| held.page.as_mut());
                let here = page.and_then(|page| page.take_up(&elsewhere, over.as_ref()));
                self.wanted.extend(here.map(|here| Wanted::TakenUp(id, version, here)));
            }
            InboxOrder::Divided { id, divided } => {
                if let Some(page) = self.held.get_mut(&id).and_then(|held| held.page.as_mut()) {
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
            InboxOrder::Doubt => self.held.values_mut().for_each(|held| held.doubted = true),
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

    /// Takes an ask as it stands now. Returns whether it is a new one that waits.
    fn put(&mut self, entry: Entry) -> bool {
        let (id, waits) = (entry.id, entry.waits());
        if is_alarm(&entry) && self.dismissed.contains(&id) {
            return false;
        }
        let selected = self.list.selected() == Some(id);
        let now = self.now;
        let Some(held) = self.held.get_mut(&id) else {
            if matches!(entry.standing, Standing::Ended(_)) {
                return false;
            }
            let place = place(&entry);
            self.held.insert(id, Held::new(entry, place));
            self.relist(id, place);
            return waits;
        };
        let doubted = std::mem::take(&mut held.doubted);
        if waits && !held.entry.waits() && !doubted {
            // Old news: what has ended does not begin again.
            return false;
        }
        if entry.deadline != held.entry.deadline
            && let Some(Ok(prompt)) = held.page.as_mut().map(|page| &mut page.prompt)
        {
            prompt.wait_until(until(entry.deadline, now));
        }
        let ends = held.entry.waits() && !waits;
        let page = held.page.as_ref();
        let sent = page.is_some_and(|page| page.sending.is_some() || page.answered_here);
        let writing = page.is_some_and(Page::is_writing);
        // Ended while it is looked at, it stays where it is.
        let to = if selected && !waits { held.place } else { place(&entry) };
        held.entry = entry;
        if ends {
            held.end = Scroll::default();
        }
        self.relist(id, to);
        // After an answer given here, its end is no surprise.
        if ends && selected && !sent && matches!(self.view, View::Ask) {
            self.ended_in_front(id, writing);
        }
        false
    }

    /// Puts an ask into the list, or out of it, or forgets it when it is of no interest any more.
    pub(super) fn relist(&mut self, id: EntryId, to: Place) {
        let selected = self.list.selected() == Some(id);
        let Some(held) = self.held.get_mut(&id) else { return };
        let before = held.listed.then_some(held.place);
        held.place = to;
        let interest = selected || is_of_interest(held);
        if interest && (selected || held.entry.holds(&self.filter)) {
            held.listed = true;
            self.list.put(before, to);
            return;
        }
        held.listed = false;
        if let Some(before) = before {
            self.list.remove(before);
        }
        if !interest {
            self.held.remove(&id);
        }
    }

    fn sent(&mut self, id: EntryId, outcome: Sent) {
        if outcome == Sent::Late {
            self.notice = Some("Too late: it had ended. Your answer does not count.".into());
        }
        let Some(held) = self.held.get_mut(&id) else { return };
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
        self.relist(id, place);
    }

    /// The selection has left `id`: if that was only kept because it was looked at, it goes.
    pub(super) fn left(&mut self, id: Option<EntryId>) {
        let Some(id) = id.filter(|id| self.list.selected() != Some(*id)) else { return };
        if let Some(held) = self.held.get(&id) {
            let to = if held.entry.waits() { held.place } else { place(&held.entry) };
            self.relist(id, to);
        }
    }

    /// Takes an ask away that has ended and of which nothing is left to tell.
    pub(super) fn forget(&mut self, id: EntryId) {
        if self.held.get(&id).is_some_and(|held| !is_of_interest(held)) {
            self.dismiss(id);
        }
    }

    /// Takes an ask away that waits for nobody.
    pub(super) fn dismiss(&mut self, id: EntryId) {
        if let Some(held) = self.held.get(&id).filter(|held| !held.entry.waits()) {
            let (listed, place) = (held.listed, held.place);
            if is_alarm(&held.entry) {
                self.dismissed.insert(id);
            }
            if let Some(Held { entry, page: Some(page), .. }) = self.held.remove(&id) {
                self.kept.push((entry, page.typed()));
            }
            if listed {
                self.list.remove(place);
            }
        }
    }

    /// Shows only entries that hold all these words.
    pub(super) fn filter_by(&mut self, text: &str) {
        self.filter = text.split_whitespace().map(str::to_lowercase).collect();
        let before = self.list.selected();
        for held in self.held.values_mut() {
            held.listed = held.entry.holds(&self.filter);
        }
        let listed = self.held.values().filter(|held| held.listed);
        self.list.show_only(listed.map(|held| held.place).collect());
        self.left(before);
    }

    /// What was typed for each ask and nobody was sent.
    pub(crate) fn unsent(&self) -> Vec<(Entry, Vec<String>)> {
        let typed = |held: &Held| {
            let typed = held.page.as_ref().map(Page::typed).filter(|typed| !typed.is_empty())?;
            Some((held.entry.clone(), typed))
        };
        let kept = self.kept.iter().filter(|(_, typed)| !typed.is_empty()).cloned();
        let mut unsent: Vec<_> = self.held.values().filter_map(typed).chain(kept).collect();
        unsent.sort_by_key(|(entry, _)| (entry.asked, entry.id));
        unsent
    }

    /// Tells what has changed of a draft.
    pub(super) fn tell_draft(&mut self) {
        let Some(held) = self.selected_mut() else { return };
        let id = held.entry.id;
        let news: Option<Unsent> = held.page.as_mut().and_then(Page::news);
        self.wanted.extend(news.map(|unsent| Wanted::Draft(id, unsent)));
    }
}

fn is_alarm(entry: &Entry) -> bool {
    matches!(entry.standing, Standing::Alarm(_))
}

/// Whether an ask is to be in the list although nobody looks at it just now.
fn is_of_interest(held: &Held) -> bool {
    let typed = || held.page.as_ref().is_some_and(|page| !page.typed().is_empty());
    held.entry.waits() || is_alarm(&held.entry) || typed()
}

/// When a deadline comes, counted from the beginning of the inbox.
fn until(deadline: Option<i64>, now: Moment) -> Option<Duration> {
    let left = u64::try_from(deadline?.saturating_sub(now.clock)).unwrap_or(0);
    now.since.checked_add(Duration::from_secs(left))
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
