//! Gemini's API, as far as Gemini CLI uses it: the same scripts in another form.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};

use super::conversation::Conversation;
use super::server::{Desk, Refusal};

/// Answers a request; `call` is the model and what it is to do, `gemini-x:generateContent`.
pub(super) async fn generate(
    State(desk): State<Arc<Desk>>,
    Path(call): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    if !headers.contains_key("x-goog-api-key") {
        return Err(Refusal::NoKey);
    }
    let request: Value = serde_json::from_slice(&body).map_err(|error| {
        Refusal::Invalid(format!("The request body is not valid JSON: {error}"))
    })?;
    let (model, action) = call.split_once(':').ok_or(Refusal::NotFound)?;
    if action == "countTokens" {
        return Ok(Json(json!({ "totalTokens": 100 })).into_response());
    }
    let streamed = match action {
        "generateContent" => false,
        "streamGenerateContent" => true,
        _ => return Err(Refusal::NotFound),
    };
    let conversation = Conversation::read(&messages(&request["contents"]));
    desk.notebook.note(&request, &conversation.results);
    let asked = json!({ "model": model, "tools": request["tools"] });
    let message = desk.reply(&asked, &conversation)?.whole();
    let content = message["content"].as_array().into_iter().flatten();
    let parts: Vec<_> = content.map(part).collect();
    let response = json!({
        "candidates": [{
            "index": 0, "finishReason": "STOP", "content": { "role": "model", "parts": parts },
        }],
        "usageMetadata": { "promptTokenCount": 10, "candidatesTokenCount": 20, "totalTokenCount": 30 },
        "modelVersion": model,
    });
    if !streamed {
        return Ok(Json(response).into_response());
    }
    let event = Ok::<_, Infallible>(Event::default().data(response.to_string()));
    Ok(Sse::new(stream::iter([event])).into_response())
}

/// The contents of a conversation as the messages that they would be elsewhere.
fn messages(contents: &Value) -> Vec<Value> {
    let contents = contents.as_array().into_iter().flatten();
    let read = |content: &Value| {
        let parts = content["parts"].as_array().into_iter().flatten();
        let blocks: Vec<_> = parts.filter_map(block).collect();
        let role = if content["role"] == "model" { "assistant" } else { "user" };
        json!({ "role": role, "content": blocks })
    };
    contents.map(read).collect()
}

fn block(part: &Value) -> Option<Value> {
    if part["text"].is_string() {
        return Some(json!({ "type": "text", "text": part["text"] }));
    }
    let result = part.get("functionResponse")?;
    let (said, failed) = (&result["response"]["output"], &result["response"]["error"]);
    let content = if failed.is_null() { said } else { failed };
    Some(json!({
        "type": "tool_result", "tool_use_id": result["id"], "content": content,
        "is_error": !failed.is_null(),
    }))
}

fn part(block: &Value) -> Value {
    if block["type"] == "tool_use" {
        let call = json!({ "id": block["id"], "name": block["name"], "args": block["input"] });
        return json!({ "functionCall": call });
    }
    json!({ "text": block["text"] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_results_are_turns_of_the_script() {
        let contents = json!([
            { "role": "user", "parts": [{ "text": "SCRIPT:s" }] },
            { "role": "model", "parts": [{ "functionCall": { "name": "t" } }] },
            { "role": "user", "parts": [
                { "functionResponse": { "id": "a", "response": { "output": "yes" } } },
                { "functionResponse": { "id": "b", "response": { "error": "no" } } },
            ] },
        ]);
        let conversation = Conversation::read(&messages(&contents));
        assert_eq!((conversation.script.as_deref(), conversation.step), (Some("s"), 1));
        let read = conversation.results.iter().map(|r| (r.text.as_str(), r.is_error));
        assert_eq!(read.collect::<Vec<_>>(), [("yes", false), ("no", true)]);
    }
}
