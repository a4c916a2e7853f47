//! The Messages API, as far as agents use it.

use std::collections::{HashMap, VecDeque};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::block::{Block, Turn};
use super::chat;
use super::conversation::Conversation;
use super::fault::{self, Fault};
use super::gemini;
use super::notebook::Notebook;
use super::reply::Reply;
use super::responses;

/// What the model knows and what it has read.
#[derive(Debug, Default)]
pub(super) struct Desk {
    pub(super) scripts: Mutex<HashMap<String, Vec<Turn>>>,
    pub(super) notebook: Notebook,
    /// What goes wrong, by script and turn.
    pub(super) faults: Mutex<HashMap<(String, usize), VecDeque<Fault>>>,
}

/// Serves until `stop` is dropped. Connections that are open then are cut.
pub(super) async fn serve(listener: TcpListener, desk: Arc<Desk>, stop: oneshot::Receiver<()>) {
    let routes = Router::new()
        .route("/", get(async || StatusCode::OK))
        .route("/v1/messages", post(messages))
        .route("/v1/messages/count_tokens", post(count_tokens))
        .route("/v1/chat/completions", post(chat::completions))
        .route("/v1/responses", post(responses::create))
        .route("/v1beta/models/{call}", post(gemini::generate))
        .fallback(async || Refusal::NotFound)
        .layer(DefaultBodyLimit::disable())
        .with_state(desk);
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    tokio::select! {
        _ = axum::serve(listener, routes) => {}
        _ = stop => {}
    }
}

async fn messages(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    let request = read(&headers, &body, &["model", "max_tokens", "messages"])?;
    let conversation =
        Conversation::read(request["messages"].as_array().map_or(&[], Vec::as_slice));
    desk.notebook.note(&request, &conversation.results);
    let reply = desk.reply(&request, &conversation)?;
    let fault = desk.next_fault(&conversation);
    if request["stream"] != true {
        return Ok(Json(reply.whole()).into_response());
    }
    let events = reply.events().into_iter().map(|event| {
        let name = event["type"].as_str().unwrap_or_default().to_owned();
        Event::default().event(name).data(event.to_string())
    });
    Ok(fault::respond(events.collect(), fault))
}

async fn count_tokens(headers: HeaderMap, body: Bytes) -> Result<Json<Value>, Refusal> {
    read(&headers, &body, &["model", "messages"])?;
    Ok(Json(json!({ "input_tokens": 100 })))
}

/// As strict as the real one where a client of ours could go wrong.
fn read(headers: &HeaderMap, body: &[u8], fields: &[&str]) -> Result<Value, Refusal> {
    if !headers.contains_key("x-api-key") && !headers.contains_key("authorization") {
        return Err(Refusal::NoKey);
    }
    if !headers.contains_key("anthropic-version") {
        return Err(Refusal::Invalid("anthropic-version: header is required".to_owned()));
    }
    let request: Value = serde_json::from_slice(body).map_err(|error| {
        Refusal::Invalid(format!("The request body is not valid JSON: {error}"))
    })?;
    match fields.iter().find(|field| request[**field].is_null()) {
        Some(field) => Err(Refusal::Invalid(format!("{field}: Field required"))),
        None => Ok(request),
    }
}

impl Desk {
    /// What goes wrong with this turn now, if anything does.
    pub(super) fn next_fault(&self, conversation: &Conversation) -> Option<Fault> {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = (conversation.script.clone()?, conversation.step);
        faults.get_mut(&turn)?.pop_front()
    }

    pub(super) fn reply(
        &self,
        request: &Value,
        conversation: &Conversation,
    ) -> Result<Reply, Refusal> {
        let says = |text: &str| Reply::new(&request["model"], "", 0, &[Block::text(text)]);
        // What an agent asks on the side, such as a title for the session, goes without tools.
        let on_the_side = request["tools"].as_array().is_none_or(Vec::is_empty);
        let Some(script) = conversation.script.as_deref().filter(|_| !on_the_side) else {
            return Ok(says("ok"));
        };
        let scripts = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        let turns = scripts
            .get(script)
            .ok_or_else(|| Refusal::Invalid(format!("there is no script {script:?}")))?;
        let step = conversation.step;
        Ok(match turns.get(step) {
            Some(turn) => {
                let turn: Turn =
                    turn.iter().map(|said| said.filled(&conversation.results)).collect();
                Reply::new(&request["model"], script, step, &turn)
            }
            None => says(&echo(conversation)),
        })
    }
}

/// What the model says when its script is over: what came of it.
fn echo(conversation: &Conversation) -> String {
    let results = conversation.newer().iter().map(|result| {
        let error = if result.is_error { " (error)" } else { "" };
        format!("ECHO {}{error}: {}", result.tool_use_id, result.text)
    });
    let lines: Vec<_> = results.collect();
    if lines.is_empty() { "ECHO nothing".to_owned() } else { lines.join("\n") }
}

/// Why a request gets no reply.
#[derive(Debug)]
pub(super) enum Refusal {
    NoKey,
    Invalid(String),
    NotFound,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, kind, message) = match self {
            Self::NoKey => (
                StatusCode::UNAUTHORIZED,
                "authentication_error",
                "x-api-key header is required".to_owned(),
            ),
            Self::Invalid(message) => (StatusCode::BAD_REQUEST, "invalid_request_error", message),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found_error", "Not found".to_owned()),
        };
        let error = json!({ "type": kind, "message": message });
        (status, Json(json!({ "type": "error", "error": error }))).into_response()
    }
}
