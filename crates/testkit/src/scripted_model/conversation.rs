//! What a request tells: which script is played, how far it is, and what came of its calls.
//!
//! All of it follows from the request, as with a real model: sessions that play the same script at
//! once, are resumed or retry a request cannot get into each other's way.

use serde_json::Value;

/// What the model read as the result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The call.
    pub tool_use_id: String,
    /// The result, as text.
    pub text: String,
    /// Whether it was marked as an error.
    pub is_error: bool,
    /// The script the prompt before it named.
    pub script: Option<String>,
    /// The tag the prompt before it named.
    pub tag: Option<String>,
}

/// The end of a conversation: from the newest prompt that names a script on.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The script that is played.
    pub(super) script: Option<String>,
    /// How many turns of it have been played.
    pub(super) step: usize,
    /// The result of every call, also of those before the prompt.
    pub(super) results: Vec<ToolResult>,
    /// How many of the results are older than the prompt.
    older: usize,
    tag: Option<String>,
}

impl Conversation {
    pub(super) fn read(messages: &[Value]) -> Self {
        let mut conversation = Self::default();
        for message in messages {
            match message["role"].as_str() {
                Some("assistant") => conversation.step += 1,
                Some("user") => conversation.user(&message["content"]),
                _ => {}
            }
        }
        conversation
    }

    /// What came of the calls since the prompt.
    pub(super) fn newer(&self) -> &[ToolResult] {
        &self.results[self.older..]
    }

    /// Block by block: the result of a call that was interrupted comes in one message with the
    /// prompt after it, and belongs to the prompt before.
    fn user(&mut self, content: &Value) {
        if let Some(text) = content.as_str() {
            return self.words(text);
        }
        for block in content.as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some("text") => self.words(block["text"].as_str().unwrap_or_default()),
                Some("tool_result") => self.result(block),
                _ => {}
            }
        }
    }

    fn words(&mut self, text: &str) {
        if let Some(script) = named(text, "SCRIPT:") {
            self.script = Some(script);
            self.tag = named(text, "TAG:");
            self.step = 0;
            self.older = self.results.len();
        }
    }

    fn result(&mut self, block: &Value) {
        self.results.push(ToolResult {
            tool_use_id: block["tool_use_id"].as_str().unwrap_or_default().to_owned(),
            text: flat(&block["content"]),
            is_error: block["is_error"].as_bool().unwrap_or(false),
            script: self.script.clone(),
            tag: self.tag.clone(),
        });
    }
}

/// The name after the last `mark`.
fn named(text: &str, mark: &str) -> Option<String> {
    let (_, after) = text.rsplit_once(mark)?;
    let end = after.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-'));
    let name = &after[..end.unwrap_or(after.len())];
    (!name.is_empty()).then(|| name.to_owned())
}

fn flat(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().map(flat).collect(),
        Value::Object(block) => match block.get("text").and_then(Value::as_str) {
            Some(text) => text.to_owned(),
            None => content.to_string(),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(messages: &Value) -> Conversation {
        Conversation::read(messages.as_array().unwrap())
    }

    #[test]
    fn the_newest_prompt_that_names_a_script_counts() {
        let conversation = read(&json!([
            { "role": "user", "content": "SCRIPT:first" },
            { "role": "assistant", "content": "…" },
            { "role": "user", "content": [{ "type": "text", "text": "SCRIPT:a_b-2, TAG:x. Go" }] },
            { "role": "assistant", "content": "…" },
            { "role": "user", "content": "no name in here" },
            { "role": "assistant", "content": "…" },
        ]));
        assert_eq!(conversation.script.as_deref(), Some("a_b-2"));
        assert_eq!(conversation.tag.as_deref(), Some("x"));
        assert_eq!(conversation.step, 2);
    }

    #[test]
    fn a_result_belongs_to_the_prompt_before_it() {
        let result = |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": id });
        let conversation = read(&json!([
            { "role": "user", "content": "SCRIPT:s TAG:one" },
            { "role": "assistant", "content": "…" },
            { "role": "user", "content": [result("a"), { "type": "text", "text": "SCRIPT:s TAG:two" }] },
            { "role": "assistant", "content": "…" },
            { "role": "user", "content": [result("b")] },
        ]));
        let of = |id: &str, tag: &str| ToolResult {
            tool_use_id: id.to_owned(),
            text: id.to_owned(),
            is_error: false,
            script: Some("s".to_owned()),
            tag: Some(tag.to_owned()),
        };
        assert_eq!(conversation.results, [of("a", "one"), of("b", "two")]);
        assert_eq!(conversation.newer(), [of("b", "two")]);
    }

    #[test]
    fn a_result_of_several_blocks_is_one_text() {
        let content = json!([{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }]);
        assert_eq!(flat(&content), "ab");
    }
}
