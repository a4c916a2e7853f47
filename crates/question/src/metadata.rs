//! The `metadata` object an agent may send beside its questions.

use serde_json::value::RawValue;

use crate::characters::thousands;
use crate::read::kind_of;
use crate::{Limits, Violation, check_nesting};

/// Checks that a hub can keep the `metadata`: an object, not too long and not too deep.
///
/// # Errors
///
/// What is wrong with it.
pub fn check_metadata(json: &RawValue) -> Result<(), Violation> {
    let bytes = json.get().len();
    if !json.get().starts_with('{') {
        return Err(Violation::new("metadata", kind_of(json), "an object"));
    }
    if bytes > Limits::MAX_METADATA_BYTES {
        let allowed = format!("{} or fewer", thousands(Limits::MAX_METADATA_BYTES));
        return Err(Violation::new("metadata", format!("{} bytes", thousands(bytes)), allowed));
    }
    check_nesting("metadata", json)
}
