//! What comes back: a stream that counts only when it came to its end.

use futures_util::StreamExt;
use genai::chat::{ChatStream, ChatStreamEvent, ContentPart, StopReason, StreamEnd};
use serde_json::Value;

use crate::{Call, ModelError, Said, Stop, Turn};

pub(super) async fn read(
    mut stream: ChatStream,
    said: &Said,
    refusal: impl Fn(&genai::Error) -> ModelError,
) -> Result<Turn, ModelError> {
    let mut text = String::new();
    while let Some(event) = stream.next().await {
        match event.map_err(|error| refusal(&error))? {
            ChatStreamEvent::Chunk(chunk) => {
                said.text(&chunk.content);
                text.push_str(&chunk.content);
            }
            ChatStreamEvent::End(end) => return turn(text, end),
            ChatStreamEvent::Start
            | ChatStreamEvent::ReasoningChunk(_)
            | ChatStreamEvent::ThoughtSignatureChunk(_)
            | ChatStreamEvent::ToolCallChunk(_)
            | ChatStreamEvent::Heartbeat => {}
        }
    }
    Err(dropped())
}

fn dropped() -> ModelError {
    ModelError::Passing { reason: "the model's answer ended in the middle".to_owned(), after: None }
}

fn turn(text: String, end: StreamEnd) -> Result<Turn, ModelError> {
    let stop = match end.captured_stop_reason.ok_or_else(dropped)? {
        StopReason::MaxTokens(_) => Stop::CutOff,
        StopReason::ContentFilter(_) => Stop::Refused,
        StopReason::Completed(_) | StopReason::ToolCall(_) | StopReason::StopSequence(_) => {
            Stop::End
        }
        StopReason::Other(reason) => match reason.to_ascii_lowercase().as_str() {
            "error" | "failed" | "cancelled" | "abort" => return Err(dropped()),
            // Some servers have words of their own for it.
            _ => Stop::End,
        },
    };
    let (mut calls, mut thoughts) = (vec![], vec![]);
    for part in end.captured_content.into_iter().flatten() {
        match part {
            ContentPart::ToolCall(call) => {
                calls.push(Call { id: call.call_id, name: call.fn_name, input: call.fn_arguments });
            }
            ContentPart::ThoughtSignature(_)
            | ContentPart::ReasoningContent(_)
            | ContentPart::Custom(_) => thoughts.push(part),
            ContentPart::Text(_) | ContentPart::Binary(_) | ContentPart::ToolResponse(_) => {}
        }
    }
    // Unsigned thoughts come apart. Servers that want them back want them with calls only.
    if thoughts.is_empty() && !calls.is_empty() {
        thoughts.extend(end.captured_reasoning_content.map(ContentPart::ReasoningContent));
    }
    let kept: Option<Value> =
        if thoughts.is_empty() { None } else { serde_json::to_value(thoughts).ok() };
    Ok(Turn { text, calls, stop, kept })
}
