//! The two clocks, tied to each other.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// A moment by the clock on the wall and by the one that nobody can set.
///
/// A deadline is a time on the wall, so that it outlives a hub. From the moment a hub knows of it, it
/// is counted by the other clock, so that setting the one on the wall neither hastens nor delays it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Anchor {
    pub(crate) wall: Timestamp,
    pub(crate) elapsed: Duration,
}

impl Anchor {
    /// What the clock on the wall would say at `elapsed`, had nobody set it since.
    pub(crate) fn wall_at(&self, elapsed: Duration) -> Timestamp {
        let passed = elapsed.saturating_sub(self.elapsed);
        let passed = SignedDuration::try_from(passed).unwrap_or(SignedDuration::MAX);
        self.wall.saturating_add(passed).unwrap_or(Timestamp::MAX)
    }

    /// When that clock would say `wall`; what was before is now.
    pub(crate) fn elapsed_at(&self, wall: Timestamp) -> Duration {
        let left = wall.duration_since(self.wall);
        self.elapsed.saturating_add(Duration::try_from(left).unwrap_or(Duration::ZERO))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clocks_go_together() {
        let wall = Timestamp::constant(1_750_000_000, 0);
        let anchor = Anchor { wall, elapsed: Duration::from_secs(100) };
        let later = wall + SignedDuration::from_secs(5);
        assert_eq!(anchor.wall_at(Duration::from_secs(105)), later);
        assert_eq!(anchor.elapsed_at(later), Duration::from_secs(105));
        let earlier = wall - SignedDuration::from_hours(5);
        assert_eq!(anchor.elapsed_at(earlier), Duration::from_secs(100));
        assert_eq!(anchor.wall_at(Duration::MAX), Timestamp::MAX);
    }
}
