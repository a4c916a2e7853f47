//! The answer to a question as a `tool_result` in a `user` message, the form of Overseer's plan.
//!
//! Claude Code itself ignores such an answer (measured with 2.1.325); this is for agents that wait for it.

use std::fmt::Display;

use handraise_question::wording::{claude, flat, refusal};
use handraise_question::{Answer, Ask, Resolution};
use serde::Serialize;
use serde_json::Value;

/// The answer to one call, as one `user` message on the agent's standard input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Envelope {
    r#type: &'static str,
    message: UserMessage,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct UserMessage {
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

impl Envelope {
    fn new(tool_use_id: &str, content: String, is_error: bool) -> Self {
        let tool_use_id = tool_use_id.to_owned();
        let result = ToolResult { r#type: "tool_result", tool_use_id, content, is_error };
        Self { r#type: "user", message: UserMessage { role: "user", content: [result] } }
    }

    /// What the model reads.
    #[must_use]
    pub fn content(&self) -> &str {
        let [result] = &self.message.content;
        &result.content
    }
}

/// How a question ended. One question: its answer verbatim. Several: a JSON object from question to
/// answer; of one left open it says so. Anything but an answer is an error that says so.
#[must_use]
pub fn answer(tool_use_id: &str, ask: &Ask, resolution: &Resolution) -> Envelope {
    match refusal::answers_or_words(resolution) {
        Ok(answers) => {
            let mut content = flat::text(ask, resolution);
            let each = || ask.questions().iter().zip(answers.as_slice());
            if each().any(|(_, answer)| matches!(answer, Answer::LeftOpen { .. })) {
                // A question that is missing from the map could be taken for a mistake.
                let mut map = flat::map(ask, answers);
                let open = each().filter(|(_, answer)| matches!(answer, Answer::LeftOpen { .. }));
                map.extend(open.map(|(question, answer)| {
                    (question.text().to_owned(), claude::left_open(answer.notes()).into())
                }));
                content = Value::Object(map).to_string();
            }
            Envelope::new(tool_use_id, content, false)
        }
        Err(words) => Envelope::new(tool_use_id, words, true),
    }
}

/// The answer to a call that cannot be put to the person. The agent waits for it all the same.
#[must_use]
pub fn refuse(tool_use_id: &str, why: impl Display) -> Envelope {
    Envelope::new(tool_use_id, format!("Nobody was asked: {why}"), true)
}

#[cfg(test)]
#[path = "tool_result_tests.rs"]
mod tests;
