//! Conversations with agents that are run under the hub.

use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use handraise_broker::{
    MessageState, Progress, Session, SessionId, SessionQuery, SessionState, Sessions, check_words,
};
use handraise_question::{Violation, Violations};
use handraise_wire::v1::{
    InterruptParams, MessagesResponse, Problem, ProgressParams, ProgressResponse, SayParams,
    SayResponse, SessionJson, SessionParams, SessionsResponse, StartParams, StreamedJson,
};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::App;
use crate::authenticated::{Agent, Authenticated, Deliverer, Person, internal};
use crate::body::{Body, Params};
use crate::problem::Failure;
use crate::routes::limit;

/// The session an address names. What is no id names no session.
pub(crate) struct NamedSession(SessionId);

impl FromRequestParts<App> for NamedSession {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let id = Path::<SessionId>::from_request_parts(parts, app).await;
        id.map(|Path(id)| Self(id))
            .map_err(|_| Failure::new(404, "no_such_session", "there is no such session"))
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SessionsParams {
    /// Only those that are not over.
    live: Option<bool>,
    /// The `next` of the page before.
    #[param(value_type = Option<String>)]
    after: Option<SessionId>,
    /// At most this many: 1 to 500, 100 when absent.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
}

/// Sessions, the last one that began first
#[utoipa::path(
    get, path = "/api/v1/sessions", tag = "both", params(SessionsParams),
    responses((status = 200, description = "a page of sessions", body = SessionsResponse),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"))
)]
pub(crate) async fn list(
    State(app): State<App>,
    caller: Authenticated,
    Params(params): Params<SessionsParams>,
) -> Result<Response, Failure> {
    let limit = limit(params.limit)?;
    let room = app.room.for_page(caller.seat.device().power).await;
    let live = params.live.unwrap_or(false);
    let query = SessionQuery { live, after: params.after, limit };
    let found = caller.seat.sessions(query).await?;
    let next = found.last().filter(|_| found.len() == limit as usize).map(|session| session.id);
    let sessions = found.iter().map(|session| Session::clone(session).into()).collect();
    let directories = app.config.starter.directories();
    let start_in = directories.iter().map(|path| path.display().to_string()).collect();
    Ok(room.respond(json(&SessionsResponse { sessions, next, start_in })?))
}

/// One session as it stands
#[utoipa::path(
    get, path = "/api/v1/sessions/{id}", tag = "both",
    params(("id" = String, Path, description = "the session")),
    responses((status = 200, description = "the session", body = SessionJson),
        (status = 404, description = "`no_such_session`", body = Problem, content_type = "application/problem+json"))
)]
pub(crate) async fn get(
    caller: Authenticated,
    NamedSession(id): NamedSession,
) -> Result<Json<SessionJson>, Failure> {
    let session = caller.seat.session(id).await?;
    Ok(Json(Session::clone(&session).into()))
}

/// Open a session that the caller runs
#[utoipa::path(
    post, path = "/api/v1/sessions", tag = "agent", request_body = SessionParams,
    params(("handraise-deliverer" = Option<String>, Header, description = "names the process that runs the agent")),
    responses((status = 201, description = "the session; with the key of a live one, that one", body = SessionJson),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"))
)]
pub(crate) async fn open(
    Agent(caller): Agent,
    _: Deliverer,
    Body(params): Body<SessionParams>,
) -> Result<(StatusCode, Json<SessionJson>), Failure> {
    let (new, key) = params.into();
    let session = caller.seat.open_session(new, key).await?;
    Ok((StatusCode::CREATED, Json(Session::clone(&session).into())))
}

/// Have an agent started, in a directory that the configuration allows
#[utoipa::path(
    post, path = "/api/v1/sessions/start", tag = "person", request_body = StartParams,
    responses(
        (status = 201, description = "the session that is about to begin", body = SessionJson),
        (status = 409, description = "`key_reused`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`: the directory is not allowed, or there are no words", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn start(
    State(app): State<App>,
    Person(caller): Person,
    Body(params): Body<StartParams>,
) -> Result<(StatusCode, Json<SessionJson>), Failure> {
    let StartParams { directory, text, idempotency_key: key } = params;
    // Before anything begins: a session without its first words would wait for ever.
    check_words(&text)?;
    let new = app.config.starter.prepare(&directory).map_err(|why| {
        Violations::from(Violation::new("directory", why, "a directory listed in startIn"))
    })?;
    let session = caller.seat.open_session(new, key.clone()).await?;
    let begins = session.messages == 0;
    caller.seat.say(session.id, text, key).await?;
    if begins && let Err(why) = app.config.starter.start(&session) {
        let ended = Progress {
            state: Some(SessionState::Ended),
            trouble: Some(format!("it could not be started: {why}")),
            ..Progress::default()
        };
        app.broker.note_progress(session.id, ended).await?;
    }
    let session = caller.seat.session(session.id).await?;
    Ok((StatusCode::CREATED, Json(Session::clone(&session).into())))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct MessagesParams {
    /// The number of the last message that is known.
    after: Option<u64>,
    /// At most this many: 1 to 500, 100 when absent.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
}

/// What was said in a session; a page ends early after 16 MiB, the last one is empty
#[utoipa::path(
    get, path = "/api/v1/sessions/{id}/messages", tag = "both",
    params(("id" = String, Path, description = "the session"), MessagesParams),
    responses((status = 200, description = "messages in their order, each as it stands", body = MessagesResponse),
        (status = 404, description = "`no_such_session`", body = Problem, content_type = "application/problem+json"))
)]
pub(crate) async fn messages(
    State(app): State<App>,
    caller: Authenticated,
    NamedSession(id): NamedSession,
    Params(params): Params<MessagesParams>,
) -> Result<Response, Failure> {
    let limit = limit(params.limit)?;
    let room = app.room.for_page(caller.seat.device().power).await;
    let after = place("after", params.after.unwrap_or(0))?;
    let messages = caller.seat.messages(id, after, limit).await?;
    let speaking = caller.seat.speaking(id).await?;
    Ok(room.respond(json(&MessagesResponse {
        messages: messages.into_iter().map(Into::into).collect(),
        speaking: speaking.map(Into::into),
    })?))
}

/// Say something to the agent; it waits until the agent can take it
#[utoipa::path(
    post, path = "/api/v1/sessions/{id}/messages", tag = "person", request_body = SayParams,
    params(("id" = String, Path, description = "the session"),
        ("handraise-surface" = Option<String>, Header, description = "where the person is: terminal, web or api")),
    responses(
        (status = 202, description = "stored, and queued for the agent", body = SayResponse),
        (status = 404, description = "`no_such_session`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`session_ended` or `key_reused`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn say(
    Person(caller): Person,
    NamedSession(id): NamedSession,
    Body(params): Body<SayParams>,
) -> Result<(StatusCode, Json<SayResponse>), Failure> {
    let message = caller.seat.say(id, params.text, params.idempotency_key).await?;
    let queued = message.state == Some(MessageState::Queued);
    Ok((StatusCode::ACCEPTED, Json(SayResponse { queued, message: message.into() })))
}

/// Have the agent stop what it does
#[utoipa::path(
    post, path = "/api/v1/sessions/{id}/interrupt", tag = "person", request_body = Option<InterruptParams>,
    params(("id" = String, Path, description = "the session")),
    responses((status = 202, description = "it will be told", body = SessionJson),
        (status = 404, description = "`no_such_session`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`session_ended`", body = Problem, content_type = "application/problem+json"))
)]
pub(crate) async fn interrupt(
    Person(caller): Person,
    NamedSession(id): NamedSession,
    params: Option<Body<InterruptParams>>,
) -> Result<(StatusCode, Json<SessionJson>), Failure> {
    let key = params.and_then(|Body(params)| params.idempotency_key);
    let session = caller.seat.interrupt(id, key).await?;
    Ok((StatusCode::ACCEPTED, Json(Session::clone(&session).into())))
}

/// End a session
#[utoipa::path(
    post, path = "/api/v1/sessions/{id}/end", tag = "person",
    params(("id" = String, Path, description = "the session")),
    responses((status = 202, description = "it will end", body = SessionJson),
        (status = 404, description = "`no_such_session`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`session_ended`", body = Problem, content_type = "application/problem+json"))
)]
pub(crate) async fn end(
    Person(caller): Person,
    NamedSession(id): NamedSession,
) -> Result<(StatusCode, Json<SessionJson>), Failure> {
    let session = caller.seat.end_session(id).await?;
    Ok((StatusCode::ACCEPTED, Json(Session::clone(&session).into())))
}

/// Tell how the agent gets on
#[utoipa::path(
    post, path = "/api/v1/sessions/{id}/progress", tag = "agent", request_body = ProgressParams,
    params(("id" = String, Path, description = "the session")),
    responses((status = 200, description = "what changed", body = ProgressResponse),
        (status = 403, description = "`not_yours`: another agent's token opened it; noted", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`no_such_session`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"))
)]
pub(crate) async fn progress(
    Agent(caller): Agent,
    _: Deliverer,
    NamedSession(id): NamedSession,
    Body(params): Body<ProgressParams>,
) -> Result<Json<ProgressResponse>, Failure> {
    let changed = caller.seat.progress(id, params.into()).await?;
    Ok(Json(ProgressResponse {
        session: changed.session.clone().into(),
        messages: changed.messages.iter().cloned().map(Into::into).collect(),
    }))
}

/// Tell what the agent is saying; this is not stored
#[utoipa::path(
    post, path = "/api/v1/sessions/{id}/text", tag = "agent", request_body = StreamedJson,
    params(("id" = String, Path, description = "the session")),
    responses((status = 204, description = "told to whoever listens"),
        (status = 403, description = "`not_yours`: another agent's token opened it; noted", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`no_such_session`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"))
)]
pub(crate) async fn text(
    Agent(caller): Agent,
    NamedSession(id): NamedSession,
    Body(streamed): Body<StreamedJson>,
) -> Result<StatusCode, Failure> {
    place("offset", streamed.offset)?;
    caller.seat.stream(id, streamed.into()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A place as far as places are counted.
fn place(path: &'static str, place: u64) -> Result<u64, Violations> {
    match i64::try_from(place) {
        Ok(_) => Ok(place),
        Err(_) => Err(Violation::new(path, "too far", format!("0–{}", i64::MAX)).into()),
    }
}

fn json(page: &impl serde::Serialize) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec(page).map_err(|_| internal("a page cannot be written"))
}
