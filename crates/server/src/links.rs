//! One-time login links.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use handraise_broker::{DeviceId, Token, TokenHash};

/// The secrets of links that were given out and not used yet.
///
/// In memory only: after a restart no old link works.
#[derive(Debug, Default)]
pub(crate) struct Links(Mutex<Vec<Link>>);

#[derive(Debug)]
struct Link {
    secret: TokenHash,
    expires: Duration,
    /// Who let it be made.
    by: DeviceId,
}

/// More than anybody has open at once; the oldest goes first.
const MOST: usize = 50;

impl Links {
    /// Gives out a secret that works until `expires`.
    pub(crate) fn add(&self, random: [u8; 32], expires: Duration, by: DeviceId) -> Token {
        let secret = Token::new(random);
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if links.len() >= MOST {
            links.remove(0);
        }
        links.push(Link { secret: secret.hash(), expires, by });
        secret
    }

    /// Takes a secret in exchange for entry: once, and in time. Returns who let the link be made.
    pub(crate) fn redeem(&self, secret: &Token, now: Duration) -> Option<DeviceId> {
        let presented = secret.hash();
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|link| now < link.expires);
        // Every one is compared, and each in constant time.
        let found = links.iter().enumerate().fold(None, |found, (place, link)| {
            if link.secret == presented { Some(place) } else { found }
        });
        found.map(|place| links.remove(place).by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_works_once_and_in_time() {
        let links = Links::default();
        let [ann, bob] = [1, 2].map(|n| DeviceId::new(jiff::Timestamp::UNIX_EPOCH, [n; 10]));
        let soon = Duration::from_secs(1);
        let secret = links.add([1; 32], Duration::from_mins(10), ann);
        let late = links.add([2; 32], Duration::from_mins(10), bob);
        assert_eq!(links.redeem(&Token::presented("guess"), soon), None);
        assert_eq!(links.redeem(&secret, soon), Some(ann));
        assert_eq!(links.redeem(&secret, soon), None, "replayed");
        assert_eq!(links.redeem(&late, Duration::from_mins(10)), None, "expired");
    }
}
