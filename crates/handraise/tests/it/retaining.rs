//! Retention, on the built binary.
