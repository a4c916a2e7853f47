//! How often somebody may call.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use handraise_broker::DeviceId;
use handraise_wire::v1::Problem;

use crate::Limits;

/// A bucket of calls for each token, and for each address that comes without one: one for logins, so that
/// no other calls use it up, and one for the rest.
pub(crate) struct Rates {
    known: Buckets<DeviceId>,
    strangers: Buckets<IpAddr>,
    logins: Buckets<IpAddr>,
}

impl Rates {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            known: Buckets::new(limits.requests_per_second),
            strangers: Buckets::new(limits.strangers_per_second),
            logins: Buckets::new(limits.strangers_per_second),
        }
    }

    pub(crate) fn known(&self, device: DeviceId, now: Duration) -> Result<(), Problem> {
        self.known.take(device, now)
    }

    pub(crate) fn stranger(&self, address: IpAddr, now: Duration) -> Result<(), Problem> {
        self.strangers.take(address, now)
    }

    pub(crate) fn login(&self, address: IpAddr, now: Duration) -> Result<(), Problem> {
        self.logins.take(address, now)
    }
}

struct Buckets<K> {
    per_second: f64,
    levels: Mutex<HashMap<K, (f64, Duration)>>,
}

/// Beyond this many, full buckets are forgotten: they say nothing.
const MOST: usize = 1024;

impl<K: Hash + Eq> Buckets<K> {
    fn new(per_second: u32) -> Self {
        Self { per_second: per_second.into(), levels: Mutex::default() }
    }

    fn take(&self, key: K, now: Duration) -> Result<(), Problem> {
        let full = self.per_second * 2.0;
        let refilled = |(level, at): (f64, Duration)| {
            (level + now.saturating_sub(at).as_secs_f64() * self.per_second).min(full)
        };
        let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        if levels.len() >= MOST {
            levels.retain(|_, bucket| refilled(*bucket) < full);
        }
        let level = levels.get(&key).map_or(full, |bucket| refilled(*bucket));
        if level < 1.0 {
            return Err(Problem::new(429, "too_many_requests", "too many requests at once")
                .detail(format!("wait a second; {} a second are taken", self.per_second)));
        }
        levels.insert(key, (level - 1.0, now));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_taken_then_one_at_a_time() {
        let buckets = Buckets::new(10);
        let start = Duration::from_secs(100);
        let taken = (0..50).filter(|_| buckets.take("a", start).is_ok()).count();
        assert_eq!(taken, 20);
        assert!(buckets.take("b", start).is_ok(), "others are not slowed");
        let later = start + Duration::from_millis(100);
        assert!(buckets.take("a", later).is_ok());
        assert!(buckets.take("a", later).is_err());
    }
}
