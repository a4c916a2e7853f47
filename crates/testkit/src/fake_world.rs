//! Time and chance by hand.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use handraise_broker::{BootId, World};
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// A world whose clocks a test moves, and whose chance is the same every time.
#[derive(Debug)]
pub struct FakeWorld {
    moved: Mutex<Moved>,
    /// Since when both clocks go on with tokio's time.
    follows: Option<Instant>,
    drawn: AtomicU64,
}

#[derive(Debug, Default)]
struct Moved {
    passed: Duration,
    /// How far the clock on the wall was set from where it would be.
    set: SignedDuration,
    /// How often the machine was started again.
    reboots: u8,
}

impl FakeWorld {
    /// The time on the wall when a world begins.
    pub const START: Timestamp = Timestamp::constant(1_750_000_000, 0);
    /// How long the machine has been up by then.
    const UP: Duration = Duration::from_secs(10_000);

    /// A world in which time stands still until a test moves it.
    #[must_use]
    pub fn still() -> Arc<Self> {
        Self::new(None)
    }

    /// A world in which time passes as tokio's does: in a test with paused time, from one timer to
    /// the next.
    #[must_use]
    pub fn following_tokio() -> Arc<Self> {
        Self::new(Some(Instant::now()))
    }

    fn new(follows: Option<Instant>) -> Arc<Self> {
        Arc::new(Self { moved: Mutex::default(), follows, drawn: AtomicU64::new(0) })
    }

    fn moved(&self) -> MutexGuard<'_, Moved> {
        self.moved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets time pass on both clocks, though not for tokio's timers: the machine sleeps.
    pub fn pass(&self, time: Duration) {
        self.moved().passed += time;
    }

    /// Sets the clock on the wall, by so much from where it is.
    pub fn set_clock(&self, by: SignedDuration) {
        self.moved().set += by;
    }

    /// Starts the machine again.
    pub fn reboot(&self) {
        self.moved().reboots += 1;
    }

    /// The time on the wall, so many seconds after this world began.
    #[must_use]
    pub fn second(seconds: i64) -> Timestamp {
        Self::START + SignedDuration::from_secs(seconds)
    }

    /// How long ago this world began, by the clock nobody can set.
    #[must_use]
    pub fn passed(&self) -> Duration {
        self.moved().passed + self.follows.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl World for FakeWorld {
    fn now(&self) -> Timestamp {
        let now = Self::START + self.passed() + self.moved().set;
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    fn elapsed(&self) -> Duration {
        Self::UP + self.passed()
    }

    fn boot(&self) -> Option<BootId> {
        Some([self.moved().reboots; 16])
    }

    /// Never the same twice, and each less than the one before: what comes out in order did not get
    /// there by chance.
    fn random(&self) -> [u8; 32] {
        let draw = u64::MAX - self.drawn.fetch_add(1, Ordering::Relaxed);
        let mut bytes = [0xaa; 32];
        for (place, byte) in bytes.iter_mut().zip(draw.to_be_bytes()) {
            *place = byte;
        }
        bytes
    }
}
