//! How long to wait before a model is tried again.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

/// How often and how long a model that is not to be had is tried again, for each turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// How often it is tried again.
    pub retries: usize,
    /// The first wait; each is twice the one before, and up to twice that by chance.
    pub first: Duration,
    /// The longest wait that is not the model's own wish.
    pub longest: Duration,
    /// All waits together. A model that wishes for more is given up.
    pub total: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            retries: 8,
            first: Duration::from_millis(500),
            longest: seconds(30),
            total: seconds(600),
        }
    }
}

/// The waits of one turn.
#[derive(Debug)]
pub(crate) struct Waits {
    waits: ExponentialBackoff,
    left: Duration,
}

impl Backoff {
    pub(crate) fn begin(self) -> Waits {
        let waits = ExponentialBuilder::new()
            .with_min_delay(self.first)
            .with_max_delay(self.longest)
            .with_max_times(self.retries)
            .with_jitter()
            .build();
        Waits { waits, left: self.total }
    }
}

impl Waits {
    /// How long to wait now, when the model wishes for `wish`; `None` when it is given up.
    pub(crate) fn next(&mut self, wish: Option<Duration>) -> Option<Duration> {
        let wait = self.waits.next()?;
        // Everybody who was told the same number would come back at the same moment.
        let wait = wish.map_or(wait, |wish| wish + wait.min(wish / 10));
        self.left = self.left.checked_sub(wait)?;
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn waits_grow_and_end() {
        let waits: Vec<_> = {
            let mut waits = Backoff { retries: 3, ..Backoff::default() }.begin();
            std::iter::from_fn(|| waits.next(None)).collect()
        };
        assert_eq!(waits.len(), 3);
        for (wait, least) in waits.iter().zip([500, 1000, 2000]) {
            let least = Duration::from_millis(least);
            assert!((least..=least * 2).contains(wait), "{waits:?}");
        }
    }

    #[test]
    fn the_models_wish_counts_and_may_be_nothing() {
        let mut waits = Backoff::default().begin();
        assert_eq!(waits.next(Some(Duration::ZERO)), Some(Duration::ZERO));
        let wait = waits.next(Some(7 * SECOND)).unwrap();
        assert!((7 * SECOND..8 * SECOND).contains(&wait), "{wait:?}");
    }

    #[test]
    fn a_wish_beyond_all_patience_is_not_waited_for() {
        let mut waits = Backoff { total: 60 * SECOND, ..Backoff::default() }.begin();
        assert_eq!(waits.next(Some(61 * SECOND)), None);
        assert!(waits.next(Some(30 * SECOND)).is_some());
        assert_eq!(waits.next(Some(30 * SECOND)), None);
    }
}
