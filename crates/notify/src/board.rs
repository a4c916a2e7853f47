//! What is to be seen at one moment: a notification for each ask, or one for many.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use handraise_broker::AskId;
use serde::{Deserialize, Serialize};

use crate::crowd::{Crowd, Posted};
use crate::policy::Why;
use crate::words::{Who, Words};

/// More asks than this within a moment become one notification.
const MOST_AT_ONCE: usize = 3;
const MOMENT: Duration = Duration::from_secs(2);
/// No desktop has room for more, however slowly they came.
const MOST_SINGLE: usize = 8;

/// What a notification is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Topic {
    /// One ask.
    Ask(AskId),
    /// Several that came together.
    Many,
}

/// A notification as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) words: Words,
    /// Counts the occasions on which somebody is to be tapped anew, even if they closed it before.
    pub(crate) tap: u64,
}

/// Everything that is to be seen.
pub(crate) type Notices = Arc<BTreeMap<Topic, Notice>>;

/// The asks that are shown, alone or together.
#[derive(Debug, Default)]
pub(crate) struct Board {
    single: BTreeMap<AskId, Posted>,
    many: Crowd,
    /// Those that opened within the last moment.
    recent: VecDeque<(Duration, AskId)>,
    taps: u64,
    /// The last tap that was for many.
    many_tap: u64,
}

/// What the next hub of this home is to know. Nearly everything that waits was shown, so what was not is
/// noted: a crowd may be very large.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Remembered {
    /// Those that were shown alone.
    pub(crate) single: Vec<AskId>,
    /// The last one that was there. Nothing when it is not known what was shown: then all is shown anew.
    pub(crate) last: Option<AskId>,
    /// Those up to it that were not shown, because somebody looked.
    pub(crate) unshown: Vec<AskId>,
}

/// More than this nobody remembers.
const MOST_REMEMBERED: usize = 1000;

impl Board {
    /// Puts an ask on the board, or taps for it once more. Returns where it stands.
    pub(crate) fn show(
        &mut self,
        ask: AskId,
        why: Why,
        words: Words,
        who: Who,
        now: Duration,
    ) -> Topic {
        self.taps += 1;
        let posted = Posted { words, who, why, tap: self.taps };
        if why != Why::Opened {
            return self.show_again(ask, posted);
        }
        self.recent.retain(|(at, _)| *at + MOMENT > now);
        self.recent.push_back((now, ask));
        self.single.insert(ask, posted);
        if self.recent.len() > MOST_AT_ONCE {
            for (_, recent) in &self.recent {
                if let Some((recent, posted)) = self.single.remove_entry(recent) {
                    self.many.insert(recent, posted);
                }
            }
        } else if self.single.len() > MOST_SINGLE {
            return self.join(ask);
        } else {
            return Topic::Ask(ask);
        }
        self.many_tap = self.taps;
        Topic::Many
    }

    /// What is said of an ask once more is worth a notification of its own, as long as there is room: one
    /// that only asks makes some.
    fn show_again(&mut self, ask: AskId, posted: Posted) -> Topic {
        self.many.remove(ask);
        self.single.insert(ask, posted);
        if self.single.len() <= MOST_SINGLE {
            return Topic::Ask(ask);
        }
        let mut asking = self.single.iter().filter(|(_, posted)| posted.why == Why::Opened);
        match asking.next().map(|(other, _)| *other) {
            Some(other) => {
                if let Some(posted) = self.single.remove(&other) {
                    self.many.insert(other, posted);
                }
                Topic::Ask(ask)
            }
            None => self.join(ask),
        }
    }

    /// Shows one with the others.
    fn join(&mut self, ask: AskId) -> Topic {
        if let Some(posted) = self.single.remove(&ask) {
            self.many.insert(ask, posted);
        }
        self.many_tap = self.taps;
        Topic::Many
    }

    /// Puts an ask back where it was before this hub was started.
    pub(crate) fn restore(&mut self, ask: AskId, why: Why, words: Words, who: Who, together: bool) {
        let posted = Posted { words, who, why, tap: 0 };
        if together {
            self.many.insert(ask, posted);
        } else {
            self.single.insert(ask, posted);
        }
    }

    /// Takes an ask off the board.
    pub(crate) fn withdraw(&mut self, ask: AskId) {
        self.single.remove(&ask);
        self.many.remove(ask);
        self.recent.retain(|(_, recent)| *recent != ask);
    }

    /// Whether an ask is on the board.
    pub(crate) fn has(&self, ask: AskId) -> bool {
        self.single.contains_key(&ask) || self.many.contains(ask)
    }

    /// What is said of several, if several are shown together.
    pub(crate) fn words_of_many(&self) -> Option<Words> {
        self.many.words()
    }

    /// What is to be seen now.
    pub(crate) fn notices(&self) -> Notices {
        let single = self.single.iter().map(|(ask, posted)| {
            (Topic::Ask(*ask), Notice { words: posted.words.clone(), tap: posted.tap })
        });
        let many =
            self.words_of_many().map(|words| (Topic::Many, Notice { words, tap: self.many_tap }));
        Arc::new(single.chain(many).collect())
    }

    /// What the next hub is to know; `last` is the newest ask there is.
    pub(crate) fn remember(
        &self,
        last: Option<AskId>,
        unshown: impl Iterator<Item = AskId>,
    ) -> Remembered {
        let single = self.single.keys().copied().collect();
        let unshown: Vec<_> = unshown.take(MOST_REMEMBERED + 1).collect();
        let last = last.filter(|_| unshown.len() <= MOST_REMEMBERED);
        Remembered { single, last, unshown }
    }
}

impl Remembered {
    /// Whether an ask that still waits was shown.
    pub(crate) fn was_shown(&self, ask: AskId) -> bool {
        self.single.contains(&ask)
            || self.last.is_some_and(|last| ask <= last) && !self.unshown.contains(&ask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handraise_broker::Asker;
    use jiff::Timestamp;

    fn ask(n: u8) -> AskId {
        AskId::new(Timestamp::UNIX_EPOCH, [n; 10])
    }

    fn words(n: u8) -> Words {
        Words { title: format!("project {n}"), body: format!("question {n}") }
    }

    fn who(n: u8) -> Who {
        let directory = Some(format!("/dev/project-{n}"));
        Who::from(&Asker { agent: "test".into(), directory, ..Asker::default() })
    }

    fn show(board: &mut Board, n: u8, why: Why, seconds: u64) -> Topic {
        board.show(ask(n), why, words(n), who(n), Duration::from_secs(seconds))
    }

    fn titles(board: &Board) -> Vec<String> {
        board.notices().values().map(|notice| notice.words.title.clone()).collect()
    }

    #[test]
    fn three_at_once_stand_alone_and_a_fourth_brings_them_together() {
        let mut board = Board::default();
        for n in 1..=3 {
            assert_eq!(show(&mut board, n, Why::Opened, 0), Topic::Ask(ask(n)));
        }
        assert_eq!(titles(&board), ["project 1", "project 2", "project 3"]);
        assert_eq!(show(&mut board, 4, Why::Opened, 1), Topic::Many);
        assert_eq!(titles(&board), ["4 agents ask"]);
        // A while later one more comes, and stands alone.
        assert_eq!(show(&mut board, 5, Why::Opened, 9), Topic::Ask(ask(5)));
        assert_eq!(titles(&board), ["project 5", "4 agents ask"]);
        // They end one by one; the last one speaks for itself.
        for n in [1, 5, 2] {
            board.withdraw(ask(n));
        }
        assert_eq!(titles(&board), ["2 agents ask"]);
        board.withdraw(ask(3));
        assert_eq!(titles(&board), ["project 4"]);
        board.withdraw(ask(4));
        assert!(board.notices().is_empty());
    }

    #[test]
    fn ends_do_not_tap_anybody_and_newcomers_do() {
        let mut board = Board::default();
        for n in 1..=5 {
            show(&mut board, n, Why::Opened, 0);
        }
        let tap = |board: &Board| board.notices()[&Topic::Many].tap;
        let before = tap(&board);
        board.withdraw(ask(1));
        assert_eq!(tap(&board), before);
        show(&mut board, 6, Why::Opened, 1);
        assert!(tap(&board) > before);
    }

    #[test]
    fn what_needs_attention_again_leaves_the_crowd() {
        let mut board = Board::default();
        for n in 1..=5 {
            show(&mut board, n, Why::Opened, 0);
        }
        assert_eq!(show(&mut board, 2, Why::Deadline, 1), Topic::Ask(ask(2)));
        assert_eq!(titles(&board), ["project 2", "4 agents ask"]);
    }

    #[test]
    fn a_hundred_deadlines_at_once_do_not_fill_the_desktop() {
        let mut board = Board::default();
        for n in 0..100 {
            show(&mut board, n, Why::Opened, 0);
        }
        for n in 0..100 {
            show(&mut board, n, Why::Deadline, 60);
        }
        assert_eq!(board.notices().len(), MOST_SINGLE + 1);
        assert_eq!(titles(&board).last().unwrap(), "92 asks need you");
        // What only asks makes room for what is urgent.
        let mut board = Board::default();
        for n in 0..8 {
            show(&mut board, n, Why::Opened, u64::from(n) * 60);
        }
        assert_eq!(show(&mut board, 9, Why::Undelivered, 900), Topic::Ask(ask(9)));
        assert_eq!(board.notices().len(), MOST_SINGLE + 1);
    }

    #[test]
    fn however_slowly_they_come_the_desktop_is_not_filled() {
        let mut board = Board::default();
        for n in 0..50 {
            show(&mut board, n, Why::Opened, u64::from(n) * 60);
        }
        assert_eq!(board.notices().len(), MOST_SINGLE + 1);
        assert_eq!(titles(&board).last().unwrap(), "42 agents ask");
    }

    #[test]
    fn the_next_hub_finds_the_board_as_it_was() {
        let mut board = Board::default();
        for n in 1..=5 {
            show(&mut board, n, Why::Opened, 0);
        }
        show(&mut board, 6, Why::Opened, 9);
        let remembered = board.remember(Some(ask(7)), [ask(7)].into_iter());
        assert!(!remembered.was_shown(ask(7)) && !remembered.was_shown(ask(8)));
        let mut next = Board::default();
        for id in 1..=6 {
            assert!(remembered.was_shown(ask(id)));
            let together = !remembered.single.contains(&ask(id));
            next.restore(ask(id), Why::Opened, words(id), who(id), together);
        }
        assert_eq!(titles(&next), titles(&board));
        let too_many = (0..=MOST_REMEMBERED).map(|_| ask(1));
        assert_eq!(board.remember(Some(ask(7)), too_many).last, None);
    }
}
