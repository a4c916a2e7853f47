//! The log as a chain: every event carries a hash of itself and of all before it.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::device::hex;
use crate::{AskId, Entry, Event, Seq, StoreError};

/// A SHA-256.
pub type Hash = [u8; 32];

/// The end of the log: whoever keeps a copy elsewhere can tell a rewritten log from the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The last event; 0 when there is none.
    pub seq: Seq,
    /// Its hash.
    pub hash: Hash,
}

impl Head {
    /// The head of an empty log.
    pub const EMPTY: Self = Self { seq: 0, hash: [0; 32] };
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seq, hex(&self.hash))
    }
}

/// Not a head: `SEQ:HASH`, the hash as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write it as SEQ:HASH, the hash as 64 hexadecimal digits")]
pub struct NotAHead;

impl FromStr for Head {
    type Err = NotAHead;

    fn from_str(text: &str) -> Result<Self, NotAHead> {
        let (seq, digits) = text.trim().split_once(':').ok_or(NotAHead)?;
        let mut hash = [0; 32];
        let is_seq = seq.bytes().all(|digit| digit.is_ascii_digit());
        let is_hash = digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        // Digits and nothing else: Rust's own readers would take a sign, too.
        if !is_seq || !is_hash {
            return Err(NotAHead);
        }
        for (i, byte) in hash.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).map_err(|_| NotAHead)?;
        }
        Ok(Self { seq: seq.parse().map_err(|_| NotAHead)?, hash })
    }
}

/// An event with its link in the chain, ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Sealed {
    /// The event.
    pub entry: Entry,
    /// Its JSON.
    pub body: String,
    /// The hash of that JSON, which stays when the JSON is dropped.
    pub digest: Hash,
    /// The hash of all of it and of everything before.
    pub hash: Hash,
}

impl Sealed {
    /// Links an event to the log that ends in `after`.
    ///
    /// # Errors
    ///
    /// Never in practice: every event has a JSON form.
    pub fn new(entry: Entry, after: &Head) -> serde_json::Result<Self> {
        let body = entry.event.body()?;
        let digest = Sha256::digest(body.as_bytes()).into();
        let link =
            Link { seq: entry.seq, at: entry.at, ask: entry.ask, name: entry.event.name(), digest };
        let hash = link.hash(&after.hash);
        Ok(Self { entry, body, digest, hash })
    }

    /// The end of a log that ends here.
    #[must_use]
    pub fn head(&self) -> Head {
        Head { seq: self.entry.seq, hash: self.hash }
    }
}

/// An event as a store gives it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    /// Its place.
    pub seq: Seq,
    /// When it happened.
    pub at: Timestamp,
    /// The ask it is about, if it is about one.
    pub ask: Option<AskId>,
    /// The event's name.
    pub name: String,
    /// Its JSON, unless it was dropped.
    pub body: Option<String>,
    /// The hash of that JSON.
    pub digest: Hash,
    /// The hash of all of it and of everything before.
    pub hash: Hash,
}

impl StoredEntry {
    /// The event itself, unless its contents were dropped.
    ///
    /// # Errors
    ///
    /// When the contents are not what an event of that name holds.
    pub fn read(&self) -> Result<Option<Entry>, StoreError> {
        let Some(body) = &self.body else { return Ok(None) };
        let event = Event::read(&self.name, body).map_err(|error| {
            StoreError::Damaged(format!("event {} cannot be read: {error}", self.seq))
        })?;
        Ok(Some(Entry { seq: self.seq, at: self.at, ask: self.ask, event }))
    }

    /// The link this entry should have had after `before`.
    pub(crate) fn link(&self, before: &Hash) -> Hash {
        let link = Link {
            seq: self.seq,
            at: self.at,
            ask: self.ask,
            name: &self.name,
            digest: self.digest,
        };
        link.hash(before)
    }
}

struct Link<'a> {
    seq: Seq,
    at: Timestamp,
    ask: Option<AskId>,
    name: &'a str,
    digest: Hash,
}

impl Link<'_> {
    /// Every field has a fixed length or is preceded by it, so no two links read alike.
    fn hash(&self, before: &Hash) -> Hash {
        let mut sha = Sha256::new();
        sha.update(before);
        sha.update(self.seq.to_be_bytes());
        sha.update(self.at.as_microsecond().to_be_bytes());
        match &self.ask {
            Some(ask) => {
                sha.update([1]);
                sha.update(ask.as_bytes());
            }
            None => sha.update([0]),
        }
        sha.update((self.name.len() as u64).to_be_bytes());
        sha.update(self.name.as_bytes());
        sha.update(self.digest);
        sha.finalize().into()
    }
}

#[cfg(test)]
#[path = "chain_tests.rs"]
mod tests;
