//! The end of an ask under somebody's hands: keys that were meant for it must not reach another.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent};

use super::entry::EntryId;
use super::state::{Inbox, View};

/// Whoever has not pressed a key for this long has seen that it has ended.
const REST: Duration = Duration::from_millis(700);

/// An ask that ended elsewhere while keys went to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndedInFront {
    ask: EntryId,
    /// The fingers have rested by then, if no key comes before.
    rested: Duration,
    /// A text was being typed: every letter is one of its own until Esc leaves it.
    writing: bool,
}

impl Inbox {
    pub(super) fn ended_in_front(&mut self, ask: EntryId, writing: bool) {
        self.ended = Some(EndedInFront { ask, rested: self.now.since + REST, writing });
    }

    /// Whether a key was meant for the ask that has just ended in front of somebody.
    pub(super) fn is_meant_for_ended(&mut self, key: KeyEvent) -> bool {
        let Some(mut ended) = self.just_ended() else { return false };
        let now = self.now.since;
        let esc = key.code == KeyCode::Esc && key.modifiers.is_empty();
        if !ended.writing && (esc || now >= ended.rested) {
            self.ended = None;
            return false;
        }
        ended.writing &= !esc;
        ended.rested = ended.rested.max(now + REST);
        self.ended = Some(ended);
        true
    }

    /// Whoever pastes has not rested.
    pub(super) fn typed_at_ended(&mut self) {
        if let Some(ended) = &mut self.ended {
            ended.rested = ended.rested.max(self.now.since + REST);
        }
    }

    /// What there is to say as long as keys go nowhere.
    pub(super) fn end_notice(&self) -> Option<&'static str> {
        let ended = self.just_ended()?;
        if ended.writing {
            return Some("It has ended. Esc leaves your text.");
        }
        (self.now.since < ended.rested).then_some("It has ended. Pause, then press n.")
    }

    /// When keys count again.
    pub(super) fn rested(&self) -> Option<Duration> {
        let ended = self.just_ended().filter(|ended| !ended.writing)?;
        (self.now.since < ended.rested).then_some(ended.rested)
    }

    fn just_ended(&self) -> Option<EndedInFront> {
        let in_front = matches!(self.view, View::Ask).then(|| self.asks.list.selected()).flatten();
        self.ended.filter(|ended| Some(ended.ask) == in_front)
    }
}
