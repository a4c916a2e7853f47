//! Panopticon's addresses: which questions an agent waits with, and the answers to them.
//!
//! Its page knows one answer and one failure, so everything that goes wrong for somebody who may be here
//! is that failure, with a reason.

mod meant;
mod taken;

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use handraise_broker::{Attempt, Caller, Hub, HubError, Record, Reply, Seat};
use handraise_question::{AnswerForm, Responder, Surface, Violation};
use handraise_wire::dialects::panopticon::{
    AnswerParams, AnswerResponse, FailureResponse, PendingResponse,
};
use handraise_wire::v1::Problem;

use crate::app::App;
use crate::authenticated::{Authenticated, Person};
use crate::body::Body;
use crate::dialects::{Sight, is_answerable};
use crate::problem::Failure;
use meant::{Meant, meant};
use taken::{Arrival, arrival};

/// More than a page shows; the rest is told of when these are answered.
const MOST_TOLD: usize = 50;
/// No agent is called anything longer.
const LONGEST_NAME: usize = 500;

/// The agent an address names; what cannot be read names none.
type Named = Result<Path<String>, PathRejection>;

/// The questions an agent waits with.
pub(crate) async fn pending(
    Person(caller): Person,
    State(app): State<App>,
    agent: Named,
) -> Response {
    let Some(agent) = name(agent) else {
        return Json(PendingResponse::new([])).into_response();
    };
    let asks = asks_of(&app, &agent).await;
    let told = asks.iter().map(|record| record.id).collect();
    app.told.note(caller.seat.device().id, &agent, told, app.broker.world().elapsed());
    Json(PendingResponse::new(asks.iter().map(Arc::as_ref))).into_response()
}

/// Answers the questions an agent waits with.
pub(crate) async fn answer(
    Person(caller): Person,
    State(app): State<App>,
    agent: Named,
    params: Result<Body<AnswerParams>, Failure>,
) -> Result<Json<AnswerResponse>, NotTaken> {
    let Body(AnswerParams { answers }) = params?;
    let seat = seat(&app, &caller);
    let agent = name(agent).ok_or_else(|| NotTaken::because(NOTHING))?;
    let Meant { asks, given } = meant(&app, &seat, &agent, &answers).await?;
    for (record, (_, forms)) in asks.iter().zip(&given) {
        check(&app, record, forms)?;
    }
    let several = given.len();
    let asks: Vec<_> = given.iter().map(|(id, _)| *id).collect();
    // Before the first is answered, so that no receipt falls in between.
    let feed = seat.follow(None).await?;
    for (taken, (id, forms)) in given.into_iter().enumerate() {
        let replied = seat.reply(id, Reply::Answer(forms), None).await;
        replied.map_err(|error| NotTaken::from(error).after(taken, several))?;
    }
    app.told.answered(seat.device().id, &agent);
    match arrival(&seat, feed, &asks, &app.stopping).await? {
        Arrival::Taken => Ok(Json(AnswerResponse::TAKEN)),
        Arrival::Failed(place, reason) => Err(NotTaken::Failed(reason).after(place, several)),
    }
}

const NOTHING: &str = "this agent waits for no answer";

fn name(agent: Named) -> Option<String> {
    agent.ok().map(|Path(agent)| agent).filter(|agent| agent.len() <= LONGEST_NAME)
}

/// The hub as Panopticon's page sees it.
fn seat(app: &App, caller: &Authenticated) -> Seat {
    let surface = Surface::Dialect("panopticon".into());
    app.broker.seat(Caller { device: caller.seat.device().clone(), surface })
}

/// What an agent waits with and can be answered from here, the oldest first.
///
/// Its name is that of a session here, its own name for its session, or the one Panopticon gave it.
async fn asks_of(app: &App, agent: &str) -> Vec<Arc<Record>> {
    let sight = Sight::new(Some(agent.to_owned()), &app.broker.live_sessions());
    let workspace = {
        let (workspaces, agent) = (app.config.workspaces.clone(), agent.to_owned());
        // It is looked up in a file.
        tokio::task::spawn_blocking(move || workspaces.workspace_of(&agent)).await.ok().flatten()
    };
    let works_there = |record: &Record| {
        let directory = record.asker().directory.as_deref().map(FilePath::new);
        directory.is_some() && directory == workspace.as_deref()
    };
    let mut asks = app
        .broker
        .open_asks(|record| sight.covers(record) || is_answerable(record) && works_there(record));
    asks.truncate(MOST_TOLD);
    asks
}

/// Whether the hub would take it: before the first of several asks is answered, so that all are or none.
fn check(app: &App, record: &Record, forms: &[AnswerForm]) -> Result<(), HubError> {
    let surface = Surface::Dialect("panopticon".into());
    let responder = Responder { person: None, device: None, surface, proof: None };
    let attempt = Attempt { reply: Reply::Answer(forms.to_vec()), responder, key: None };
    record.reply(attempt, app.broker.world().now()).map(|_| ()).map_err(HubError::from)
}

/// Why an answer was not taken.
pub(crate) enum NotTaken {
    /// Its sender may not, or sends too much: said as everywhere.
    Refused(Failure),
    /// Anything else: said as Panopticon's server does.
    Failed(String),
}

impl NotTaken {
    fn because(reason: &str) -> Self {
        Self::Failed(reason.into())
    }

    /// Adds how many of several asks had been answered by then.
    fn after(self, taken: usize, several: usize) -> Self {
        match self {
            Self::Failed(reason) if taken > 0 => Self::Failed(format!(
                "{taken} of {several} were answered, the next was not: {reason}"
            )),
            Self::Failed(_) | Self::Refused(_) => self,
        }
    }
}

impl From<Failure> for NotTaken {
    fn from(failure: Failure) -> Self {
        match failure.0.status {
            401 | 403 | 408 | 413 | 429 => Self::Refused(failure),
            _ => Self::Failed(reason(&failure.0)),
        }
    }
}

impl From<HubError> for NotTaken {
    fn from(error: HubError) -> Self {
        Failure::from(error).into()
    }
}

impl From<Violation> for NotTaken {
    fn from(violation: Violation) -> Self {
        Self::Failed(violation.to_string())
    }
}

impl IntoResponse for NotTaken {
    fn into_response(self) -> Response {
        match self {
            Self::Refused(failure) => failure.into_response(),
            Self::Failed(reason) => {
                let body = Json(FailureResponse::because(reason));
                (StatusCode::INTERNAL_SERVER_ERROR, body).into_response()
            }
        }
    }
}

/// A problem in one line.
fn reason(problem: &Problem) -> String {
    let Problem { title, detail, violations, .. } = problem;
    if violations.is_empty() {
        return detail.iter().fold(title.clone(), |title, detail| format!("{title}: {detail}"));
    }
    let violations = violations
        .iter()
        .map(|one| Violation::new(&one.path, &one.found, &one.allowed).to_string());
    violations.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason_of(failing: NotTaken) -> Option<String> {
        match failing {
            NotTaken::Failed(reason) => Some(reason),
            NotTaken::Refused(_) => None,
        }
    }

    #[test]
    fn of_several_asks_it_is_said_how_many_were_answered() {
        let closed = |taken| reason_of(NotTaken::from(HubError::Closed).after(taken, 3)).unwrap();
        assert_eq!(closed(0), "the hub is shutting down");
        assert_eq!(closed(2), "2 of 3 were answered, the next was not: the hub is shutting down");
    }

    #[test]
    fn whoever_may_not_be_here_is_told_so_as_everywhere() {
        for status in [401, 403, 408, 413, 429] {
            let failure = Failure::new(status, "code", "title");
            assert_eq!(reason_of(failure.into()), None, "{status}");
        }
        for status in [400, 404, 409, 415, 422, 503, 507] {
            let failure = Failure::new(status, "code", "title");
            assert_eq!(reason_of(failure.into()).as_deref(), Some("title"), "{status}");
        }
    }

    #[test]
    fn everything_that_is_wrong_is_one_line() {
        let wrong = [Violation::new("a", "1", "2"), Violation::new("b", "3", "4")];
        assert_eq!(reason(&Problem::invalid(&wrong)), "a: 1, 2 needed; b: 3, 4 needed");
        let detailed = Problem::new(507, "disk_full", "nothing was stored").detail("make room");
        assert_eq!(reason(&detailed), "nothing was stored: make room");
    }
}
