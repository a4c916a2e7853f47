//! What each page was told of lately, for dialects whose answers name no question.
//!
//! A list of labels that comes late must not answer what its sender never saw.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use handraise_broker::{AskId, DeviceId};

/// What each device was told of each agent it looked at.
///
/// In memory only: after a restart nobody has looked yet.
#[derive(Debug)]
pub(crate) struct Told {
    /// Until then a page may show what it was told by the hub before this one.
    heirs_until: Duration,
    pages: Mutex<Pages>,
}

#[derive(Debug, Default)]
struct Pages {
    made: u64,
    looks: HashMap<(DeviceId, String), Looks>,
    /// Devices of which something was forgotten.
    forgotten: HashSet<DeviceId>,
}

/// What a page of a device may show of an agent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// What it was told lately, the likeliest first.
    Told(Vec<Vec<AskId>>),
    /// It never looked: whoever answers knows from elsewhere what is asked.
    Nothing,
    /// Nobody knows any more.
    Unknown,
}

#[derive(Debug, Default)]
struct Looks {
    /// The place of the last one among all looks.
    number: u64,
    /// The last one last; where several in a row told the same, when that was told last.
    made: Vec<Look>,
}

#[derive(Debug, PartialEq, Eq)]
struct Look {
    at: Duration,
    asks: Vec<AskId>,
}

/// More than anybody has open at once; whoever has not looked for longest is forgotten first.
const MOST: usize = 1000;
/// How long a page may show what was told before its last look: what the hub says may be late, and
/// another window with the same token may have looked since.
const LATE: Duration = Duration::from_secs(15);

impl Told {
    /// Begins now. Where something was asked before, pages may have been told of it.
    pub(crate) fn new(now: Duration, was_anything_asked: bool) -> Self {
        let heirs_until = if was_anything_asked { now + LATE } else { now };
        Self { heirs_until, pages: Mutex::default() }
    }

    fn pages<T>(&self, look: impl FnOnce(&mut Pages) -> T) -> T {
        look(&mut self.pages.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes what a device was told when it looked at this agent.
    pub(crate) fn note(&self, device: DeviceId, agent: &str, asks: Vec<AskId>, now: Duration) {
        self.pages(|pages| {
            pages.made += 1;
            let number = pages.made;
            let looks = pages.looks.entry((device, agent.to_owned())).or_default();
            looks.number = number;
            looks.made.retain(|look| look.asks != asks && now.saturating_sub(look.at) < LATE);
            looks.made.push(Look { at: now, asks });
            if pages.looks.len() > MOST {
                let oldest = pages.looks.iter().min_by_key(|(_, looks)| looks.number);
                if let Some(page) = oldest.map(|(page, _)| page.clone()) {
                    pages.looks.remove(&page);
                    pages.forgotten.insert(page.0);
                }
            }
        });
    }

    /// What a page of this device may show of this agent.
    pub(crate) fn lately(&self, device: DeviceId, agent: &str, now: Duration) -> Shown {
        self.pages(|pages| match pages.looks.get(&(device, agent.to_owned())) {
            Some(looks) => Shown::Told(looks.lately(now)),
            None if now < self.heirs_until || pages.forgotten.contains(&device) => Shown::Unknown,
            None => Shown::Nothing,
        })
    }

    /// Notes that a device has answered what it was told: that page shows it no more.
    pub(crate) fn answered(&self, device: DeviceId, agent: &str) {
        self.pages(|pages| {
            if let Some(looks) = pages.looks.get_mut(&(device, agent.to_owned())) {
                // It stays the last look, for whoever sends the same again, but not beside the next.
                looks.made.drain(..looks.made.len().saturating_sub(1));
                looks.made.iter_mut().for_each(|look| look.at = Duration::ZERO);
            }
        });
    }
}

impl Looks {
    fn lately(&self, now: Duration) -> Vec<Vec<AskId>> {
        let is_late = |look: &&Look| now.saturating_sub(look.at) < LATE;
        let last = self.made.last().into_iter();
        let before = self.made.iter().rev().skip(1).filter(is_late);
        last.chain(before).map(|look| look.asks.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    const START: Duration = Duration::from_secs(1000);

    fn device(number: u8) -> DeviceId {
        DeviceId::new(Timestamp::UNIX_EPOCH, [number; 10])
    }

    fn ask(number: u8) -> AskId {
        AskId::new(Timestamp::UNIX_EPOCH, [number; 10])
    }

    fn after(seconds: u64) -> Duration {
        START + Duration::from_secs(seconds)
    }

    fn told_since_long() -> Told {
        Told::new(Duration::ZERO, true)
    }

    fn shown(told: &Told, agent: &str, seconds: u64) -> Vec<Vec<AskId>> {
        match told.lately(device(1), agent, after(seconds)) {
            Shown::Told(looks) => looks,
            other @ (Shown::Nothing | Shown::Unknown) => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_was_told_lately_may_still_be_shown_by_that_device_of_that_agent() {
        let told = told_since_long();
        told.note(device(1), "a", vec![ask(1)], START);
        told.note(device(1), "a", vec![ask(2)], after(3));
        told.note(device(1), "b", vec![], after(3));
        assert_eq!(shown(&told, "a", 14), [vec![ask(2)], vec![ask(1)]]);
        assert_eq!(shown(&told, "a", 15), [vec![ask(2)]]);
        assert_eq!(shown(&told, "a", 500), [vec![ask(2)]], "it shows that");
        assert_eq!(shown(&told, "b", 3), [Vec::<AskId>::new()]);
        assert_eq!(told.lately(device(2), "a", after(3)), Shown::Nothing);
    }

    #[test]
    fn the_same_told_again_is_one_look() {
        let told = told_since_long();
        for second in 0..10 {
            told.note(device(1), "a", vec![ask(1)], after(second));
        }
        told.note(device(1), "a", vec![ask(2)], after(10));
        assert_eq!(shown(&told, "a", 20), [vec![ask(2)], vec![ask(1)]]);
        assert_eq!(shown(&told, "a", 24), [vec![ask(2)]]);
    }

    #[test]
    fn what_was_answered_here_stands_beside_nothing_that_is_told_later() {
        let told = told_since_long();
        told.note(device(1), "a", vec![ask(1)], START);
        told.answered(device(1), "a");
        assert_eq!(shown(&told, "a", 0), [vec![ask(1)]], "sent twice");
        told.note(device(1), "a", vec![ask(2)], after(3));
        assert_eq!(shown(&told, "a", 3), [vec![ask(2)]]);
    }

    #[test]
    fn after_a_restart_nobody_knows_for_a_while_what_pages_show() {
        let told = Told::new(START, true);
        assert_eq!(told.lately(device(1), "a", after(14)), Shown::Unknown);
        assert_eq!(told.lately(device(1), "a", after(15)), Shown::Nothing);
        let first = Told::new(START, false);
        assert_eq!(first.lately(device(1), "a", START), Shown::Nothing, "there was nothing before");
    }

    #[test]
    fn of_too_many_the_one_that_has_not_looked_for_longest_is_forgotten_and_that_is_known() {
        let told = told_since_long();
        for agent in 0..MOST {
            told.note(device(1), &agent.to_string(), vec![], START);
        }
        told.note(device(1), "0", vec![], START);
        told.note(device(1), "one more", vec![], START);
        assert_eq!(shown(&told, "0", 0).len(), 1);
        assert_eq!(told.lately(device(1), "1", START), Shown::Unknown);
        assert_eq!(told.lately(device(2), "1", START), Shown::Nothing);
        assert_eq!(told.pages(|pages| pages.looks.len()), MOST);
    }
}
