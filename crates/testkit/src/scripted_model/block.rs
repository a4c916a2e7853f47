//! What a script is made of.

use serde_json::{Value, json};

use super::conversation::ToolResult;

/// What the model says before it waits again.
pub type Turn = Vec<Block>;

/// One thing the model says.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Words.
    Text(String),
    /// A call of a tool.
    ToolUse {
        /// The tool.
        name: String,
        /// What it is called with.
        input: Value,
    },
    /// The model runs out of room here. A call right before it is cut in its middle.
    CutOff,
}

impl Block {
    /// Words.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A call of a tool.
    #[must_use]
    pub fn tool(name: impl Into<String>, input: Value) -> Self {
        Self::ToolUse { name: name.into(), input }
    }

    /// The same, with what earlier results said: a text `RESULT:name` in what a tool is called with
    /// stands for the word that the newest result with that name in it has behind it.
    pub(super) fn filled(&self, results: &[ToolResult]) -> Self {
        match self {
            Self::Text(_) | Self::CutOff => self.clone(),
            Self::ToolUse { name, input } => {
                Self::ToolUse { name: name.clone(), input: filled(input, results) }
            }
        }
    }

    /// A call of AskUserQuestion with these `questions`, an array.
    #[must_use]
    pub fn ask(questions: &Value) -> Self {
        Self::tool("AskUserQuestion", json!({ "questions": questions }))
    }
}

fn filled(input: &Value, results: &[ToolResult]) -> Value {
    match input {
        Value::String(text) => match text.strip_prefix("RESULT:") {
            Some(name) => {
                let said = results.iter().rev().find_map(|result| word(&result.text, name));
                said.map_or(input.clone(), Value::from)
            }
            None => input.clone(),
        },
        Value::Array(items) => items.iter().map(|item| filled(item, results)).collect(),
        Value::Object(map) => {
            map.iter().map(|(name, value)| (name.clone(), filled(value, results))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => input.clone(),
    }
}

/// The word behind a name, whether in JSON or in prose.
fn word<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let lower = text.to_ascii_lowercase();
    let found = lower.match_indices(&name.to_ascii_lowercase()).find_map(|(at, name)| {
        let behind = text[at + name.len()..].trim_start_matches(['"', '\\']);
        let word = behind.strip_prefix(':')?.trim_start_matches([' ', '"', '\\']);
        let end = word.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-'));
        Some(&word[..end.unwrap_or(word.len())])
    });
    found.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_json_and_in_prose() {
        assert_eq!(word("wait with the ticket.\nTicket: ab-1\nno", "ticket"), Some("ab-1"));
        assert_eq!(word(r#"{"status":"x","ticket": "ab-1"}"#, "ticket"), Some("ab-1"));
        assert_eq!(word(r#"{\"ticket\":\"ab-1\"}"#, "ticket"), Some("ab-1"));
        assert_eq!(word("a ticket, nothing else", "ticket"), None);
    }
}
