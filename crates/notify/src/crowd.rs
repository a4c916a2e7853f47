//! Asks that are shown together, counted as they come and go: a crowd may be a hundred thousand, and
//! what is said of it must not cost more than a word.

use std::collections::BTreeMap;

use handraise_broker::AskId;

use crate::policy::Why;
use crate::words::{Count, Who, Words, of_many};

/// So many projects are named.
const MOST_NAMES: usize = 4;

/// One ask on the board.
#[derive(Debug)]
pub(crate) struct Posted {
    pub(crate) words: Words,
    pub(crate) who: Who,
    pub(crate) why: Why,
    pub(crate) tap: u64,
}

/// Those that are shown together.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    asks: BTreeMap<AskId, Posted>,
    agents: BTreeMap<Who, usize>,
    projects: BTreeMap<String, usize>,
    /// How many of them are there for another reason than that an agent asks.
    others: usize,
}

impl Crowd {
    pub(crate) fn insert(&mut self, ask: AskId, posted: Posted) {
        self.remove(ask);
        *self.agents.entry(posted.who.clone()).or_default() += 1;
        *self.projects.entry(posted.who.project().to_owned()).or_default() += 1;
        self.others += usize::from(posted.why != Why::Opened);
        self.asks.insert(ask, posted);
    }

    pub(crate) fn remove(&mut self, ask: AskId) {
        let Some(posted) = self.asks.remove(&ask) else { return };
        one_less(&mut self.agents, &posted.who);
        one_less(&mut self.projects, posted.who.project());
        self.others -= usize::from(posted.why != Why::Opened);
    }

    pub(crate) fn contains(&self, ask: AskId) -> bool {
        self.asks.contains_key(&ask)
    }

    /// What is said of them; nothing when there are none.
    pub(crate) fn words(&self) -> Option<Words> {
        match self.asks.len() {
            0 => None,
            // The last one speaks for itself.
            1 => self.asks.values().next().map(|posted| posted.words.clone()),
            asks => Some(of_many(&Count {
                asks,
                agents: self.agents.len(),
                all_ask: self.others == 0,
                projects: self.projects.keys().take(MOST_NAMES).map(String::as_str).collect(),
                more: self.projects.len().saturating_sub(MOST_NAMES),
            })),
        }
    }
}

fn one_less<K: Ord + std::borrow::Borrow<Q>, Q: Ord + ?Sized>(
    counts: &mut BTreeMap<K, usize>,
    key: &Q,
) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handraise_broker::Asker;
    use jiff::Timestamp;

    fn crowd(all: &[(&str, &str)]) -> Crowd {
        let mut crowd = Crowd::default();
        for (place, (project, session)) in (0_u8..).zip(all) {
            let who = Who::from(&Asker {
                agent: "claude-code".into(),
                directory: Some(format!("/dev/{project}")),
                session: Some((*session).into()),
                ..Asker::default()
            });
            let words = Words { title: (*project).into(), body: "asks".into() };
            crowd.insert(ask(place), Posted { words, who, why: Why::Opened, tap: 1 });
        }
        crowd
    }

    fn ask(n: u8) -> AskId {
        AskId::new(Timestamp::UNIX_EPOCH, [n; 10])
    }

    fn said(crowd: &Crowd) -> (String, String) {
        let Words { title, body } = crowd.words().unwrap();
        (title, body)
    }

    #[test]
    fn agents_asks_and_projects_are_counted_as_they_come_and_go() {
        let mut five = crowd(&[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4"), ("e", "5")]);
        assert_eq!(said(&five), ("5 agents ask".into(), "a, b, c, d +1 more".into()));
        five.remove(ask(0));
        five.remove(ask(0));
        assert_eq!(said(&five), ("4 agents ask".into(), "b, c, d, e".into()));
        let same = crowd(&[("a", "1"), ("a", "1"), ("b", "2")]);
        assert_eq!(said(&same), ("2 agents ask 3 times".into(), "a, b".into()));
        let mut one = crowd(&[("a", "1"), ("a", "1")]);
        assert_eq!(said(&one), ("1 agent asks 2 times".into(), "a".into()));
        one.remove(ask(1));
        assert_eq!(said(&one), ("a".into(), "asks".into()));
        one.remove(ask(0));
        assert_eq!(one.words(), None);
    }
}
