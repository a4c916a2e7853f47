//! How a hub proves to a page that it is the hub, before the page sends its token.
//!
//! While no hub listens at its port, any program of the machine can. A page therefore sends a challenge
//! first, and takes tickets instead of its token to every request: they are worth nothing when the hub that
//! issued them is gone.

use std::time::Duration;

use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::device::hex;
use crate::{DeviceId, Token, TokenHash};

const FINGERPRINT_BYTES: usize = 8;

impl TokenHash {
    /// Names the token without revealing it.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        hex(&hmac(self.as_bytes(), "handraise device")[..FINGERPRINT_BYTES])
    }

    /// Shows the holder of the token that its hash is known here. `origin` keeps a program at another port
    /// from relaying the challenge; `up`, for how long the hub has listened, keeps one from relaying it that
    /// had the port before the hub came back.
    #[must_use]
    pub fn proof(&self, origin: &str, nonce: &str, up: Duration) -> String {
        let up = up.as_millis();
        hex(&hmac(self.as_bytes(), &format!("handraise hub\n{origin}\n{nonce}\n{up}")))
    }
}

/// Issues tickets: what a page sends instead of its token.
pub(crate) struct Tickets {
    key: [u8; 32],
}

impl Tickets {
    /// `key` is known to this hub alone, and gone with it.
    pub(crate) fn new(key: [u8; 32]) -> Self {
        Self { key }
    }

    pub(crate) fn issue(&self, device: DeviceId) -> Token {
        let mac = hmac(&self.key, &device.to_string());
        Token::presented(&format!("{device}.{}", hex(&mac)))
    }

    /// Whose ticket it is, if it is one of ours.
    pub(crate) fn holder(&self, ticket: &Token) -> Option<DeviceId> {
        let (device, _) = ticket.reveal().split_once('.')?;
        let device = device.parse().ok()?;
        (self.issue(device).hash() == ticket.hash()).then_some(device)
    }
}

fn hmac(key: &[u8; 32], text: &str) -> [u8; 32] {
    // Every key fits: HMAC takes any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return [0; 32] };
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    const ORIGIN: &str = "http://127.0.0.1:4731";
    const UP: Duration = Duration::from_millis(1500);

    #[test]
    fn a_proof_is_for_one_token_one_page_one_challenge_and_one_moment() {
        let hash = Token::presented("t").hash();
        // Computed by another program, too: web/src/hub/proof.test.ts has the same.
        assert_eq!(hash.fingerprint(), "8abb17f0af6446a0");
        let proof = hash.proof(ORIGIN, "n", UP);
        assert_eq!(proof, "a6d69df1565a1d099a92e6a07136befb82e0641d465c07961bb8a936761f7306");
        assert_ne!(hash.proof("http://127.0.0.1:5000", "n", UP), proof);
        assert_ne!(hash.proof(ORIGIN, "m", UP), proof);
        assert_ne!(hash.proof(ORIGIN, "n", UP * 2), proof);
        assert_ne!(Token::presented("u").hash().proof(ORIGIN, "n", UP), proof);
    }

    #[test]
    fn a_ticket_is_for_one_device_and_one_hub() {
        let device = |n| DeviceId::new(Timestamp::UNIX_EPOCH, [n; 10]);
        let (tickets, other_hub) = (Tickets::new([1; 32]), Tickets::new([2; 32]));
        let ticket = tickets.issue(device(1));
        assert_eq!(tickets.holder(&ticket), Some(device(1)));
        assert_eq!(other_hub.holder(&ticket), None);
        let mac = ticket.reveal().split_once('.').unwrap().1;
        for forged in
            [format!("{}.{mac}", device(2)), format!("{}.", device(1)), ".".into(), mac.into()]
        {
            assert_eq!(tickets.holder(&Token::presented(&forged)), None, "{forged}");
        }
    }
}
