//! How deep JSON is nested.

use serde_json::value::RawValue;

use crate::Violation;

/// Deeper than this, other JSON readers give up, and with them every list that contains the value.
const MAX_NESTING: usize = 100;

/// Checks that a value is nested no deeper than common JSON readers follow. `path` names it in the
/// error.
///
/// # Errors
///
/// When it is.
pub fn check_nesting(path: &str, json: &RawValue) -> Result<(), Violation> {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in json.get().bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if deepest <= MAX_NESTING {
        return Ok(());
    }
    let found = format!("{deepest} levels of nesting");
    Err(Violation::new(path, found, format!("{MAX_NESTING} or fewer")))
}
