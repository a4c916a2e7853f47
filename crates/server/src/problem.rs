//! Problems as responses.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use handraise_broker::{HubError, StoreError};
use handraise_question::Violations;
use handraise_wire::v1::Problem;

use crate::connection::TOO_MANY_CONNECTIONS;

/// A problem on its way out.
#[derive(Debug, Clone)]
pub(crate) struct Failure(pub(crate) Problem);

/// Marks a response that refused access, for whoever notes it.
#[derive(Debug, Clone)]
pub(crate) struct Refused(pub(crate) String);

impl Failure {
    pub(crate) fn new(status: u16, code: &str, title: &str) -> Self {
        Self(Problem::new(status, code, title))
    }
}

/// A failure that is noted as a refusal, although its status alone does not say that it is one.
pub(crate) struct Noted(pub(crate) Failure);

impl IntoResponse for Noted {
    fn into_response(self) -> Response {
        let code = self.0.0.code.clone();
        let mut response = self.0.into_response();
        response.extensions_mut().insert(Refused(code));
        response
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl From<Violations> for Failure {
    fn from(violations: Violations) -> Self {
        Self(Problem::invalid(violations.as_slice()))
    }
}

impl From<HubError> for Failure {
    fn from(error: HubError) -> Self {
        if let Some(problem) = Problem::of(&error) {
            return Self(problem);
        }
        let title = "nothing was stored, so nothing was changed";
        Self(match &error {
            HubError::Store(StoreError::Full) => {
                Problem::new(507, "disk_full", title).detail("the hub's disk is full; make room")
            }
            HubError::Store(StoreError::ReadOnly) => Problem::new(503, "read_only", title)
                .detail("the hub's database cannot be written to"),
            HubError::Closed => Problem::new(503, "stopping", "the hub is shutting down"),
            HubError::Rejected(_)
            | HubError::Store(_)
            | HubError::Denied(_)
            | HubError::Unreachable(_) => {
                // The cause is the operator's business, not the caller's.
                tracing::error!(error = %detailed(&error), "the hub failed");
                Problem::new(503, "unavailable", "the hub could not store this").detail(
                    "see how the ask stands before you try again; the hub's log has the cause",
                )
            }
        })
    }
}

fn detailed(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let Self(problem) = self;
        let status = StatusCode::from_u16(problem.status);
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&problem).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        let json = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, json);
        if matches!(problem.status, 429 | 503) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if problem.status == 401 {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        let has_no_room = problem.code == TOO_MANY_CONNECTIONS;
        if has_no_room {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if has_no_room || matches!(problem.status, 401 | 403 | 408 | 413 | 429) {
            response.extensions_mut().insert(Refused(problem.code));
        }
        response
    }
}
