//! How long a call may wait before the client gives it up.
//!
//! A client that gives up tells its model that the tool failed, and the answer has nowhere to go. So a
//! call ends before that, with a ticket.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What is known of clients that do not say how long they wait:
///
/// | client | gives a call up | so we wait |
/// |---|---|---|
/// | Codex | after 300 s (`tool_timeout_sec`), whatever progress is told (measured) | 270 s |
/// | Gemini CLI | after 10 min (its source) | 570 s |
/// | Qwen Code | after 10 min (its source) | 570 s |
/// | opencode | after 60 s without progress; progress extends it (measured) | 30 min, where it wants progress |
/// | any other | the SDKs' own limit is 60 s | 50 s |
fn known(agent: &str, progress: bool) -> Duration {
    match agent {
        "codex" => Duration::from_secs(270),
        "gemini" | "qwen" => Duration::from_secs(570),
        "opencode" if progress => Duration::from_mins(30),
        _ => Duration::from_secs(50),
    }
}

/// What is learned never makes calls useless.
const LEAST: Duration = Duration::from_secs(1);

/// How long calls wait.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    set: Option<Duration>,
    learned: Mutex<Option<Duration>>,
}

impl Patience {
    /// As set by the person, or else as is known of the client.
    pub(crate) fn new(set: Option<Duration>) -> Self {
        Self { set, learned: Mutex::default() }
    }

    /// How long a call of this agent waits.
    pub(crate) fn of(&self, agent: &str, progress: bool) -> Duration {
        let known = self.set.unwrap_or_else(|| known(agent, progress));
        let learned = *self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        learned.map_or(known, |learned| learned.min(known))
    }

    /// A call was cancelled after this long. Where the client says that time ran out, less is waited
    /// from now on, also where the person has set more.
    ///
    /// A person who interrupts the agent cancels, too: that says nothing of the client's limit.
    pub(crate) fn cancelled(&self, after: Duration, reason: Option<&str>) {
        let reason = reason.unwrap_or_default().to_lowercase();
        if !["timeout", "timed out"].iter().any(|words| reason.contains(words)) {
            return;
        }
        let shorter = after.mul_f64(0.8).max(LEAST);
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        *learned = Some(learned.map_or(shorter, |before| before.min(shorter)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_ends_before_its_client_gives_up() {
        let patience = Patience::new(None);
        assert!(patience.of("codex", true) < Duration::from_mins(5));
        assert!(patience.of("gemini", false) < Duration::from_mins(10));
        assert!(patience.of("qwen", false) < Duration::from_mins(10));
        assert!(patience.of("opencode", false) < Duration::from_mins(1));
        assert!(patience.of("opencode", true) > Duration::from_mins(1));
        assert!(patience.of("anybody", true) < Duration::from_mins(1));
    }

    #[test]
    fn what_the_person_set_counts_for_every_client() {
        let patience = Patience::new(Some(Duration::from_secs(7)));
        assert_eq!(patience.of("codex", true), Duration::from_secs(7));
        assert_eq!(patience.of("anybody", false), Duration::from_secs(7));
    }

    #[test]
    fn a_call_that_ran_out_of_time_makes_the_next_one_shorter() {
        let patience = Patience::new(None);
        patience.cancelled(Duration::from_secs(30), Some("McpError: Request timed out"));
        assert_eq!(patience.of("codex", false), Duration::from_secs(24));
        patience.cancelled(Duration::from_secs(5), Some("request timeout"));
        assert_eq!(patience.of("codex", false), Duration::from_secs(4));
        patience.cancelled(Duration::from_secs(40), Some("request timeout"));
        assert_eq!(patience.of("codex", false), Duration::from_secs(4), "what was learned stays");
    }

    #[test]
    fn a_person_who_interrupts_teaches_nothing() {
        for set in [None, Some(Duration::from_secs(100))] {
            let patience = Patience::new(set);
            let before = patience.of("codex", false);
            patience.cancelled(Duration::from_millis(300), None);
            patience.cancelled(Duration::from_secs(30), Some(""));
            patience.cancelled(Duration::from_secs(30), Some("the person pressed Esc"));
            assert_eq!(patience.of("codex", false), before);
            patience.cancelled(Duration::from_secs(30), Some("Request timed out"));
            assert_eq!(patience.of("codex", false), Duration::from_secs(24));
        }
    }
}
