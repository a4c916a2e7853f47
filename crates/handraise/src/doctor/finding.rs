//! What was looked at, and how it is.

use serde::Serialize;

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Health {
    /// As it should be.
    Well,
    /// Perhaps not as it should be.
    Unsure,
    /// Not as it should be.
    Wrong,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub(super) what: &'static str,
    pub(super) health: Health,
    /// What was found.
    pub(super) found: String,
    /// What to do about it.
    pub(super) hint: Option<String>,
}

impl Finding {
    pub(super) fn well(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, health: Health::Well, found: found.into(), hint: None }
    }

    pub(super) fn unsure(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, health: Health::Unsure, found: found.into(), hint: None }
    }

    pub(super) fn wrong(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, health: Health::Wrong, found: found.into(), hint: None }
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(super) fn lines(&self) -> String {
        let sign = match self.health {
            Health::Well => '✔',
            Health::Unsure => '!',
            Health::Wrong => '✘',
        };
        let hint = self.hint.as_ref().map(|hint| format!("\n{:15}hint: {hint}", ""));
        format!("{sign} {:<12} {}{}", self.what, self.found, hint.unwrap_or_default())
    }
}
