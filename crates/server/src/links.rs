//! One-time login links.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use handraise_broker::{Token, TokenHash};

/// The secrets of links that were given out and not used yet.
///
/// In memory only: after a restart no old link works.
#[derive(Debug, Default)]
pub(crate) struct Links(Mutex<Vec<(TokenHash, Duration)>>);

/// More than anybody has open at once; the oldest goes first.
const MOST: usize = 50;

impl Links {
    /// Gives out a secret that works until `expires`.
    pub(crate) fn add(&self, random: [u8; 32], expires: Duration) -> Token {
        let secret = Token::new(random);
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if links.len() >= MOST {
            links.remove(0);
        }
        links.push((secret.hash(), expires));
        secret
    }

    /// Takes a secret in exchange for entry: once, and in time.
    pub(crate) fn redeem(&self, secret: &Token, now: Duration) -> bool {
        let presented = secret.hash();
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|(_, expires)| now < *expires);
        let before = links.len();
        links.retain(|(hash, _)| *hash != presented);
        links.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_works_once_and_in_time() {
        let links = Links::default();
        let secret = links.add([1; 32], Duration::from_mins(10));
        let late = links.add([2; 32], Duration::from_mins(10));
        assert!(!links.redeem(&Token::presented("guess"), Duration::from_secs(1)));
        assert!(links.redeem(&secret, Duration::from_secs(1)));
        assert!(!links.redeem(&secret, Duration::from_secs(1)), "replayed");
        assert!(!links.redeem(&late, Duration::from_mins(10)), "expired");
    }
}
