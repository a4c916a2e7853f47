//! Secrets that work once, and for a while.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use handraise_broker::{Token, TokenHash};

/// What was promised for secrets that were given out and not used yet.
///
/// In memory only: after a restart no old secret works.
#[derive(Debug)]
pub(crate) struct OneTime<T> {
    life: Duration,
    /** More than anybody has open at once; the oldest goes first. */
    most: usize,
    promises: Mutex<Vec<Promise<T>>>,
}

#[derive(Debug)]
struct Promise<T> {
    secret: TokenHash,
    expires: Duration,
    what: T,
}

impl<T> OneTime<T> {
    /// So many secrets that work for so long.
    pub(crate) fn living(life: Duration, most: usize) -> Self {
        Self { life, most, promises: Mutex::default() }
    }

    /// Gives out a secret for something.
    pub(crate) fn promise(&self, random: [u8; 32], now: Duration, what: T) -> Token {
        let secret = Token::short(random);
        let mut promises = self.promises.lock().unwrap_or_else(PoisonError::into_inner);
        promises.retain(|promise| now < promise.expires);
        if promises.len() >= self.most {
            promises.remove(0);
        }
        promises.push(Promise { secret: secret.hash(), expires: now + self.life, what });
        secret
    }

    /// Takes a secret in exchange for what it stands for: once, and in time.
    pub(crate) fn redeem(&self, secret: &Token, now: Duration) -> Option<T> {
        let presented = secret.hash();
        let mut promises = self.promises.lock().unwrap_or_else(PoisonError::into_inner);
        promises.retain(|promise| now < promise.expires);
        // Every one is compared, and each in constant time.
        let found = promises.iter().enumerate().fold(None, |found, (place, promise)| {
            if promise.secret == presented { Some(place) } else { found }
        });
        found.map(|place| promises.remove(place).what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(1);

    #[test]
    fn a_secret_works_once_and_in_time() {
        let links = OneTime::living(Duration::from_mins(10), 50);
        let secret = links.promise([1; 32], Duration::ZERO, "ann");
        let late = links.promise([2; 32], Duration::ZERO, "bob");
        assert_eq!(links.redeem(&Token::presented("guess"), SOON), None);
        assert_eq!(links.redeem(&secret, SOON), Some("ann"));
        assert_eq!(links.redeem(&secret, SOON), None, "replayed");
        assert_eq!(links.redeem(&late, Duration::from_mins(10)), None, "expired");
    }

    #[test]
    fn of_too_many_the_oldest_goes() {
        let links = OneTime::living(Duration::from_mins(10), 50);
        let give = |n: u8| links.promise([n; 32], Duration::ZERO, n);
        let secrets: Vec<_> = (0..=50).map(give).collect();
        assert_eq!(links.redeem(&secrets[0], SOON), None);
        assert_eq!(links.redeem(&secrets[1], SOON), Some(1));
        assert_eq!(links.redeem(&secrets[50], SOON), Some(50));
    }
}
