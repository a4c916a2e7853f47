//! What comes back: a stream that counts only when it came to its end.

use futures_util::StreamExt;
use genai::chat::{ChatStream, ChatStreamEvent, ContentPart, StopReason, StreamEnd};
use serde_json::Value;

use crate::{Call, ModelError, Said, Stop, Turn};

/// The longest turn, in bytes: several times what the most talkative model can say.
const LONGEST: usize = 2 * 1024 * 1024;

pub(super) async fn read(
    mut stream: ChatStream,
    said: &Said,
    refusal: impl Fn(&genai::Error) -> ModelError,
) -> Result<Turn, ModelError> {
    let (mut text, mut thought, mut input) = (String::new(), 0, 0);
    while let Some(event) = stream.next().await {
        match event.map_err(|error| refusal(&error))? {
            ChatStreamEvent::Chunk(chunk) => {
                said.text(&chunk.content);
                text.push_str(&chunk.content);
            }
            ChatStreamEvent::End(end) => return turn(text, end),
            ChatStreamEvent::ReasoningChunk(chunk)
            | ChatStreamEvent::ThoughtSignatureChunk(chunk) => thought += chunk.content.len(),
            // It holds everything that came of this call so far.
            ChatStreamEvent::ToolCallChunk(chunk) => {
                input = chunk.tool_call.fn_arguments.as_str().map_or(0, str::len);
            }
            ChatStreamEvent::Start | ChatStreamEvent::Heartbeat => {}
        }
        if text.len() + thought + input > LONGEST {
            let reason = "the model's answer does not end".to_owned();
            return Err(ModelError::Final { reason });
        }
    }
    Err(dropped())
}

fn dropped() -> ModelError {
    ModelError::Passing { reason: "the model's answer ended in the middle".to_owned(), after: None }
}

fn turn(text: String, end: StreamEnd) -> Result<Turn, ModelError> {
    let reason = end.captured_stop_reason.ok_or_else(dropped)?;
    let calls_a_tool = matches!(reason, StopReason::ToolCall(_));
    let stop = match reason {
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
                let call = Call { id: call.call_id, name: call.fn_name, input: call.fn_arguments };
                // Servers that number calls from one have genai hand out the first of them twice.
                if !calls.contains(&call) {
                    calls.push(call);
                }
            }
            ContentPart::ThoughtSignature(_)
            | ContentPart::ReasoningContent(_)
            | ContentPart::Custom(_) => thoughts.push(part),
            ContentPart::Text(_) | ContentPart::Binary(_) | ContentPart::ToolResponse(_) => {}
        }
    }
    if calls_a_tool && calls.is_empty() {
        let reason = "the model calls a tool, but no call came that can be read".to_owned();
        return Err(ModelError::Passing { reason, after: None });
    }
    // Unsigned thoughts come apart. Servers that want them back want them with calls only.
    if thoughts.is_empty() && !calls.is_empty() {
        thoughts.extend(end.captured_reasoning_content.map(ContentPart::ReasoningContent));
    }
    let kept: Option<Value> =
        if thoughts.is_empty() { None } else { serde_json::to_value(thoughts).ok() };
    Ok(Turn { text, calls, stop, kept })
}

#[cfg(test)]
mod tests {
    use genai::chat::MessageContent;
    use serde_json::json;

    use super::super::{Api, request};
    use super::*;
    use crate::{Message, Request};

    fn end(parts: Vec<ContentPart>, thoughts: Option<&str>) -> StreamEnd {
        let calls = parts.iter().any(|part| matches!(part, ContentPart::ToolCall(_)));
        let reason = if calls { StopReason::ToolCall } else { StopReason::Completed };
        StreamEnd {
            captured_stop_reason: Some(reason("said".to_owned())),
            captured_content: Some(MessageContent::from_parts(parts)),
            captured_reasoning_content: thoughts.map(str::to_owned),
            ..StreamEnd::default()
        }
    }

    fn call() -> ContentPart {
        ContentPart::ToolCall(genai::chat::ToolCall {
            call_id: "c".to_owned(),
            fn_name: "count".to_owned(),
            fn_arguments: json!({}),
            thought_signatures: None,
        })
    }

    /// The parts of the message in which a turn goes back, after it was kept and read again.
    fn sent_back(turn: &Turn) -> Value {
        let kept = serde_json::to_string(turn).unwrap();
        let turn: Turn = serde_json::from_str(&kept).unwrap();
        let messages = vec![Message::User("go"), Message::Assistant(&turn)];
        let request = Request { system: "", tools: &[], messages };
        let chat = request::of(Api::AnthropicMessages, &request);
        chat.messages.get(1).map_or(Value::Null, |message| json!(message.content))
    }

    #[test]
    fn signed_thoughts_go_back_with_the_turn_they_belong_to() {
        let thoughts = [
            ContentPart::ThoughtSignature("signed".to_owned()),
            ContentPart::ReasoningContent("hm".to_owned()),
        ];
        let parts = thoughts.into_iter().chain([ContentPart::from_text("words"), call()]);
        let turn = turn("words".to_owned(), end(parts.collect(), Some("hm"))).unwrap();
        let back = sent_back(&turn).to_string();
        let order: Vec<_> = ["signed", "hm", "words", "count"].map(|part| back.find(part)).to_vec();
        assert!(order.is_sorted() && order[0].is_some(), "{back}");
        assert_eq!(back.matches("\"hm\"").count(), 1, "{back}");
    }

    #[test]
    fn unsigned_thoughts_go_back_with_calls_only() {
        let with_call = turn(String::new(), end(vec![call()], Some("hm"))).unwrap();
        assert!(sent_back(&with_call).to_string().contains("hm"));
        let without = turn("words".to_owned(), end(vec![], Some("hm"))).unwrap();
        assert!(!sent_back(&without).to_string().contains("hm"));
    }

    #[test]
    fn a_call_that_is_handed_out_twice_is_made_once() {
        let doubled = turn(String::new(), end(vec![call(), call()], None)).unwrap();
        assert_eq!(doubled.calls.len(), 1);
    }

    #[test]
    fn a_call_that_got_lost_is_not_taken_for_the_end() {
        let mut lost = end(vec![], None);
        lost.captured_stop_reason = Some(StopReason::ToolCall("tool_calls".to_owned()));
        let error = turn("words".to_owned(), lost).unwrap_err();
        assert!(matches!(error, ModelError::Passing { .. }), "{error}");
    }

    #[test]
    fn a_turn_in_which_nothing_was_said_is_not_sent_back() {
        let nothing = turn(" \n".to_owned(), end(vec![], None)).unwrap();
        assert_eq!(sent_back(&nothing), Value::Null);
    }
}
