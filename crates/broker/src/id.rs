//! Names that are never given twice.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::{Builder, Uuid};

/// The place of an event in the log: 1, 2, 3 and so on, without a gap.
pub type Seq = u64;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// A UUID of version 7: later ids sort after earlier ones.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Makes one of the time and ten random bytes.
            #[must_use]
            pub fn new(at: Timestamp, random: [u8; 10]) -> Self {
                let milliseconds = u64::try_from(at.as_millisecond()).unwrap_or(0);
                Self(Builder::from_unix_timestamp_millis(milliseconds, &random).into_uuid())
            }

            /// Reads the sixteen bytes a store keeps.
            #[must_use]
            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }

            /// The sixteen bytes a store keeps.
            #[must_use]
            pub fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

id! {
    /// Names an ask.
    AskId
}
id! {
    /// Names a session.
    SessionId
}
id! {
    /// Names a device: something that holds a token.
    DeviceId
}

impl AskId {
    /// Makes one that sorts after `last`: however many come in one millisecond, and although
    /// somebody may have set the clock back.
    #[must_use]
    pub fn after(last: Option<Self>, at: Timestamp, random: [u8; 10]) -> Self {
        let new = Self::new(at, random);
        last.filter(|last| *last >= new).map_or(new, |last| last.next(random))
    }

    /// Counts on in the time and the twelve bits that follow it; the rest is chance.
    fn next(self, mut random: [u8; 10]) -> Self {
        let (high, _) = self.0.as_u64_pair();
        let (milliseconds, count) = (high >> 16, high & 0xfff);
        let (milliseconds, count) =
            if count == 0xfff { (milliseconds + 1, 0) } else { (milliseconds, count + 1) };
        let [.., high, low] = count.to_be_bytes();
        random[..2].copy_from_slice(&[high, low]);
        Self(Builder::from_unix_timestamp_millis(milliseconds, &random).into_uuid())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::constant(1_750_000_000, 0);

    #[test]
    fn ids_of_one_millisecond_sort_in_the_order_they_were_made() {
        let mut last = None;
        for n in 0..20_000_u32 {
            let [a, b, c, d] = (!n).to_be_bytes();
            let id = AskId::after(last, NOW, [a, b, c, d, a, b, c, d, a, b]);
            assert!(last < Some(id), "{last:?} {id:?}");
            assert_eq!((id.0.get_version_num(), id.0.get_variant()), (7, uuid::Variant::RFC4122));
            last = Some(id);
        }
    }

    #[test]
    fn a_later_time_makes_a_later_id_and_an_earlier_one_does_too() {
        let first = AskId::after(None, NOW, [5; 10]);
        assert_eq!(first, AskId::new(NOW, [5; 10]));
        let later = NOW + jiff::SignedDuration::from_millis(1);
        assert_eq!(AskId::after(Some(first), later, [0; 10]), AskId::new(later, [0; 10]));
        let earlier = NOW - jiff::SignedDuration::from_hours(5);
        assert!(AskId::after(Some(first), earlier, [0; 10]) > first);
    }
}
