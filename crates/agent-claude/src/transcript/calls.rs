//! Which calls were seen, and which of them wait.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::call::Call;

/// More calls than this do not wait in one session: it waits for each.
const MOST: usize = 10_000;
/// And all that wait take no more memory than this.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Of so many calls it is remembered that they were seen.
const MOST_KNOWN: usize = 65_536;

/// The calls of one file. What is kept is bounded; the oldest is dropped.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pending: Vec<Arc<Call>>,
    ids: HashSet<String>,
    bytes: usize,
    known: HashSet<u64>,
    order: VecDeque<u64>,
    hasher: RandomState,
}

impl Calls {
    pub(super) fn pending(&self) -> &[Arc<Call>] {
        &self.pending
    }

    pub(super) fn is_pending(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// A call was made. Of one that was seen before nothing is new: a session that is taken up again may
    /// repeat itself.
    pub(super) fn asked(&mut self, call: Call) -> Option<Arc<Call>> {
        let hash = self.hasher.hash_one(&call.id);
        if !self.known.insert(hash) {
            return None;
        }
        self.order.push_back(hash);
        if self.order.len() > MOST_KNOWN
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        let call = Arc::new(call);
        self.bytes += call.bytes();
        self.ids.insert(call.id.clone());
        self.pending.push(Arc::clone(&call));
        if self.pending.len() > MOST || self.bytes > MOST_BYTES {
            self.make_room();
        }
        Some(call)
    }

    /// Drops the older half at once, so that room is not made for each call anew.
    fn make_room(&mut self) {
        while self.pending.len() > MOST / 2 || self.bytes > MOST_BYTES / 2 {
            let some = self.pending.len().div_ceil(2);
            for call in self.pending.drain(..some) {
                self.bytes = self.bytes.saturating_sub(call.bytes());
                self.ids.remove(&call.id);
            }
        }
    }

    /// A call has its result.
    pub(super) fn settled(&mut self, id: &str) -> Option<Arc<Call>> {
        self.ids.remove(id);
        let index = self.pending.iter().position(|call| call.id == id)?;
        let call = self.pending.remove(index);
        self.bytes = self.bytes.saturating_sub(call.bytes());
        Some(call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str, questions: usize) -> Call {
        let questions = serde_json::value::to_raw_value(&"x".repeat(questions)).unwrap();
        Call {
            id: id.into(),
            session: None,
            cwd: None,
            asked_at: None,
            questions,
            metadata: None,
            sidechain: false,
            entrypoint: None,
        }
    }

    #[test]
    fn the_first_of_two_with_the_same_id_counts() {
        let mut calls = Calls::default();
        assert!(calls.asked(call("a", 1)).is_some());
        assert!(calls.asked(call("a", 1)).is_none());
        assert!(calls.settled("a").is_some());
        assert!(calls.settled("a").is_none());
        assert!(calls.asked(call("a", 1)).is_none(), "also when it was settled");
        assert!(calls.pending().is_empty());
    }

    #[test]
    fn however_many_wait_what_is_kept_is_bounded_and_the_newest_is_kept() {
        let mut calls = Calls::default();
        for number in 0..3 * MOST {
            calls.asked(call(&number.to_string(), 1));
            assert!(calls.pending().len() <= MOST);
            assert_eq!(calls.pending().len(), calls.ids.len());
        }
        assert!(calls.is_pending(&(3 * MOST - 1).to_string()));
        for number in 0..100 {
            calls.asked(call(&format!("large {number}"), 1_000_000));
            assert!(calls.bytes <= MOST_BYTES + 2_000_000);
            assert!(calls.is_pending(&format!("large {number}")));
        }
    }
}
