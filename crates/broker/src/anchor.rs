//! The two clocks, tied to each other.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::{BootId, World};

/// A moment by the clock on the wall and by the one that nobody can set.
///
/// A deadline is a time on the wall, so that it outlives the machine's start. It is counted by the other
/// clock, from the moment it was set, so that setting the one on the wall neither hastens nor delays it;
/// the store keeps that moment for the next hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    /// What the other clock counts from; `None` where the system does not say.
    pub boot: Option<BootId>,
    /// The time on the wall.
    pub wall: Timestamp,
    /// The time by the boot clock, which cannot be set.
    pub elapsed: Duration,
}

impl Anchor {
    /// This moment.
    pub(crate) fn now(world: &dyn World, boot: Option<BootId>) -> Self {
        Self { boot, wall: world.now(), elapsed: world.elapsed() }
    }

    /// What the deadline of an ask is counted by from now on: what was kept, as long as the machine was not
    /// started again. Then only the clock on the wall can tell; but before an ask came it cannot be.
    pub(crate) fn resume(kept: Option<Self>, now: Self, asked_at: Timestamp) -> Self {
        match kept {
            Some(kept) if kept.boot == now.boot && kept.elapsed <= now.elapsed => kept,
            _ => Self { wall: now.wall.max(asked_at), ..now },
        }
    }

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
        let anchor = Anchor { boot: None, wall, elapsed: Duration::from_secs(100) };
        let later = wall + SignedDuration::from_secs(5);
        assert_eq!(anchor.wall_at(Duration::from_secs(105)), later);
        assert_eq!(anchor.elapsed_at(later), Duration::from_secs(105));
        let earlier = wall - SignedDuration::from_hours(5);
        assert_eq!(anchor.elapsed_at(earlier), Duration::from_secs(100));
        assert_eq!(anchor.wall_at(Duration::MAX), Timestamp::MAX);
    }
}
