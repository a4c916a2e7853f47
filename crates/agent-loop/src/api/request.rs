//! What is sent.

use genai::chat::{
    ChatMessage, ChatRequest, ContentPart, MessageContent, Tool, ToolCall, ToolResponse,
};
use serde_json::json;

use super::Api;
use crate::{Call, Message, Request, ToolResult, ToolSpec, Turn};

pub(super) fn of(api: Api, request: &Request<'_>) -> ChatRequest {
    let messages = request.messages.iter().filter_map(|message| match message {
        Message::User(text) => Some(ChatMessage::user(*text)),
        Message::Assistant(turn) => assistant(turn),
        Message::Results(results) => Some(ChatMessage::tool(MessageContent::from_parts(
            results.iter().map(|(call, result)| answered(api, call, result)).collect::<Vec<_>>(),
        ))),
    });
    let mut chat = ChatRequest::new(messages.collect());
    if !request.system.is_empty() {
        chat = chat.with_system(request.system);
    }
    if request.tools.is_empty() { chat } else { chat.with_tools(request.tools.iter().map(tool)) }
}

fn tool(spec: &ToolSpec) -> Tool {
    Tool::new(spec.name.as_str())
        .with_description(spec.description.as_str())
        .with_schema(spec.schema.clone())
}

/// What the model said; nothing where it said nothing, because servers refuse empty messages.
fn assistant(turn: &Turn) -> Option<ChatMessage> {
    let kept = turn.kept.clone().and_then(|kept| serde_json::from_value(kept).ok());
    let mut parts: Vec<ContentPart> = kept.unwrap_or_default();
    let calls = turn.calls.iter().map(|call| {
        ContentPart::ToolCall(ToolCall {
            call_id: call.id.clone(),
            fn_name: call.name.clone(),
            // Servers take objects only. What was wrong with this one, its result says.
            fn_arguments: if call.input.is_object() { call.input.clone() } else { json!({}) },
            thought_signatures: None,
        })
    });
    if !turn.text.trim().is_empty() {
        parts.push(ContentPart::from_text(turn.text.as_str()));
    } else if turn.calls.is_empty() {
        return None;
    }
    parts.extend(calls);
    Some(ChatMessage::assistant(MessageContent::from_parts(parts)))
}

fn answered(api: Api, call: &Call, result: &ToolResult) -> ContentPart {
    let text = result.text();
    match api {
        // genai has no place for the mark of an error.
        Api::AnthropicMessages if !result.success => {
            let block = json!({ "type": "tool_result", "tool_use_id": call.id, "content": text, "is_error": true });
            ContentPart::from_custom(block, None)
        }
        Api::AnthropicMessages | Api::ChatCompletions => {
            ContentPart::ToolResponse(ToolResponse::new(call.id.as_str(), text))
        }
    }
}
