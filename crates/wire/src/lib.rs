//! What goes over the wire: JSON in camelCase, absent is null.
//!
//! Wire types are not domain types. What comes in becomes a domain type through `TryFrom` and is
//! checked on the way; what goes out is made by `From`. Knows `handraise-broker` and
//! `handraise-question`; no HTTP happens here. [`v1`] is our own form, [`dialects`] are those of others.

pub mod dialects;
pub mod v1;
