//! What each page was told of lately, for dialects whose answers name no question.
//!
//! A list of labels that comes late must not answer what its sender never saw.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use handraise_broker::{AskId, DeviceId};

/// What each device was told of each agent it looked at.
///
/// In memory only: after a restart nobody has looked yet.
#[derive(Debug, Default)]
pub(crate) struct Told(Mutex<Pages>);

#[derive(Debug, Default)]
struct Pages {
    made: u64,
    looks: HashMap<(DeviceId, String), Looks>,
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
    fn pages<T>(&self, look: impl FnOnce(&mut Pages) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
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
                }
            }
        });
    }

    /// What a page of this device may show of this agent, the likeliest first. Nothing, when it was never
    /// told anything.
    pub(crate) fn lately(&self, device: DeviceId, agent: &str, now: Duration) -> Vec<Vec<AskId>> {
        self.pages(|pages| {
            let looks = pages.looks.get(&(device, agent.to_owned()));
            let made = looks.map_or(&[][..], |looks| &looks.made);
            let is_late = |look: &&Look| now.saturating_sub(look.at) < LATE;
            let (last, before) = made.split_last().map_or((None, made), |(l, b)| (Some(l), b));
            let before = before.iter().rev().filter(is_late);
            last.into_iter().chain(before).map(|look| look.asks.clone()).collect()
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

    #[test]
    fn what_was_told_lately_may_still_be_shown_by_that_device_of_that_agent() {
        let told = Told::default();
        told.note(device(1), "a", vec![ask(1)], START);
        told.note(device(1), "a", vec![ask(2)], after(3));
        told.note(device(1), "b", vec![], after(3));
        assert_eq!(told.lately(device(1), "a", after(14)), [vec![ask(2)], vec![ask(1)]]);
        assert_eq!(told.lately(device(1), "a", after(15)), [vec![ask(2)]]);
        assert_eq!(told.lately(device(1), "a", after(500)), [vec![ask(2)]], "it shows that");
        assert_eq!(told.lately(device(1), "b", after(3)), [Vec::<AskId>::new()]);
        assert!(told.lately(device(2), "a", after(3)).is_empty());
    }

    #[test]
    fn the_same_told_again_is_one_look() {
        let told = Told::default();
        for second in 0..10 {
            told.note(device(1), "a", vec![ask(1)], after(second));
        }
        told.note(device(1), "a", vec![ask(2)], after(10));
        assert_eq!(told.lately(device(1), "a", after(20)), [vec![ask(2)], vec![ask(1)]]);
        assert_eq!(told.lately(device(1), "a", after(24)), [vec![ask(2)]]);
    }

    #[test]
    fn what_was_answered_here_stands_beside_nothing_that_is_told_later() {
        let told = Told::default();
        told.note(device(1), "a", vec![ask(1)], START);
        told.answered(device(1), "a");
        assert_eq!(told.lately(device(1), "a", START), [vec![ask(1)]], "sent twice");
        told.note(device(1), "a", vec![ask(2)], after(3));
        assert_eq!(told.lately(device(1), "a", after(3)), [vec![ask(2)]]);
    }

    #[test]
    fn of_too_many_the_one_that_has_not_looked_for_longest_is_forgotten() {
        let told = Told::default();
        for agent in 0..MOST {
            told.note(device(1), &agent.to_string(), vec![], START);
        }
        told.note(device(1), "0", vec![], START);
        told.note(device(1), "one more", vec![], START);
        assert_eq!(told.lately(device(1), "0", START).len(), 1);
        assert!(told.lately(device(1), "1", START).is_empty());
        assert_eq!(told.pages(|pages| pages.looks.len()), MOST);
    }
}
