//! What Claude Code tells a hook.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// What a hook reads from standard input. Fields that are not used here are passed over: new versions
/// of Claude Code bring new ones.
#[derive(Debug, Deserialize)]
pub struct Input {
    /// What happened.
    #[serde(rename = "hook_event_name", default)]
    pub name: Name,
    /// The session.
    pub session_id: String,
    /// Where the session writes down what is said.
    pub transcript_path: Option<PathBuf>,
    /// The directory it works in.
    pub cwd: Option<String>,
    /// The prompt that led here.
    pub prompt_id: Option<String>,
    /// The subagent, if it is one's doing.
    pub agent_id: Option<String>,
    /// The tool.
    pub tool_name: Option<String>,
    /// What the tool is called with.
    pub tool_input: Option<Box<RawValue>>,
    /// The call; `PermissionRequest` does not tell it.
    pub tool_use_id: Option<String>,
    /// What Claude Code offers to remember.
    pub permission_suggestions: Option<Box<RawValue>>,
    /// After the call: what came of it.
    #[serde(default)]
    pub tool_response: Value,
    /// After several calls: what came of each.
    #[serde(default)]
    pub tool_calls: Vec<ToolCall>,
}

/// One of several calls that are done.
#[derive(Debug, Deserialize)]
pub struct ToolCall {
    /// The call.
    #[serde(rename = "tool_use_id")]
    pub id: String,
    /// What it was called with.
    #[serde(rename = "tool_input")]
    pub input: Option<Box<RawValue>>,
    /// What the model reads.
    #[serde(rename = "tool_response", default)]
    pub response: Value,
}

/// The events that mean something here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum Name {
    /// A tool is about to be called.
    PreToolUse,
    /// A dialog is shown.
    PermissionRequest,
    /// A tool was called.
    PostToolUse,
    /// All tools of a turn were called.
    PostToolBatch,
    /// A session begins, or goes on.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// A turn ends.
    Stop,
    /// Claude Code wants attention.
    Notification,
    /// Anything else.
    #[default]
    #[serde(other)]
    Other,
}

impl Input {
    /// Reads what Claude Code wrote.
    ///
    /// # Errors
    ///
    /// When it is not of the known form.
    pub fn read(json: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(json)
    }
}

/// The text of a result, which is a text or a list of blocks.
pub(super) fn text(response: &Value) -> Option<String> {
    match response {
        Value::String(text) => Some(text.clone()),
        Value::Array(blocks) => {
            Some(blocks.iter().filter_map(|block| block["text"].as_str()).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}
