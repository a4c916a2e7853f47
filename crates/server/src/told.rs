//! Which asks each page was told of last, for dialects whose answers name no question.
//!
//! A list of labels that comes late must not answer what its sender never saw.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use handraise_broker::{AskId, DeviceId};

/// What each device was told of each agent it looked at.
///
/// In memory only: after a restart nobody has looked yet.
#[derive(Debug, Default)]
pub(crate) struct Told(Mutex<Looks>);

#[derive(Debug, Default)]
struct Looks {
    made: u64,
    last: HashMap<(DeviceId, String), Look>,
}

#[derive(Debug)]
struct Look {
    /// Its place among all looks.
    number: u64,
    asks: Vec<AskId>,
}

/// More than anybody has open at once; whoever has not looked for longest is forgotten first.
const MOST: usize = 1000;

impl Told {
    /// Notes what a device was told when it looked at this agent.
    pub(crate) fn note(&self, device: DeviceId, agent: &str, asks: Vec<AskId>) {
        let mut looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        looks.made += 1;
        let number = looks.made;
        looks.last.insert((device, agent.to_owned()), Look { number, asks });
        if looks.last.len() > MOST {
            let oldest = looks.last.iter().min_by_key(|(_, look)| look.number);
            if let Some(page) = oldest.map(|(page, _)| page.clone()) {
                looks.last.remove(&page);
            }
        }
    }

    /// What a device was told when it last looked at this agent; `None` when it never did.
    pub(crate) fn last(&self, device: DeviceId, agent: &str) -> Option<Vec<AskId>> {
        let looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        looks.last.get(&(device, agent.to_owned())).map(|look| look.asks.clone())
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn device(number: u8) -> DeviceId {
        DeviceId::new(Timestamp::UNIX_EPOCH, [number; 10])
    }

    fn ask(number: u8) -> AskId {
        AskId::new(Timestamp::UNIX_EPOCH, [number; 10])
    }

    #[test]
    fn the_last_look_counts_for_each_device_and_agent_alone() {
        let told = Told::default();
        told.note(device(1), "a", vec![ask(1)]);
        told.note(device(1), "a", vec![ask(2)]);
        told.note(device(1), "b", vec![]);
        assert_eq!(told.last(device(1), "a"), Some(vec![ask(2)]));
        assert_eq!(told.last(device(1), "b"), Some(vec![]));
        assert_eq!(told.last(device(2), "a"), None);
    }

    #[test]
    fn of_too_many_the_one_that_has_not_looked_for_longest_is_forgotten() {
        let told = Told::default();
        for agent in 0..MOST {
            told.note(device(1), &agent.to_string(), vec![]);
        }
        told.note(device(1), "0", vec![]);
        told.note(device(1), "one more", vec![]);
        assert_eq!(told.last(device(1), "0"), Some(vec![]));
        assert_eq!(told.last(device(1), "1"), None);
        assert_eq!(told.0.lock().unwrap().last.len(), MOST);
    }
}
