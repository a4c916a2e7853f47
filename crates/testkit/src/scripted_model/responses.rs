//! The Responses API, as far as Codex uses it: the same scripts in another form.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};

use super::conversation::Conversation;
use super::server::{Desk, Refusal};

/// Answers a request.
pub(super) async fn create(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    if !headers.contains_key("authorization") {
        return Err(Refusal::NoKey);
    }
    let request: Value = serde_json::from_slice(&body).map_err(|error| {
        Refusal::Invalid(format!("The request body is not valid JSON: {error}"))
    })?;
    if request["model"].is_null() || !request["input"].is_array() {
        return Err(Refusal::Invalid("model, input: fields required".to_owned()));
    }
    let conversation = Conversation::read(&messages(&request["input"]));
    desk.notebook.note(&request, &conversation.results);
    let message = desk.reply(&request, &conversation)?.whole();
    let content = message["content"].as_array().into_iter().flatten();
    let items: Vec<_> = content.map(|block| item(block, &request["tools"])).collect();
    let id = format!("resp_{}", message["id"].as_str().unwrap_or_default());
    let response = json!({
        "id": id, "object": "response", "status": "completed", "model": request["model"],
        "output": items,
        "usage": {
            "input_tokens": 10, "input_tokens_details": { "cached_tokens": 0 },
            "output_tokens": 20, "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": 30,
        },
    });
    if request["stream"] != true {
        return Ok(Json(response).into_response());
    }
    let events = events(&response).into_iter().map(|event| {
        let name = event["type"].as_str().unwrap_or_default().to_owned();
        Ok::<_, Infallible>(Event::default().event(name).data(event.to_string()))
    });
    Ok(Sse::new(stream::iter(events)).into_response())
}

/// The items of a conversation as the messages that they would be elsewhere: what comes between two
/// results, or two things a person said, is one turn of the model.
fn messages(items: &Value) -> Vec<Value> {
    let mut messages: Vec<Value> = vec![];
    for item in items.as_array().into_iter().flatten() {
        let by_model = match item["type"].as_str() {
            Some("function_call" | "reasoning") => true,
            Some("function_call_output") => {
                let result = json!({
                    "type": "tool_result", "tool_use_id": item["call_id"], "content": item["output"],
                });
                messages.push(json!({ "role": "user", "content": [result] }));
                continue;
            }
            _ => item["role"] == "assistant",
        };
        let last_by_model = messages.last().is_some_and(|last| last["role"] == "assistant");
        if by_model && !last_by_model {
            messages.push(json!({ "role": "assistant", "content": [] }));
        } else if item["role"] == "user" {
            let parts = item["content"].as_array().into_iter().flatten();
            let texts = parts.map(|part| json!({ "type": "text", "text": part["text"] }));
            messages.push(json!({ "role": "user", "content": texts.collect::<Vec<_>>() }));
        }
    }
    messages
}

/// A block of a message as an item. The tools of an MCP server are in a namespace of their own.
fn item(block: &Value, tools: &Value) -> Value {
    if block["type"] != "tool_use" {
        let text = json!({ "type": "output_text", "text": block["text"], "annotations": [] });
        return json!({ "type": "message", "role": "assistant", "status": "completed", "content": [text] });
    }
    let wanted = block["name"].as_str().unwrap_or_default();
    let spaces = tools.as_array().into_iter().flatten().filter(|tool| tool["type"] == "namespace");
    let within = spaces.filter_map(|space| {
        let namespace = space["name"].as_str()?;
        let name = wanted.strip_prefix(namespace)?.strip_prefix("__")?;
        let mut tools = space["tools"].as_array()?.iter();
        tools.any(|tool| tool["name"] == name).then_some((namespace, name))
    });
    let mut call = json!({
        "type": "function_call", "id": format!("fc_{}", block["id"].as_str().unwrap_or_default()),
        "call_id": block["id"], "name": wanted, "arguments": block["input"].to_string(),
        "status": "completed",
    });
    if let Some((namespace, name)) = within.into_iter().next() {
        call["namespace"] = json!(namespace);
        call["name"] = json!(name);
    }
    call
}

fn events(response: &Value) -> Vec<Value> {
    let mut opening = response.clone();
    opening["status"] = json!("in_progress");
    opening["output"] = json!([]);
    opening["usage"] = Value::Null;
    let mut events = vec![json!({ "type": "response.created", "response": opening })];
    let items = response["output"].as_array().into_iter().flatten();
    for (index, item) in items.enumerate() {
        events.push(
            json!({ "type": "response.output_item.done", "output_index": index, "item": item }),
        );
    }
    events.push(json!({ "type": "response.completed", "response": response }));
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_results_are_turns_of_the_script() {
        let said = |text: &str| json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": text }] });
        let call = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "t" });
        let result =
            |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": id });
        let items = json!([
            said("SCRIPT:s"),
            call("a"),
            call("b"),
            result("a"),
            result("b"),
            call("c"),
            result("c"),
        ]);
        let conversation = Conversation::read(&messages(&items));
        assert_eq!(conversation.script.as_deref(), Some("s"));
        assert_eq!(conversation.step, 2);
        let texts: Vec<_> = conversation.results.iter().map(|r| r.text.as_str()).collect();
        assert_eq!(texts, ["a", "b", "c"]);
    }

    #[test]
    fn a_tool_of_a_server_is_called_in_its_namespace() {
        let tools =
            json!([{ "type": "namespace", "name": "mcp__x", "tools": [{ "name": "ask" }] }]);
        let block = json!({ "type": "tool_use", "id": "1", "name": "mcp__x__ask", "input": {} });
        let call = item(&block, &tools);
        assert_eq!((&call["namespace"], &call["name"]), (&json!("mcp__x"), &json!("ask")));
        assert_eq!(item(&block, &json!([]))["name"], "mcp__x__ask");
    }
}
