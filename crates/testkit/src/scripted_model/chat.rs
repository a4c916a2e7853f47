//! Chat completions: the same scripts, in the form that most other servers have.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::conversation::Conversation;
use super::fault;
use super::reply::{Reply, pieces};
use super::server::{Desk, Refusal};

pub(super) async fn completions(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    if !headers.contains_key("authorization") {
        return Err(Refusal::NoKey);
    }
    let request: Value = serde_json::from_slice(&body)
        .map_err(|error| Refusal::Invalid(format!("the body is not JSON: {error}")))?;
    let messages = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
    if request["model"].as_str().is_none() || messages.is_empty() {
        return Err(Refusal::Invalid("model and messages are required".to_owned()));
    }
    check(messages)?;
    let messages: Vec<_> = messages.iter().map(translated).collect();
    let conversation = Conversation::read(&messages);
    desk.notebook.note(&request, &conversation.results);
    let message = desk.reply(&request, &conversation)?;
    let fault = desk.next_fault(&conversation);
    if request["stream"] == true {
        return Ok(fault::respond(events(message), fault));
    }
    let message = message.whole();
    let (text, calls) = parts(&message);
    let said = json!({ "role": "assistant", "content": text, "tool_calls": calls });
    let choice = json!({ "index": 0, "message": said, "finish_reason": reason(&message) });
    Ok(Json(json!({ "object": "chat.completion", "model": request["model"], "choices": [choice] }))
        .into_response())
}

/// As strict as real ones: each call has its result right after it, and arguments are JSON in a text.
fn check(messages: &[Value]) -> Result<(), Refusal> {
    let mut open: Vec<&str> = vec![];
    for message in messages {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let before = open.len();
            open.retain(|call| *call != id);
            if open.len() + 1 != before {
                return Err(Refusal::Invalid("a result without its call".to_owned()));
            }
            continue;
        }
        if !open.is_empty() {
            return Err(Refusal::Invalid("a call without its result".to_owned()));
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
            let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
            let Some(id) = call["id"].as_str().filter(|_| arguments.is_object()) else {
                return Err(Refusal::Invalid("a call without id or arguments".to_owned()));
            };
            open.push(id);
        }
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(Refusal::Invalid("a call without its result".to_owned()))
    }
}

/// A message in the form of the Messages API.
fn translated(message: &Value) -> Value {
    if message["role"] != "tool" {
        return message.clone();
    }
    let result = json!({ "type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"] });
    json!({ "role": "user", "content": [result] })
}

fn reason(message: &Value) -> &'static str {
    match message["stop_reason"].as_str() {
        Some("tool_use") => "tool_calls",
        Some("max_tokens") => "length",
        _ => "stop",
    }
}

/// Text and calls of a message in the form of the Messages API.
fn parts(message: &Value) -> (String, Vec<Value>) {
    let (mut text, mut calls) = (String::new(), vec![]);
    for block in message["content"].as_array().into_iter().flatten() {
        if block["type"] == "tool_use" {
            let input =
                block["input"].as_str().map_or_else(|| block["input"].to_string(), str::to_owned);
            let function = json!({ "name": block["name"], "arguments": input });
            calls.push(json!({ "id": block["id"], "type": "function", "function": function }));
        } else {
            text.push_str(block["text"].as_str().unwrap_or_default());
        }
    }
    (text, calls)
}

fn events(reply: Reply) -> Vec<Event> {
    let message = reply.whole();
    let (text, calls) = parts(&message);
    let mut deltas = vec![json!({ "role": "assistant", "content": "" })];
    deltas.extend(pieces(&text).map(|piece| json!({ "content": piece })));
    for (index, call) in calls.iter().enumerate() {
        let mut opening = call.clone();
        opening["index"] = json!(index);
        opening["function"]["arguments"] = json!("");
        deltas.push(json!({ "tool_calls": [opening] }));
        let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
        deltas.extend(pieces(arguments).map(|piece| {
            json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] })
        }));
    }
    let mut choices: Vec<_> = deltas
        .into_iter()
        .map(|delta| json!({ "index": 0, "delta": delta, "finish_reason": null }))
        .collect();
    choices.push(json!({ "index": 0, "delta": {}, "finish_reason": reason(&message) }));
    let chunk = |choice: Value| json!({ "object": "chat.completion.chunk", "choices": [choice] });
    let chunks = choices.into_iter().map(|choice| chunk(choice).to_string());
    chunks.chain(["[DONE]".to_owned()]).map(|data| Event::default().data(data)).collect()
}
