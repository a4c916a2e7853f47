//! What comes next, and how often it came before: read from the entries alone, so that a run that was
//! ended anywhere goes on as if it had not been.

use serde_json::Value;

use crate::{Call, Stop, Turn};

use super::{Entry, History};

/// What comes next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// Nobody has said anything yet.
    NoPrompt,
    /// The model is to say something.
    AskModel,
    /// A call is to be made.
    Call {
        call: Call,
        /// The model ran out of room while it wrote this call.
        cut_short: bool,
        /// It began before, and its end is not known.
        started: bool,
    },
    /// The model ran out of room, and is to go on.
    GoOn,
    /// The model will not go on.
    Refused,
    /// The model has said what it wanted to say.
    Done(String),
}

impl History {
    pub(crate) fn step(&self) -> Step {
        let Some(last) = self.entries.iter().rev().find(|entry| speaks(entry)) else {
            return Step::NoPrompt;
        };
        let Entry::Turn(turn) = last else { return Step::AskModel };
        if let Some(call) = self.open_calls().next() {
            let cut_short = turn.stop == Stop::CutOff && turn.calls.last() == Some(call);
            return Step::Call { call: call.clone(), cut_short, started: self.started(&call.id) };
        }
        if !turn.calls.is_empty() {
            return Step::AskModel;
        }
        match turn.stop {
            Stop::End => Step::Done(self.last_words()),
            Stop::CutOff => Step::GoOn,
            Stop::Refused => Step::Refused,
        }
    }

    /// Calls of the last turn that have no result.
    pub(crate) fn open_calls(&self) -> impl Iterator<Item = &Call> {
        let turn = self.last_turn();
        let calls = turn.into_iter().flat_map(|(_, turn)| &turn.calls);
        let since = turn.map_or(0, |(at, _)| at);
        calls.filter(move |call| {
            !self.entries[since..]
                .iter()
                .any(|entry| matches!(entry, Entry::Result { call: done, .. } if *done == call.id))
        })
    }

    fn last_turn(&self) -> Option<(usize, &Turn)> {
        let mut newest = self.entries.iter().enumerate().rev();
        newest.find_map(|(at, entry)| Some((at, as_turn(entry)?)))
    }

    /// The text of the last turn, and of those before it that were cut off.
    fn last_words(&self) -> String {
        let mut parts = vec![];
        let spoken = self.entries.iter().rev().filter(|entry| !matches!(entry, Entry::Note { .. }));
        for entry in spoken {
            let Some(turn) = as_turn(entry) else { break };
            if !parts.is_empty() && (turn.stop != Stop::CutOff || !turn.calls.is_empty()) {
                break;
            }
            parts.push(turn.text.as_str());
        }
        parts.into_iter().rev().collect()
    }

    /// What the model said just before it made the calls that are open.
    pub(crate) fn preamble(&self) -> Option<String> {
        let (_, turn) = self.last_turn()?;
        (!turn.text.trim().is_empty()).then(|| turn.text.clone())
    }

    pub(crate) fn started(&self, id: &str) -> bool {
        self.entries.iter().any(|entry| matches!(entry, Entry::Started { call } if call == id))
    }

    pub(super) fn asked(&self, ask: &str) -> Option<&str> {
        self.entries.iter().find_map(|entry| {
            let Entry::Asked { id, questions, .. } = entry else { return None };
            (id == ask).then_some(questions.as_str())
        })
    }

    pub(super) fn resolution(&self, ask: &str) -> Option<&Value> {
        self.entries.iter().find_map(|entry| {
            let Entry::Resolved { id, resolution } = entry else { return None };
            (id == ask).then_some(resolution)
        })
    }

    /// Whether a call with this id was made before.
    pub(crate) fn knows_call(&self, id: &str) -> bool {
        self.entries.iter().any(
            |entry| matches!(entry, Entry::Turn(turn) if turn.calls.iter().any(|call| call.id == id)),
        )
    }

    /// How many turns there were in all.
    pub(crate) fn all_turns(&self) -> usize {
        self.entries.iter().filter(|entry| matches!(entry, Entry::Turn(_))).count()
    }

    /// How many turns the model took since the person spoke.
    pub(crate) fn turns(&self) -> u32 {
        self.count(|entry| matches!(entry, Entry::Turn(_)))
    }

    /// How often a person was asked since they spoke.
    pub(crate) fn asks(&self) -> u32 {
        self.count(|entry| matches!(entry, Entry::Asked { .. }))
    }

    /// Whether the model knows that it must not ask any more.
    pub(crate) fn told_used_up(&self) -> bool {
        self.count(|entry| matches!(entry, Entry::UsedUp { .. })) > 0
    }

    /// How many calls since the last good one could not be made.
    pub(crate) fn invalid_calls(&self) -> u32 {
        let results = self.since_prompt().iter().rev().filter_map(|entry| {
            let Entry::Result { invalid, .. } = entry else { return None };
            Some(*invalid)
        });
        number(results.take_while(|invalid| *invalid).count())
    }

    /// How often in a row the model's words were cut off.
    pub(crate) fn cut_offs(&self) -> u32 {
        let turns = self.since_prompt().iter().rev().filter_map(as_turn);
        number(turns.take_while(|turn| turn.stop == Stop::CutOff && turn.calls.is_empty()).count())
    }

    fn count(&self, counts: impl Fn(&Entry) -> bool) -> u32 {
        number(self.since_prompt().iter().filter(|entry| counts(entry)).count())
    }

    fn since_prompt(&self) -> &[Entry] {
        let prompt = self.entries.iter().rposition(|entry| matches!(entry, Entry::Prompt { .. }));
        &self.entries[prompt.unwrap_or(0)..]
    }
}

fn as_turn(entry: &Entry) -> Option<&Turn> {
    let Entry::Turn(turn) = entry else { return None };
    Some(turn)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Whether it is about whose turn it is.
fn speaks(entry: &Entry) -> bool {
    match entry {
        Entry::Prompt { .. } | Entry::Turn(_) | Entry::Note { .. } => true,
        Entry::Started { .. }
        | Entry::Asked { .. }
        | Entry::Resolved { .. }
        | Entry::UsedUp { .. }
        | Entry::Result { .. } => false,
    }
}
