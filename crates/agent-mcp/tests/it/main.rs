//! The server, as strangers judge it.

#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

mod conformance;
#[path = "../../src/fake_hub.rs"]
#[expect(dead_code, reason = "the suites ask nothing")]
mod fake_hub;
