//! How long calls waited.

use jiff::SignedDuration;
use serde::Serialize;

/// So many times are kept; of more, every second one, then every fourth.
const MOST: usize = 1 << 18;

/// Times, of which the sum and the longest are exact, and the median as exact as fits into memory.
#[derive(Debug, Clone)]
pub(super) struct Waits {
    milliseconds: Vec<u64>,
    each: u64,
    count: u64,
    total: u64,
    longest: u64,
}

impl Default for Waits {
    fn default() -> Self {
        Self { milliseconds: vec![], each: 1, count: 0, total: 0, longest: 0 }
    }
}

/// What they say, in seconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Waited {
    pub(super) total: f64,
    pub(super) median: f64,
    pub(super) longest: f64,
}

impl Waits {
    pub(super) fn add(&mut self, waited: SignedDuration) {
        let waited = u64::try_from(waited.as_millis()).unwrap_or(0);
        self.total = self.total.saturating_add(waited);
        self.longest = self.longest.max(waited);
        if self.count.is_multiple_of(self.each) {
            self.milliseconds.push(waited);
        }
        self.count += 1;
        if self.milliseconds.len() >= MOST {
            let mut keep = false;
            self.milliseconds.retain(|_| {
                keep = !keep;
                keep
            });
            self.each *= 2;
        }
    }

    /// Nothing when nothing waited.
    pub(super) fn waited(mut self) -> Option<Waited> {
        self.milliseconds.sort_unstable();
        let median = *self.milliseconds.get(self.milliseconds.len() / 2)?;
        Some(Waited {
            total: seconds(self.total),
            median: seconds(median),
            longest: seconds(self.longest),
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "a time that people wait")]
fn seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle_and_memory_is_bounded() {
        let mut waits = Waits::default();
        assert!(waits.clone().waited().is_none());
        for second in [3, 1, 100] {
            waits.add(SignedDuration::from_secs(second));
        }
        let waited = waits.clone().waited().unwrap();
        let said = [waited.total, waited.median, waited.longest];
        assert!(
            said.iter().zip([104.0, 3.0, 100.0]).all(|(a, b)| (a - b).abs() < 0.001),
            "{said:?}"
        );
        for second in 0..2_000_000 {
            waits.add(SignedDuration::from_secs(second));
            assert!(waits.milliseconds.len() < MOST);
        }
        let median = waits.waited().unwrap().median;
        assert!((median - 1_000_000.0).abs() < 100.0, "{median}");
    }
}
