//! What the desktop shows, and what is still to be done so that it shows what it should. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::board::{Notice, Topic};
use crate::words::Words;

/// The notifications of one daemon, as far as they are ours.
#[derive(Debug, Default)]
pub(super) struct Mirror {
    /// Which daemon gave the numbers: to another they mean nothing, or somebody else's notification.
    daemon: Option<String>,
    shown: BTreeMap<Topic, Shown>,
    /// What the daemon was told to show, and has not said under which number: it may be on the desktop.
    unheard: BTreeSet<Topic>,
}

#[derive(Debug)]
struct Shown {
    /// The daemon's number for it; none when it was closed on the desktop.
    id: Option<u32>,
    tap: u64,
    /// Not known of one that an earlier hub has shown.
    words: Option<Words>,
}

/// The next thing to be done.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    Close(Topic, u32),
    /// An earlier hub was ended before it heard the number of what it had shown, and it is not wanted now.
    Find(Topic),
    Show {
        topic: Topic,
        replaces: Option<u32>,
        notice: &'a Notice,
    },
}

/// What the next hub is to know.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    daemon: Option<String>,
    shown: Vec<(Topic, Option<u32>)>,
    #[serde(default)]
    unheard: BTreeSet<Topic>,
}

impl From<Kept> for Mirror {
    fn from(kept: Kept) -> Self {
        let shown = |(topic, id)| (topic, Shown { id, tap: 0, words: None });
        let Kept { daemon, shown: all, unheard } = kept;
        Self { daemon, shown: all.into_iter().map(shown).collect(), unheard }
    }
}

impl Mirror {
    pub(super) fn kept(&self) -> Kept {
        let shown = self.shown.iter().map(|(topic, shown)| (*topic, shown.id)).collect();
        Kept { daemon: self.daemon.clone(), shown, unheard: self.unheard.clone() }
    }

    /// Another daemon shows nothing of what the last one did. What a person closed stays closed.
    pub(super) fn meet(&mut self, daemon: Option<String>) {
        if self.daemon != daemon {
            self.daemon = daemon;
            self.shown.retain(|_, shown| shown.id.is_none());
            self.unheard.clear();
        }
    }

    /// What is to be done next; nothing when the desktop shows what it should.
    pub(super) fn next<'a>(&mut self, wanted: &'a BTreeMap<Topic, Notice>) -> Option<Step<'a>> {
        self.shown.retain(|topic, shown| shown.id.is_some() || wanted.contains_key(topic));
        let mut gone = self.shown.iter().filter(|(topic, _)| !wanted.contains_key(topic));
        if let Some((topic, id)) = gone.find_map(|(topic, shown)| Some((*topic, shown.id?))) {
            return Some(Step::Close(topic, id));
        }
        if let Some(topic) = self.unheard.iter().find(|topic| !wanted.contains_key(topic)) {
            return Some(Step::Find(*topic));
        }
        wanted.iter().find_map(|(&topic, notice)| {
            let replaces = match self.shown.get(&topic) {
                None => None,
                Some(shown) if shown.tap != notice.tap => shown.id,
                Some(Shown { id: None, .. }) => return None,
                Some(Shown { id: Some(id), words, .. }) => match words {
                    Some(words) if *words != notice.words => Some(*id),
                    // How many there were is not known.
                    None if topic == Topic::Many => Some(*id),
                    Some(_) | None => return None,
                },
            };
            Some(Step::Show { topic, replaces, notice })
        })
    }

    /// The daemon is about to be told to show it.
    pub(super) fn is_called_for(&mut self, topic: Topic) {
        self.unheard.insert(topic);
    }

    /// It is on the desktop, under this number.
    pub(super) fn is_shown(&mut self, topic: Topic, notice: &Notice, id: u32) {
        let shown = Shown { id: Some(id), tap: notice.tap, words: Some(notice.words.clone()) };
        self.shown.insert(topic, shown);
        self.unheard.remove(&topic);
    }

    /// It is on the desktop no more, or cannot be found there.
    pub(super) fn is_given_up(&mut self, topic: Topic) {
        self.unheard.remove(&topic);
    }

    /// We closed it.
    pub(super) fn is_closed(&mut self, topic: Topic) {
        self.shown.remove(&topic);
    }

    /// It was closed on the desktop: by a person, or because the daemon keeps nothing for long.
    pub(super) fn was_dismissed(&mut self, id: u32) {
        if let Some(shown) = self.shown.values_mut().find(|shown| shown.id == Some(id)) {
            shown.id = None;
        }
    }

    /// What a notification is about.
    pub(super) fn topic(&self, id: u32) -> Option<Topic> {
        let found = self.shown.iter().find(|(_, shown)| shown.id == Some(id));
        found.map(|(topic, _)| *topic)
    }

    /// Whether nothing of ours is on the desktop.
    pub(super) fn is_blank(&self) -> bool {
        self.unheard.is_empty() && self.shown.values().all(|shown| shown.id.is_none())
    }

    /// The numbers of all that is ours.
    pub(super) fn ids(&self) -> Vec<(Topic, u32)> {
        self.shown.iter().filter_map(|(topic, shown)| Some((*topic, shown.id?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handraise_broker::AskId;
    use jiff::Timestamp;

    type Wanted = BTreeMap<Topic, Notice>;

    fn topic(n: u8) -> Topic {
        Topic::Ask(AskId::new(Timestamp::UNIX_EPOCH, [n; 10]))
    }

    fn notice(text: &str, tap: u64) -> Notice {
        Notice { words: Words { title: text.into(), body: String::new() }, tap }
    }

    /// Does what is to be done, and says what that was.
    fn settle(mirror: &mut Mirror, wanted: &Wanted) -> Vec<String> {
        let mut done = vec![];
        while let Some(step) = mirror.next(wanted) {
            let next_id = 100 + u32::try_from(done.len()).unwrap();
            match step {
                Step::Close(topic, id) => {
                    done.push(format!("close {id}"));
                    mirror.is_closed(topic);
                }
                Step::Find(topic) => {
                    done.push("find".to_owned());
                    mirror.is_given_up(topic);
                }
                Step::Show { topic, replaces, notice } => {
                    let over = replaces.map(|id| format!(" over {id}")).unwrap_or_default();
                    done.push(format!("show {}{over}", notice.words.title));
                    mirror.is_shown(topic, notice, replaces.unwrap_or(next_id));
                }
            }
        }
        done
    }

    #[test]
    fn the_desktop_comes_to_show_what_it_should() {
        let mut mirror = Mirror::default();
        let mut wanted = Wanted::from([(topic(1), notice("a", 1))]);
        assert_eq!(settle(&mut mirror, &wanted), ["show a"]);
        assert_eq!(settle(&mut mirror, &wanted), [""; 0]);
        wanted.insert(topic(1), notice("b", 1));
        assert_eq!(settle(&mut mirror, &wanted), ["show b over 100"]);
        assert_eq!(settle(&mut mirror, &Wanted::new()), ["close 100"]);
        assert!(mirror.is_blank());
    }

    #[test]
    fn what_was_dismissed_stays_away_until_there_is_a_new_reason() {
        let mut mirror = Mirror::default();
        let mut wanted = Wanted::from([(topic(1), notice("a", 1))]);
        settle(&mut mirror, &wanted);
        mirror.was_dismissed(100);
        wanted.insert(topic(1), notice("b", 1));
        assert_eq!(settle(&mut mirror, &wanted), [""; 0]);
        wanted.insert(topic(1), notice("c", 2));
        assert_eq!(settle(&mut mirror, &wanted), ["show c"]);
    }

    #[test]
    fn a_new_daemon_is_shown_everything_but_what_was_dismissed() {
        let mut mirror = Mirror::default();
        mirror.meet(Some("one".into()));
        let wanted = Wanted::from([(topic(1), notice("a", 1)), (topic(2), notice("b", 2))]);
        settle(&mut mirror, &wanted);
        mirror.was_dismissed(100);
        mirror.meet(Some("one".into()));
        assert_eq!(settle(&mut mirror, &wanted), [""; 0]);
        mirror.meet(Some("two".into()));
        assert_eq!(settle(&mut mirror, &wanted), ["show b"]);
    }

    #[test]
    fn the_next_hub_closes_what_has_ended_and_shows_nothing_twice() {
        let mut mirror = Mirror::default();
        mirror.meet(Some("one".into()));
        let all = [topic(1), topic(2), Topic::Many].map(|topic| (topic, notice("a", 1)));
        settle(&mut mirror, &all.into());
        let kept = serde_json::to_string(&mirror.kept()).unwrap();
        let restored = || Mirror::from(serde_json::from_str::<Kept>(&kept).unwrap());
        let left = Wanted::from([(topic(2), notice("a", 0)), (Topic::Many, notice("b", 0))]);
        let mut next = restored();
        next.meet(Some("one".into()));
        assert_eq!(settle(&mut next, &left), ["close 100", "show b over 102"]);
        let mut after_a_reboot = restored();
        after_a_reboot.meet(Some("two".into()));
        assert_eq!(settle(&mut after_a_reboot, &left), ["show a", "show b"]);
    }

    #[test]
    fn what_a_hub_has_shown_and_not_heard_of_is_found_by_the_next() {
        let mut mirror = Mirror::default();
        mirror.meet(Some("one".into()));
        for n in [1, 2] {
            mirror.is_called_for(topic(n));
        }
        let kept = serde_json::to_string(&mirror.kept()).unwrap();
        let restored = || Mirror::from(serde_json::from_str::<Kept>(&kept).unwrap());
        let left = Wanted::from([(topic(2), notice("b", 0))]);
        let mut next = restored();
        assert!(!next.is_blank());
        next.meet(Some("one".into()));
        assert_eq!(settle(&mut next, &left), ["find", "show b"]);
        assert_eq!(settle(&mut next, &Wanted::new()), ["close 101"]);
        assert!(next.is_blank());
        let mut after_a_reboot = restored();
        after_a_reboot.meet(Some("two".into()));
        assert_eq!(settle(&mut after_a_reboot, &left), ["show b"]);
        // As hubs wrote it that did not know of this.
        let old = r#"{"daemon":"one","shown":[]}"#;
        assert!(Mirror::from(serde_json::from_str::<Kept>(old).unwrap()).is_blank());
    }
}
