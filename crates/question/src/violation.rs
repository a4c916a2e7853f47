//! What is wrong with a piece of input, said so that its author can mend it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One thing that is wrong: where, what was found, what is needed instead.
///
/// Says what was found without quoting it: the input is anybody's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// JSON path of the offending value, e.g. `questions[1].options`.
    pub path: String,
    /// What was there, e.g. `1 option`.
    pub found: String,
    /// What may be there, e.g. `2–4`.
    pub allowed: String,
}

impl Violation {
    /// Names a violation at `path`.
    pub fn new(
        path: impl Into<String>,
        found: impl Into<String>,
        allowed: impl Into<String>,
    ) -> Self {
        Self { path: path.into(), found: found.into(), allowed: allowed.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, {} needed", self.path, self.found, self.allowed)
    }
}

/// Everything that is wrong, reported at once and in document order. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// Succeeds with `value` when nothing was found wrong.
    ///
    /// # Errors
    ///
    /// What was found, if anything was.
    pub fn none_or<T>(found: Vec<Violation>, value: impl FnOnce() -> T) -> Result<T, Violations> {
        if found.is_empty() { Ok(value()) } else { Err(Self(found)) }
    }

    /// The violations, at least one.
    #[must_use]
    pub fn as_slice(&self) -> &[Violation] {
        &self.0
    }
}

impl From<Violation> for Violations {
    fn from(violation: Violation) -> Self {
        Self(vec![violation])
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, violation) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{violation}")?;
        }
        Ok(())
    }
}
