//! What holds a token, and what that token may do.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::DeviceId;
use handraise_question::Surface;

/// What a token may do. The two never overlap: an agent cannot answer, a person does not ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Power {
    /// Ask, and wait for, withdraw and give receipts for what was asked with the same name.
    Agent,
    /// Answer, decline, discuss, extend, keep drafts, manage devices.
    Person,
}

/// A holder of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Device {
    /// Its id.
    pub id: DeviceId,
    /// What its owner calls it.
    pub name: String,
    /// What it may do.
    pub power: Power,
    /// Whose it is; nobody's for an agent's.
    pub person: Option<String>,
    /// Since when it is known.
    pub added_at: Timestamp,
}

impl Device {
    /// Whether this is the agent of this name. Names that differ only in case are one: so they are as the
    /// names of files on some systems.
    #[must_use]
    pub fn is_agent(&self, name: &str) -> bool {
        self.power == Power::Agent && self.name.eq_ignore_ascii_case(name)
    }
}

/// A secret in transit: 32 random bytes in hexadecimal. It is shown to nobody by accident.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Makes one of 32 random bytes.
    #[must_use]
    pub fn new(random: [u8; 32]) -> Self {
        Self(hex(&random))
    }

    /// The same 32 bytes in 43 characters instead of 64: for an address that is to fit a line.
    #[must_use]
    pub fn short(random: [u8; 32]) -> Self {
        Self(base64url(&random))
    }

    /// Takes what a caller presented.
    #[must_use]
    pub fn presented(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The secret itself, for the one place that must write it down.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is kept instead of the secret.
    ///
    /// A plain hash is enough: the secret has 256 random bits, so there is nothing to guess.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0.as_bytes()).into())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// A token's hash, compared in constant time.
#[derive(Clone, Copy)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// Reads the bytes a store keeps.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes a store keeps.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl PartialEq for TokenHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for TokenHash {}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(…)")
    }
}

/// Who makes a request, once their token was found good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The device whose token it was.
    pub device: Device,
    /// Where the person is.
    pub surface: Surface,
}

/// Bytes in hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Bytes in characters that may stand anywhere in an address (RFC 4648, section 5), without padding.
fn base64url(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digits = |three: &[u8]| {
        let byte = |n: usize| three.get(n).copied().unwrap_or(0);
        let [a, b, c] = [byte(0), byte(1), byte(2)];
        let sixes = [a >> 2, (a & 3) << 4 | b >> 4, (b & 15) << 2 | c >> 6, c & 63];
        sixes.into_iter().take(three.len() + 1).map(|six| char::from(DIGITS[usize::from(six)]))
    };
    bytes.chunks(3).flat_map(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_show_in_debug_output() {
        let token = Token::new([7; 32]);
        assert_eq!(token.reveal().len(), 64);
        assert!(!format!("{token:?}{:?}", token.hash()).contains("07"));
    }

    #[test]
    fn a_short_one_has_all_bytes_in_it() {
        // As in RFC 4648, section 10, and both ends of the alphabet.
        let samples: [(&[u8], &str); 7] = [
            (b"", ""),
            (b"f", "Zg"),
            (b"fo", "Zm8"),
            (b"foo", "Zm9v"),
            (b"foobar", "Zm9vYmFy"),
            (&[0, 0, 0], "AAAA"),
            (&[251, 255, 255], "-___"),
        ];
        for (bytes, text) in samples {
            assert_eq!(base64url(bytes), text);
        }
        assert_eq!(Token::short([7; 32]).reveal().len(), 43);
    }

    #[test]
    fn a_presented_token_hashes_like_the_one_that_was_given_out() {
        let token = Token::new([9; 32]);
        assert_eq!(Token::presented(&format!("{}\n", token.reveal())).hash(), token.hash());
        assert_ne!(Token::presented("").hash(), token.hash());
    }
}
