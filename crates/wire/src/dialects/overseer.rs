//! Overseer's dialect: stream-JSON in which a question is a call of `AskUserQuestion` in an `assistant`
//! event, and its answer a `tool_result` in a `user` message.
//!
//! Claude Code itself passes such an answer over (measured with 2.1.325) and is answered in another way;
//! this is for agents that take it.

use handraise_question::wording::{flat, refusal};
use handraise_question::{Ask, Limits, OwnWords, Resolution, Violation, Violations};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

const TOOL: &str = "AskUserQuestion";
/// What "Skip" means. An empty answer would read as one.
const SKIPPED: &str = "skipped by the person";

/// One call of the question tool.
#[derive(Debug)]
pub struct Asked {
    /// The call, to be named in the answer.
    pub tool_use_id: String,
    /// What is asked; or why nobody can be asked it. The call waits for an answer all the same.
    pub ask: Result<Ask, Violations>,
}

/// The questions in one event, in their order: none, if it is about anything else.
///
/// # Errors
///
/// When it is no JSON.
pub fn questions(event: &str) -> Result<Vec<Asked>, Violations> {
    let whole: &RawValue = serde_json::from_str(event).map_err(|error| {
        Violation::new("event", format!("not JSON ({error})"), "one stream-JSON event")
    })?;
    let Ok(Event { kind, message: Some(message) }) = serde_json::from_str(whole.get()) else {
        return Ok(vec![]);
    };
    if kind != "assistant" {
        return Ok(vec![]);
    }
    // A block of a form that is not known takes nothing from those beside it.
    let blocks = message.content.into_iter().map(|block| serde_json::from_str(block.get()));
    let calls = blocks.filter_map(Result::ok).filter(|block: &Block<'_>| {
        block.kind == "tool_use" && block.name.as_deref() == Some(TOOL)
    });
    Ok(calls.filter_map(asked).collect())
}

fn asked(call: Block<'_>) -> Option<Asked> {
    // Without an id there is nothing to answer to.
    let tool_use_id = call.id?;
    let input = call.input.map_or("null", RawValue::get);
    let reading = Ask::read(input.as_bytes(), &Limits::WIDE);
    Some(Asked { tool_use_id, ask: reading.map(|reading| reading.ask) })
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type")]
    kind: String,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

/// The answer to one call, as one `user` message on the agent's standard input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    r#type: &'static str,
    message: AnswerMessage,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct AnswerMessage {
    role: &'static str,
    content: [ToolResult; 1],
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct ToolResult {
    r#type: &'static str,
    tool_use_id: String,
    content: String,
    is_error: bool,
}

impl Answer {
    fn new(tool_use_id: &str, content: String, is_error: bool) -> Self {
        let tool_use_id = tool_use_id.to_owned();
        let result = ToolResult { r#type: "tool_result", tool_use_id, content, is_error };
        Self { r#type: "user", message: AnswerMessage { role: "user", content: [result] } }
    }
}

/// The answer: to one question as it is, to several as a JSON object from question to answer, without
/// those left open. Whatever is no answer is an error that says so.
#[must_use]
pub fn answer(tool_use_id: &str, ask: &Ask, resolution: &Resolution) -> Answer {
    let is_error = refusal::answers_or_words(resolution).is_err();
    Answer::new(tool_use_id, flat::text(ask, resolution), is_error)
}

/// The answer to a call nobody can be asked.
#[must_use]
pub fn refuse(tool_use_id: &str, violations: &Violations) -> Answer {
    Answer::new(tool_use_id, format!("Nobody was asked: {violations}"), true)
}

/// What "Skip" resolves a question to.
#[must_use]
pub fn skipped() -> Resolution {
    Resolution::Declined { reason: OwnWords::try_from(SKIPPED).ok() }
}

#[cfg(test)]
#[path = "overseer_tests.rs"]
mod tests;
