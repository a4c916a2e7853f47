//! What Claude Code says: one JSON object a line.
//!
//! What is not known is passed over and never an error: new versions bring new kinds of lines and new
//! fields. Only what is no JSON at all cannot be read.

use serde_json::Value;
use serde_json::value::RawValue;

use super::fields::{self, Fields};

/// One line, understood.
#[derive(Debug, Clone)]
pub enum Message {
    /// A turn begins. It comes anew with every one, and not before the first user message.
    Init(Init),
    /// A piece of what the model is writing just now.
    Partial(Partial),
    /// What the model wrote: one block after the other, each in a message of its own.
    Assistant(Assistant),
    /// What the model is given to read: results of tools, and what the user said.
    User(User),
    /// A turn is over.
    TurnEnd(Box<TurnEnd>),
    /// Claude Code wants something from us.
    Request(Request),
    /// It answers a request of ours. With `--replay-user-messages` it also repeats our own answers in
    /// this form (measured): they have ids that are not ours.
    Response(Response),
    /// It no longer wants what it asked for; an answer would be passed over.
    Cancelled {
        /// The request.
        request_id: String,
    },
    /// How far a user message of ours has come. Only of one that was sent with a `uuid`.
    Progress {
        /// That `uuid`.
        uuid: String,
        /// How far.
        stage: Stage,
    },
    /// Anything else.
    Other {
        /// Its `type`.
        kind: String,
        /// Its `subtype`.
        subtype: Option<String>,
    },
}

/// How far a user message has come (measured).
///
/// It is `Queued` at once, also during a turn or while a question is open; `Started` when the model is
/// about to read it, about when it is repeated ([`User::is_replay`]): at the start of a turn, or within
/// one after the results of its tools. What was only queued is lost when Claude Code is killed. A `uuid`
/// the session has read before, even before it was resumed, is only repeated and not read again: so
/// whoever does not know may send it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Claude Code has it.
    Queued,
    /// The model is about to read it.
    Started,
    /// The turn that took it up is over.
    Completed,
    /// The turn that took it up was interrupted.
    Cancelled,
    /// Anything else.
    Other(String),
}

/// Why a line cannot be read, without quoting it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// What a session says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Init {
    /// The session.
    pub session_id: String,
    /// The model.
    pub model: Option<String>,
    /// What it may do without being asked.
    pub permission_mode: Option<String>,
    /// The directory it works in.
    pub cwd: Option<String>,
    /// The version of Claude Code.
    pub version: Option<String>,
}

/// A piece of a message that is still being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partial {
    /// What happened.
    pub piece: Piece,
    /// The call that started the subagent, if one is writing.
    pub parent_tool_use_id: Option<String>,
}

/// What happened to a message that is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// It begins.
    Start {
        /// The message.
        message_id: Option<String>,
    },
    /// More text.
    Text(String),
    /// A block is complete.
    BlockEnd,
    /// It is complete.
    End,
    /// Anything else, a tool's input in the making for one.
    Other,
}

/// A message of the model, or a part of it.
#[derive(Debug, Clone)]
pub struct Assistant {
    /// The message; its parts have the same.
    pub message_id: Option<String>,
    /// What it holds.
    pub blocks: Vec<Block>,
    /// The call that started the subagent, if it is one's.
    pub parent_tool_use_id: Option<String>,
}

/// One block of a message.
#[derive(Debug, Clone)]
pub enum Block {
    /// Text.
    Text(String),
    /// A tool is called.
    ToolUse {
        /// The call.
        id: String,
        /// The tool.
        name: String,
        /// What it is called with, byte for byte.
        input: Box<RawValue>,
    },
    /// Anything else.
    Other,
}

/// A message the model is given.
#[derive(Debug, Clone, Default)]
pub struct User {
    /// What came of calls.
    pub results: Vec<ToolResult>,
    /// What the tool itself gave back.
    pub tool_use_result: Value,
    /// Plain text, if there is any.
    pub text: Option<String>,
    /// Whether this only repeats what we said.
    pub is_replay: bool,
    /// The message; of one that is repeated, the `uuid` it was sent with.
    pub uuid: Option<String>,
    /// The call that started the subagent, if it is for one.
    pub parent_tool_use_id: Option<String>,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The call.
    pub tool_use_id: String,
    /// What the model reads.
    pub text: String,
    /// Whether it failed, or was denied.
    pub is_error: bool,
    /// Why it was not made at all: `user-rejected` or `permission-rule`, for example.
    pub not_made: Option<String>,
}

/// How a turn ended.
#[derive(Debug, Clone, Default)]
pub struct TurnEnd {
    /// `success`, or how it failed.
    pub subtype: String,
    /// Whether it failed.
    pub is_error: bool,
    /// Why it ended: `completed`, `aborted_tools`, `tool_deferred` …
    pub terminal_reason: Option<String>,
    /// Why the model stopped.
    pub stop_reason: Option<String>,
    /// The model's last words.
    pub result: Option<String>,
    /// The calls that were denied.
    pub permission_denials: Vec<Denial>,
    /// The call a hook has put off.
    pub deferred_tool_use: Option<DeferredTool>,
    /// How many times the model was called.
    pub num_turns: Option<u64>,
    /// What the session has cost so far.
    pub total_cost_usd: Option<f64>,
    /// The session.
    pub session_id: Option<String>,
    /// What went wrong, in Claude Code's own words.
    pub errors: Vec<String>,
}

/// A call that was denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// The tool.
    pub tool_name: String,
    /// The call.
    pub tool_use_id: Option<String>,
}

/// A call that was put off until the session is resumed.
#[derive(Debug, Clone)]
pub struct DeferredTool {
    /// The call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is called with, byte for byte.
    pub input: Box<RawValue>,
}

/// Something Claude Code waits for.
#[derive(Debug, Clone)]
pub struct Request {
    /// By this the answer is known.
    pub id: String,
    /// What it wants.
    pub asked: Asked,
}

impl Request {
    /// Whether it is about this call.
    #[must_use]
    pub fn is_about(&self, call: &str) -> bool {
        match &self.asked {
            Asked::CanUseTool(about) | Asked::Hook(about) => {
                about.tool_use_id.as_deref() == Some(call)
            }
            Asked::ToolUse(_) => self.id == call,
            Asked::Elicitation(_) | Asked::Other { .. } => false,
        }
    }
}

/// What Claude Code wants.
#[derive(Debug, Clone)]
pub enum Asked {
    /// May a tool be called? Questions and plans are calls too.
    CanUseTool(Box<CanUseTool>),
    /// What is to become of a call, before it is looked at who may make it: one of our hooks.
    Hook(Box<CanUseTool>),
    /// A question in an `assistant` message, with the input of the call byte for byte. The request has
    /// the id of the call.
    ToolUse(Box<RawValue>),
    /// An MCP server asks the user.
    Elicitation(Elicitation),
    /// Anything else, or one of the above without what belongs to it. An answer is still waited for.
    Other {
        /// The kind.
        subtype: String,
    },
}

/// A call to be allowed or denied.
#[derive(Debug, Clone)]
pub struct CanUseTool {
    /// The tool.
    pub tool_name: String,
    /// What to call the tool when speaking to a person.
    pub display_name: Option<String>,
    /// What it is called with, byte for byte.
    pub input: Box<RawValue>,
    /// The call.
    pub tool_use_id: Option<String>,
    /// What the model says the call does.
    pub description: Option<String>,
    /// What Claude Code offers to remember, byte for byte.
    pub permission_suggestions: Option<Box<RawValue>>,
    /// Whether only a person can answer: questions and plans.
    pub requires_user_interaction: bool,
    /// Why it is asked.
    pub decision_reason: Option<String>,
    /// The path that led to this, if it is about one.
    pub blocked_path: Option<String>,
    /// The subagent, if it is one's call.
    pub agent_id: Option<String>,
}

/// What an MCP server asks the user.
#[derive(Debug, Clone)]
pub struct Elicitation {
    /// The server.
    pub server: String,
    /// What it says.
    pub message: String,
    /// How it asks.
    pub mode: ElicitationMode,
}

/// How an MCP server asks.
#[derive(Debug, Clone)]
pub enum ElicitationMode {
    /// With a form.
    Form {
        /// A JSON schema of what it wants.
        schema: Box<RawValue>,
        /// Its fields, in the order in which they are to be shown.
        order: Vec<String>,
    },
    /// With a page to be opened.
    Url {
        /// The page.
        url: String,
        /// By this the server knows it.
        id: Option<String>,
    },
}

/// The answer to a request of ours.
#[derive(Debug, Clone)]
pub struct Response {
    /// The request.
    pub request_id: String,
    /// What came of it, or what went wrong.
    pub outcome: Result<Value, String>,
}

impl Message {
    /// Reads one line.
    ///
    /// # Errors
    ///
    /// When it is no JSON.
    pub fn read(line: &[u8]) -> Result<Self, Unreadable> {
        let no_json = |why: String| Unreadable(format!("a line that is no JSON: {why}"));
        let text = std::str::from_utf8(line).map_err(|error| no_json(error.to_string()))?;
        let whole: &RawValue =
            serde_json::from_str(text).map_err(|error| no_json(error.to_string()))?;
        Ok(Self::of(whole).unwrap_or_else(|| Self::other(whole)))
    }

    fn other(whole: &RawValue) -> Self {
        let field = |name| Fields::of(whole).and_then(|fields| fields.text(name));
        Self::Other { kind: field("type").unwrap_or_default(), subtype: field("subtype") }
    }

    fn of(whole: &RawValue) -> Option<Self> {
        let fields = Fields::of(whole)?;
        Some(match fields.text("type")?.as_str() {
            "system" if fields.text("subtype")? == "init" => Self::Init(init(&fields)?),
            "stream_event" => Self::Partial(partial(&fields)?),
            "assistant" => Self::Assistant(assistant(&fields)?),
            "user" => Self::User(user(&fields)?),
            "result" => Self::TurnEnd(Box::new(turn_end(&fields))),
            "control_request" => Self::Request(request(&fields)?),
            "control_response" => Self::Response(response(&fields)?),
            "control_cancel_request" => Self::Cancelled { request_id: fields.text("request_id")? },
            "command_lifecycle" => Self::Progress {
                uuid: fields.text("command_uuid")?,
                stage: stage(fields.text("state")?),
            },
            _ => return None,
        })
    }
}

fn stage(state: String) -> Stage {
    match state.as_str() {
        "queued" => Stage::Queued,
        "started" => Stage::Started,
        "completed" => Stage::Completed,
        "cancelled" => Stage::Cancelled,
        _ => Stage::Other(state),
    }
}

fn init(fields: &Fields<'_>) -> Option<Init> {
    Some(Init {
        session_id: fields.text("session_id")?,
        model: fields.text("model"),
        permission_mode: fields.text("permissionMode"),
        cwd: fields.text("cwd"),
        version: fields.text("claude_code_version"),
    })
}

fn partial(fields: &Fields<'_>) -> Option<Partial> {
    let event = fields.object("event")?;
    let piece = match event.text("type")?.as_str() {
        "message_start" => {
            let message = event.object("message");
            Piece::Start { message_id: message.and_then(|message| message.text("id")) }
        }
        "content_block_delta" => {
            let delta = event.object("delta")?;
            let text = delta.text("type").filter(|kind| kind == "text_delta");
            text.and_then(|_| delta.text("text")).map_or(Piece::Other, Piece::Text)
        }
        "content_block_stop" => Piece::BlockEnd,
        "message_stop" => Piece::End,
        _ => Piece::Other,
    };
    Some(Partial { piece, parent_tool_use_id: fields.text("parent_tool_use_id") })
}

fn assistant(fields: &Fields<'_>) -> Option<Assistant> {
    let message = fields.object("message")?;
    Some(Assistant {
        message_id: message.text("id"),
        blocks: message.list("content").into_iter().map(block).collect(),
        parent_tool_use_id: fields.text("parent_tool_use_id"),
    })
}

fn block(raw: &RawValue) -> Block {
    let understood = || {
        let fields = Fields::of(raw)?;
        Some(match fields.text("type")?.as_str() {
            "text" => Block::Text(fields.text("text")?),
            "tool_use" => Block::ToolUse {
                id: fields.text("id")?,
                name: fields.text("name")?,
                // The agent waits for a result of any call that has a name.
                input: fields.raw("input").unwrap_or_else(|| RawValue::NULL.to_owned()),
            },
            _ => return None,
        })
    };
    understood().unwrap_or(Block::Other)
}

fn user(fields: &Fields<'_>) -> Option<User> {
    let message = fields.object("message")?;
    let mut found = User {
        tool_use_result: fields.value("tool_use_result"),
        is_replay: fields.flag("isReplay"),
        uuid: fields.text("uuid"),
        parent_tool_use_id: fields.text("parent_tool_use_id"),
        text: message.text("content"),
        ..User::default()
    };
    let not_made = |id: &str| {
        let about = fields.list("tool_result_meta").into_iter().filter_map(Fields::of);
        let mut of_this = about.filter(|about| about.text("id").as_deref() == Some(id));
        of_this.find_map(|about| about.text("non_execution_kind"))
    };
    let blocks = message.list("content");
    let texts: Vec<String> = blocks.iter().filter_map(|raw| text_block(raw)).collect();
    if !texts.is_empty() {
        found.text = Some(texts.join("\n"));
    }
    for result in blocks.into_iter().filter_map(Fields::of) {
        let Some(tool_use_id) = result.text("tool_use_id") else { continue };
        found.results.push(ToolResult {
            text: flattened(&result),
            is_error: result.flag("is_error"),
            not_made: not_made(&tool_use_id),
            tool_use_id,
        });
    }
    Some(found)
}

/// The text of a result, which is a text or a list of blocks.
fn flattened(result: &Fields<'_>) -> String {
    let blocks = || {
        let blocks = result.list("content");
        blocks.into_iter().filter_map(text_block).collect::<Vec<_>>().join("\n")
    };
    result.text("content").unwrap_or_else(blocks)
}

fn text_block(raw: &RawValue) -> Option<String> {
    let fields = Fields::of(raw)?;
    fields.text("type").filter(|kind| kind == "text").and_then(|_| fields.text("text"))
}

fn turn_end(fields: &Fields<'_>) -> TurnEnd {
    let denial = |raw| {
        let fields = Fields::of(raw)?;
        Some(Denial {
            tool_name: fields.text("tool_name")?,
            tool_use_id: fields.text("tool_use_id"),
        })
    };
    let deferred = |fields: Fields<'_>| {
        Some(DeferredTool {
            id: fields.text("id")?,
            name: fields.text("name")?,
            input: fields.raw("input")?,
        })
    };
    TurnEnd {
        subtype: fields.text("subtype").unwrap_or_default(),
        is_error: fields.flag("is_error"),
        terminal_reason: fields.text("terminal_reason"),
        stop_reason: fields.text("stop_reason"),
        result: fields.text("result"),
        permission_denials: fields
            .list("permission_denials")
            .into_iter()
            .filter_map(denial)
            .collect(),
        deferred_tool_use: fields.object("deferred_tool_use").and_then(deferred),
        num_turns: fields.number("num_turns"),
        total_cost_usd: fields.number("total_cost_usd"),
        session_id: fields.text("session_id"),
        errors: texts(fields, "errors"),
    }
}

fn texts(fields: &Fields<'_>, name: &str) -> Vec<String> {
    fields.list(name).into_iter().filter_map(fields::text).collect()
}

fn request(fields: &Fields<'_>) -> Option<Request> {
    let id = fields.text("request_id")?;
    let request = fields.object("request")?;
    let subtype = request.text("subtype").unwrap_or_default();
    let asked = match subtype.as_str() {
        "can_use_tool" => can_use_tool(&request),
        "hook_callback" => hook(&request),
        "elicitation" => elicitation(&request),
        _ => None,
    };
    Some(Request { id, asked: asked.unwrap_or(Asked::Other { subtype }) })
}

fn can_use_tool(request: &Fields<'_>) -> Option<Asked> {
    Some(Asked::CanUseTool(Box::new(CanUseTool {
        tool_name: request.text("tool_name")?,
        display_name: request.text("display_name"),
        input: request.raw("input")?,
        tool_use_id: request.text("tool_use_id"),
        description: request.text("description"),
        permission_suggestions: request.raw("permission_suggestions"),
        requires_user_interaction: request.flag("requires_user_interaction"),
        decision_reason: request.text("decision_reason"),
        blocked_path: request.text("blocked_path"),
        agent_id: request.text("agent_id"),
    })))
}

/// A hook is told the same as other hooks are.
fn hook(request: &Fields<'_>) -> Option<Asked> {
    let event = request.object("input")?;
    if event.text("hook_event_name")? != "PreToolUse" {
        return None;
    }
    Some(Asked::Hook(Box::new(CanUseTool {
        tool_name: event.text("tool_name")?,
        display_name: None,
        input: event.raw("tool_input")?,
        tool_use_id: event.text("tool_use_id"),
        description: None,
        permission_suggestions: None,
        requires_user_interaction: true,
        decision_reason: None,
        blocked_path: None,
        agent_id: event.text("agent_id"),
    })))
}

fn elicitation(request: &Fields<'_>) -> Option<Asked> {
    let mode = match request.text("mode").as_deref() {
        Some("url") => {
            ElicitationMode::Url { url: request.text("url")?, id: request.text("elicitation_id") }
        }
        // Servers that know only forms do not say so.
        Some("form") | None => ElicitationMode::Form {
            schema: request.raw("requested_schema")?,
            order: texts(request, "property_order"),
        },
        Some(_) => return None,
    };
    Some(Asked::Elicitation(Elicitation {
        server: request.text("mcp_server_name").unwrap_or_default(),
        message: request.text("message").unwrap_or_default(),
        mode,
    }))
}

fn response(fields: &Fields<'_>) -> Option<Response> {
    let response = fields.object("response")?;
    let outcome = if response.text("subtype").as_deref() == Some("success") {
        Ok(response.value("response"))
    } else {
        Err(response.text("error").unwrap_or_default())
    };
    Some(Response { request_id: response.text("request_id")?, outcome })
}

#[cfg(test)]
#[path = "heard_tests.rs"]
mod tests;
