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
    /// Names a device: something that holds a token.
    DeviceId
}
