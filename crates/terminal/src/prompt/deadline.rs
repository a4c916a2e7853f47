//! The moment after which silence is reported as silence.

use std::time::Duration;

/// Counts down from the moment the prompt appeared.
///
/// While somebody is typing it does not cut them off: the end moves to a little after their last
/// key, though never past one further full wait.
#[derive(Debug, Clone)]
pub(crate) struct Deadline {
    wait: Duration,
    last_edit: Option<Duration>,
}

/// How long after the last key somebody still counts as typing.
const TYPING: Duration = Duration::from_secs(15);
const SOON: Duration = Duration::from_secs(15);

impl Deadline {
    pub(crate) fn after(wait: Duration) -> Self {
        Self { wait, last_edit: None }
    }

    /// Another end for `deadline`, as far from the start as `end`. Typing counts as before.
    pub(crate) fn moved(deadline: Option<Self>, end: Option<Duration>) -> Option<Self> {
        let last_edit = deadline.and_then(|deadline| deadline.last_edit);
        end.map(|wait| Self { wait, last_edit })
    }

    pub(crate) fn edited(&mut self, now: Duration) {
        self.last_edit = Some(now);
    }

    /// How long the question was open to answers in the end, in whole seconds.
    pub(crate) fn seconds(&self) -> u64 {
        self.end().as_secs()
    }

    pub(crate) fn left(&self, now: Duration) -> Duration {
        self.end().saturating_sub(now)
    }

    /// Whether the end is near enough to warn of: the last quarter, at most 15 seconds.
    pub(crate) fn nears(&self, now: Duration) -> bool {
        self.left(now) <= SOON.min(self.wait / 4)
    }

    fn end(&self) -> Duration {
        let typing = self.last_edit.map_or(Duration::ZERO, |edit| edit.saturating_add(TYPING));
        self.wait.max(typing.min(self.wait.saturating_mul(2)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn it_warns_before_it_ends() {
        let deadline = Deadline::after(s(90));
        assert!(!deadline.nears(s(74)));
        assert!(deadline.nears(s(75)));
        assert_eq!(deadline.left(s(80)), s(10));
        assert_eq!(deadline.left(s(91)), s(0));
    }

    #[test]
    fn typing_moves_it_but_not_for_ever() {
        let mut deadline = Deadline::after(s(30));
        deadline.edited(s(29));
        assert_eq!(deadline.left(s(29)), s(15));
        deadline.edited(s(58));
        assert_eq!(deadline.left(s(58)), s(2));
        assert_eq!(deadline.seconds(), 60);
    }

    #[test]
    fn it_can_be_moved_set_and_lifted() {
        let mut deadline = Deadline::after(s(30));
        deadline.edited(s(28));
        let sooner = Deadline::moved(Some(deadline), Some(s(29))).unwrap();
        assert_eq!(sooner.left(s(29)), s(14), "somebody is typing");
        assert_eq!(Deadline::moved(None, Some(s(60))).unwrap().left(s(20)), s(40));
        assert!(Deadline::moved(Some(sooner), None).is_none());
    }
}
