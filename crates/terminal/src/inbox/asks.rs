//! The asks that are held, and which of them are listed.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::entry::{Entry, EntryId, Standing};
use super::list::List;
use super::order::{Place, place};
use super::page::Page;
use super::scroll::Scroll;
use super::state::Moment;

/// Every ask that waits, that somebody should know of, or looks at.
#[derive(Debug, Default)]
pub(super) struct Asks {
    held: HashMap<EntryId, Held>,
    pub(super) list: List,
    /// The words an entry must hold to be in the list, in small letters.
    filter: Vec<String>,
    dismissed: HashSet<EntryId>,
    /// What was typed for asks that were dismissed since.
    kept: Vec<(Entry, Vec<String>)>,
}

#[derive(Debug)]
pub(super) struct Held {
    pub(super) entry: Entry,
    pub(super) place: Place,
    listed: bool,
    pub(super) page: Option<Page>,
    /// Which part of its end is in view.
    pub(super) end: Scroll,
    /// It was asked for, and is about to come.
    pub(super) asked_for: bool,
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

/// What is new about an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Put {
    /// It waits, and nobody knew.
    New,
    /// It was selected and has ended, by no answer given here.
    EndedInFront {
        /// A text was being typed.
        writing: bool,
    },
    /// Nothing that anybody has to be told.
    Known,
}

impl Asks {
    pub(super) fn get(&self, id: EntryId) -> Option<&Held> {
        self.held.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: EntryId) -> Option<&mut Held> {
        self.held.get_mut(&id)
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

    /// The words an entry must hold to be in the list.
    pub(super) fn filter(&self) -> &[String] {
        &self.filter
    }

    /// Takes an ask as it stands now.
    pub(super) fn put(&mut self, entry: Entry, now: Moment) -> Put {
        let (id, waits) = (entry.id, entry.waits());
        if is_alarm(&entry) && self.dismissed.contains(&id) {
            return Put::Known;
        }
        let selected = self.list.selected() == Some(id);
        let Some(held) = self.held.get_mut(&id) else {
            if matches!(entry.standing, Standing::Ended(_)) {
                return Put::Known;
            }
            let place = place(&entry);
            self.held.insert(id, Held::new(entry, place));
            self.relist(id, place);
            return if waits { Put::New } else { Put::Known };
        };
        let doubted = std::mem::take(&mut held.doubted);
        if waits && !held.entry.waits() && !doubted {
            // Old news: what has ended does not begin again.
            return Put::Known;
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
        if ends && selected && !sent { Put::EndedInFront { writing } } else { Put::Known }
    }

    /// What is told of any of them next counts, even that it waits again.
    pub(super) fn doubt(&mut self) {
        self.held.values_mut().for_each(|held| held.doubted = true);
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
    pub(super) fn unsent(&self) -> Vec<(Entry, Vec<String>)> {
        let typed = |held: &Held| {
            let typed = held.page.as_ref().map(Page::typed).filter(|typed| !typed.is_empty())?;
            Some((held.entry.clone(), typed))
        };
        let kept = self.kept.iter().filter(|(_, typed)| !typed.is_empty()).cloned();
        let mut unsent: Vec<_> = self.held.values().filter_map(typed).chain(kept).collect();
        unsent.sort_by_key(|(entry, _)| (entry.asked, entry.id));
        unsent
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
pub(super) fn until(deadline: Option<i64>, now: Moment) -> Option<Duration> {
    let left = u64::try_from(deadline?.saturating_sub(now.clock)).unwrap_or(0);
    now.since.checked_add(Duration::from_secs(left))
}
