//! What a script is made of.

use serde_json::{Value, json};

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

    /// A call of AskUserQuestion with these `questions`, an array.
    #[must_use]
    pub fn ask(questions: &Value) -> Self {
        Self::tool("AskUserQuestion", json!({ "questions": questions }))
    }
}
