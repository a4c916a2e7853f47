//! Errors as RFC 9457 has them.

use handraise_broker::{AskId, HubError, Power, Record, Rejection, StoreError};
use handraise_question::Violation;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::ask::ResolutionForm;
use super::{DraftJson, ResolutionJson};

/// What went wrong: `application/problem+json` with a stable `code`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", default)]
pub struct Problem {
    /// The HTTP status once more.
    pub status: u16,
    /// Stable, for programs.
    pub code: String,
    /// One line for people.
    pub title: String,
    /// What to do about it, if there is something to add.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub detail: Option<String>,
    /// With `invalid`: everything that is wrong, at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<ViolationJson>>"))]
    pub violations: Vec<ViolationJson>,
    /// With `already_resolved`: the resolution that stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ResolutionJson>)]
    #[cfg_attr(test, ts(optional, as = "Option<ResolutionJson>"))]
    pub resolution: Option<Box<Value>>,
    /// With `older_draft`: the newer one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub draft: Option<Box<DraftJson>>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ViolationJson {
    /// JSON path of the offending value.
    pub path: String,
    /// What was there.
    pub found: String,
    /// What may be there.
    pub allowed: String,
}

impl From<&Violation> for ViolationJson {
    fn from(violation: &Violation) -> Self {
        let Violation { path, found, allowed } = violation.clone();
        Self { path, found, allowed }
    }
}

impl Problem {
    /// A problem without particulars.
    #[must_use]
    pub fn new(status: u16, code: &str, title: impl Into<String>) -> Self {
        Self { status, code: code.to_owned(), title: title.into(), ..Self::default() }
    }

    /// Says what to do about it.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Something that was sent does not fit.
    #[must_use]
    pub fn invalid(violations: &[Violation]) -> Self {
        let title = match violations {
            [one] => one.to_string(),
            several => format!("{} problems", several.len()),
        };
        let violations = violations.iter().map(ViolationJson::from).collect();
        Self { violations, ..Self::new(422, "invalid", title) }
    }

    /// What a hub's refusal reads like. `None` for what is nobody's fault but the hub's own.
    #[must_use]
    pub fn of(error: &HubError) -> Option<Self> {
        let HubError::Rejected(rejection) = error else { return None };
        let title = rejection.to_string();
        Some(match rejection {
            Rejection::NoSuchAsk(_) => Self::new(404, "no_such_ask", title),
            Rejection::NoSuchSession => Self::new(404, "no_such_session", title),
            Rejection::SessionEnded => Self::new(409, "session_ended", title),
            Rejection::NoSuchDevice => Self::new(404, "no_such_device", title),
            Rejection::AlreadyResolved(record) => Self {
                resolution: record
                    .resolved()
                    .and_then(|resolved| serde_json::to_value(ResolutionForm::from(resolved)).ok())
                    .map(Box::new),
                ..Self::new(409, "already_resolved", title)
            },
            Rejection::KeyReused => Self::new(409, "key_reused", title),
            Rejection::Invalid(violations) => Self::invalid(violations.as_slice()),
            Rejection::NotAllowed(Power::Agent) => Self::new(403, "needs_agent", title),
            Rejection::NotAllowed(Power::Person) => Self::new(403, "needs_person", title),
            Rejection::NotYours => Self::new(403, "not_yours", title),
            Rejection::NameTaken(_) => Self::new(409, "name_taken", title),
            Rejection::Revoked => Self::new(401, "bad_token", title),
            Rejection::AnotherDelivers => Self::new(409, "another_delivers", title),
            Rejection::OnlyInDialog => Self::new(409, "only_in_dialog", title)
                .detail("the ask's `policy.answerIn` is `dialog`"),
            Rejection::OlderDraft(draft) => Self {
                draft: Some(Box::new((**draft).clone().into())),
                ..Self::new(409, "older_draft", title)
            },
            Rejection::StillOpen => Self::new(409, "still_open", title).detail(
                "a receipt ends an ask only if it was asked with `rivalDialog`: else a person answers",
            ),
            Rejection::NoDeadline => Self::new(409, "no_deadline", title),
            Rejection::TooManyOpen(_) => Self::new(429, "too_many_open", title),
            Rejection::TooManySessions(_) | Rejection::TooManySessionsOfOne(_) => {
                Self::new(429, "too_many_sessions", title)
            }
        })
    }

    /// Reads a problem back into what the hub said about the ask `id`.
    ///
    /// `record` is the ask as it stands, which the caller fetches when it was already resolved.
    #[must_use]
    pub fn into_error(self, id: Option<AskId>, record: Option<Box<Record>>) -> HubError {
        let violations = || {
            let all = self.violations.iter();
            all.map(|one| Violation::new(&one.path, &one.found, &one.allowed)).collect::<Vec<_>>()
        };
        let rejection = match (self.code.as_str(), id, record) {
            ("no_such_ask", Some(id), _) => Rejection::NoSuchAsk(id),
            ("no_such_session", ..) => Rejection::NoSuchSession,
            ("session_ended", ..) => Rejection::SessionEnded,
            ("no_such_device", ..) => Rejection::NoSuchDevice,
            ("already_resolved", _, Some(record)) => Rejection::AlreadyResolved(record),
            ("key_reused", ..) => Rejection::KeyReused,
            ("needs_agent", ..) => Rejection::NotAllowed(Power::Agent),
            ("needs_person", ..) => Rejection::NotAllowed(Power::Person),
            ("not_yours", ..) => Rejection::NotYours,
            ("another_delivers", ..) => Rejection::AnotherDelivers,
            ("only_in_dialog", ..) => Rejection::OnlyInDialog,
            ("still_open", ..) => Rejection::StillOpen,
            ("no_deadline", ..) => Rejection::NoDeadline,
            ("older_draft", ..) => match self.draft {
                Some(draft) => Rejection::OlderDraft(Box::new((*draft).into())),
                None => return HubError::Unreachable(self.title),
            },
            ("invalid", ..) if !self.violations.is_empty() => {
                match handraise_question::Violations::none_or(violations(), || ()) {
                    Err(violations) => Rejection::Invalid(violations),
                    Ok(()) => return HubError::Unreachable(self.title),
                }
            }
            ("too_large", ..) => {
                let allowed = self.detail.unwrap_or_default();
                Rejection::Invalid(Violation::new("the body", "too large", allowed).into())
            }
            ("disk_full", ..) => return StoreError::Full.into(),
            ("read_only", ..) => return StoreError::ReadOnly.into(),
            ("too_many_open" | "too_many_sessions" | "name_taken", ..) => {
                return HubError::Denied(self.title);
            }
            _ if matches!(self.status, 401 | 403) => return HubError::Denied(self.title),
            _ => return HubError::Unreachable(format!("{} ({})", self.title, self.code)),
        };
        rejection.into()
    }
}
