//! Calling somebody who does not look.

/// What makes this terminal call for attention: a new ask in `project`, and what it asks.
pub(super) fn ring(_project: &str, _headline: &str) -> Vec<u8> {
    vec![BELL]
}

const BELL: u8 = 0x07;
