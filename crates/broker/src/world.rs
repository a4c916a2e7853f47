//! What comes from outside: time and chance.

use std::time::Duration;

use jiff::Timestamp;
use rustix::time::{ClockId, clock_gettime};

/// Time and chance, so that tests can have their own.
pub trait World: Send + Sync + 'static {
    /// The time on the wall, to the microsecond.
    fn now(&self) -> Timestamp;

    /// Time that only ever passes: it counts while the machine sleeps and does not move when
    /// somebody sets the clock.
    fn elapsed(&self) -> Duration;

    /// Which start of the machine [`elapsed`](Self::elapsed) counts from; `None` where the
    /// system does not say.
    fn boot(&self) -> Option<BootId>;

    /// Bytes nobody can guess.
    fn random(&self) -> [u8; 32];
}

/// One start of the machine, told apart from all others.
pub type BootId = [u8; 16];

/// The real world.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealWorld;

#[cfg(target_os = "linux")]
const STEADY: ClockId = ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const STEADY: ClockId = ClockId::Monotonic;

impl World for RealWorld {
    fn now(&self) -> Timestamp {
        #[expect(clippy::disallowed_methods, reason = "this is the edge where time is read")]
        let now = Timestamp::now();
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    fn elapsed(&self) -> Duration {
        let time = clock_gettime(STEADY);
        Duration::new(
            u64::try_from(time.tv_sec).unwrap_or(0),
            u32::try_from(time.tv_nsec).unwrap_or(0),
        )
    }

    fn boot(&self) -> Option<BootId> {
        let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        uuid::Uuid::try_parse(id.trim()).ok().map(uuid::Uuid::into_bytes)
    }

    fn random(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        if getrandom::fill(&mut bytes).is_err() {
            // Without randomness there are no secrets, and going on would be worse than stopping.
            std::process::abort();
        }
        bytes
    }
}
