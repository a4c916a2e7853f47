//! Conversations with agents that are run under the hub.

use handraise_broker::{
    AskId, Message, MessageKind, MessageState, NewSession, Progress, Runner, Saying, Session,
    SessionId, SessionState, Streamed, ToolCall,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ResponderJson, strict};

/// A conversation with an agent, as it stands.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SessionJson {
    /// Its name.
    #[schema(value_type = String, format = Uuid)]
    #[cfg_attr(test, ts(type = "string"))]
    pub id: SessionId,
    /// The kind of agent, e.g. `claude-code`.
    pub agent: String,
    /// The agent's own name for it: its asks have it as `asker.session`.
    pub agent_session: Option<String>,
    /// The directory the agent works in.
    pub directory: String,
    /// The machine it runs on.
    pub host: Option<String>,
    /// What it is about.
    pub title: Option<String>,
    /// How it stands.
    #[schema(value_type = SessionStateJson)]
    #[cfg_attr(test, ts(as = "SessionStateJson"))]
    pub state: SessionState,
    /// Why it stopped or ended, when that was not to be expected.
    pub trouble: Option<String>,
    /// The process that runs the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub runner: Option<RunnerJson>,
    /// When it began.
    #[schema(value_type = String, format = DateTime)]
    #[cfg_attr(test, ts(type = "string"))]
    pub started_at: Timestamp,
    /// When anything about it last changed.
    #[schema(value_type = String, format = DateTime)]
    #[cfg_attr(test, ts(type = "string"))]
    pub changed_at: Timestamp,
    /// How many messages there are; they are numbered from 1.
    pub messages: u64,
    /// How often people wanted the agent to stop what it does.
    pub interrupts: u64,
    /// Whether a person wants it to end.
    pub ending: bool,
}

#[expect(dead_code, reason = "stands for the domain's enum in the API description")]
#[derive(ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename_all = "lowercase"))]
#[schema(rename_all = "lowercase", as = SessionState)]
pub(crate) enum SessionStateJson {
    /// Its agent is about to begin.
    Starting,
    /// The agent works, or waits for an answer.
    Working,
    /// The agent waits for the next message.
    Idle,
    /// The agent's process is gone; the next message starts it again.
    Stopped,
    /// The agent's process is gone on purpose; the answer to its question starts it again.
    Deferred,
    /// It is over.
    Ended,
}

/// A process, told apart from a later one with the same number.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunnerJson {
    /// Its number.
    #[schema(value_type = u64, maximum = 4_294_967_295_u32)]
    pub pid: u32,
    /// When it was started, in the words of the system.
    #[schema(max_length = 200)]
    pub started: Option<String>,
}

/// A page of sessions.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SessionsResponse {
    /// The last one that began first.
    pub sessions: Vec<SessionJson>,
    /// Where the next page begins; absent on the last one.
    #[schema(value_type = Option<String>, format = Uuid)]
    #[cfg_attr(test, ts(as = "Option<String>"))]
    pub next: Option<SessionId>,
    /// Directories in which a person may start a session from here, as the configuration says. What
    /// is below them counts, too.
    #[serde(default)]
    pub start_in: Vec<String>,
}

/// One thing that was said or done in a session.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MessageJson {
    /// Its place: 1, 2, 3 and so on.
    pub number: u64,
    /// Its name within the session.
    pub key: String,
    /// When it was first said.
    #[schema(value_type = String, format = DateTime)]
    #[cfg_attr(test, ts(type = "string"))]
    pub at: Timestamp,
    /// What it is.
    #[schema(value_type = MessageKindJson)]
    #[cfg_attr(test, ts(as = "MessageKindJson"))]
    pub kind: MessageKind,
    /// The words.
    pub text: String,
    /// How far it has come.
    #[schema(value_type = Option<MessageStateJson>)]
    #[cfg_attr(test, ts(as = "Option<MessageStateJson>"))]
    pub state: Option<MessageState>,
    /// The tool call it is about.
    pub tool: Option<ToolCallJson>,
    /// The ask it is about.
    #[schema(value_type = Option<String>, format = Uuid)]
    #[cfg_attr(test, ts(as = "Option<String>"))]
    pub ask: Option<AskId>,
    /// Who said it.
    #[schema(value_type = Option<ResponderJson>)]
    #[cfg_attr(test, ts(as = "Option<ResponderJson>"))]
    pub responder: Option<handraise_question::Responder>,
}

#[expect(dead_code, reason = "stands for the domain's enum in the API description")]
#[derive(ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename_all = "lowercase"))]
#[schema(rename_all = "lowercase", as = MessageKind)]
pub(crate) enum MessageKindJson {
    /// A person's words to the agent.
    User,
    /// The agent's words.
    Assistant,
    /// A tool the agent used.
    Tool,
    /// Here it asked.
    Ask,
    /// What the person answered.
    Answer,
    /// What happened to the session.
    Note,
}

#[expect(dead_code, reason = "stands for the domain's enum in the API description")]
#[derive(ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename_all = "lowercase"))]
#[schema(rename_all = "lowercase", as = MessageState)]
pub(crate) enum MessageStateJson {
    /// A person's words wait.
    Queued,
    /// The agent has them.
    Delivered,
    /// A tool is at work.
    Running,
    /// It is done.
    Done,
    /// It failed, or was not allowed.
    Failed,
}

/// A tool call, as far as people want to see it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolCallJson {
    /// The tool.
    pub name: String,
    /// Its input, as text; long ones are cut.
    pub input: String,
    /// What came of it; long ones are cut.
    pub result: Option<String>,
}

/// What was said in a session.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MessagesResponse {
    /// In their order, each as it stands.
    pub messages: Vec<MessageJson>,
    /// What the agent is saying just now, unless it was said already.
    pub speaking: Option<StreamedJson>,
}

/// What the agent is saying just now.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StreamedJson {
    /// The name the message will have.
    #[schema(min_length = 1, max_length = 190)]
    pub key: String,
    /// How many bytes of it came before this.
    pub offset: u64,
    /// What came.
    pub text: String,
}

/// A person's words to the agent.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SayParams {
    /// The words.
    #[schema(min_length = 1)]
    pub text: String,
    /// Makes it safe to try again.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 190)]
    pub idempotency_key: Option<String>,
}

/// A person wants the agent to stop what it does.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct InterruptParams {
    /// Makes it safe to try again.
    #[schema(min_length = 1, max_length = 190)]
    pub idempotency_key: Option<String>,
}

/// Where a person's words are now.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SayResponse {
    /// Whether they still wait.
    pub queued: bool,
    /// The words, in their place.
    pub message: MessageJson,
}

/// A session to be started by the hub.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartParams {
    /// Where the agent is to work: one of the directories the configuration allows, or below one.
    #[schema(min_length = 1, max_length = 4096)]
    pub directory: String,
    /// The first words to it.
    #[schema(min_length = 1)]
    pub text: String,
    /// Makes it safe to try again.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 190)]
    pub idempotency_key: Option<String>,
}

/// A session that is about to begin.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionParams {
    /// The kind of agent.
    #[schema(min_length = 1, max_length = 100)]
    pub agent: String,
    /// The directory the agent works in.
    #[schema(max_length = 4096)]
    pub directory: String,
    /// The machine it runs on.
    #[schema(max_length = 255)]
    pub host: Option<String>,
    /// What it is about.
    #[schema(max_length = 1000)]
    pub title: Option<String>,
    /// The process that runs the agent.
    #[serde(default, deserialize_with = "strict::optional_object")]
    pub runner: Option<RunnerJson>,
    /// Makes it safe to try again.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 190)]
    pub key: Option<String>,
}

/// What whoever runs an agent tells of it. What is absent stays as it is.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ProgressParams {
    /// How the session stands now.
    #[serde(deserialize_with = "strict::optional_word")]
    #[schema(value_type = Option<SessionStateJson>)]
    pub state: Option<SessionState>,
    /// Why it stopped or ended; a new state without it clears it.
    #[schema(max_length = 10_000)]
    pub trouble: Option<String>,
    /// The agent's own name for the session.
    #[schema(max_length = 500)]
    pub agent_session: Option<String>,
    /// What it is about.
    #[schema(max_length = 1000)]
    pub title: Option<String>,
    /// The process that runs the agent.
    #[serde(deserialize_with = "strict::optional_object")]
    pub runner: Option<RunnerJson>,
    /// What was said or done: new, or instead of what was said before under the same key.
    #[serde(deserialize_with = "strict::objects")]
    #[schema(max_items = 200)]
    pub messages: Vec<SayingJson>,
}

/// Something said or done. Of a person's words only the state can change, to `delivered`. Of an answer
/// only `ask` counts, an ask of this session that ended at the hub: the hub writes the key, the words,
/// who gave it and when.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SayingJson {
    /// Its name within the session.
    #[schema(min_length = 1, max_length = 200)]
    pub key: String,
    /// What it is.
    #[serde(deserialize_with = "strict::word")]
    #[schema(value_type = MessageKindJson)]
    pub kind: MessageKind,
    /// The words.
    #[serde(default)]
    pub text: String,
    /// How far it has come.
    #[serde(default, deserialize_with = "strict::optional_word")]
    #[schema(value_type = Option<MessageStateJson>)]
    pub state: Option<MessageState>,
    /// The tool call it is about.
    #[serde(default, deserialize_with = "strict::optional_object")]
    pub tool: Option<ToolCallJson>,
    /// The ask it is about.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Uuid)]
    pub ask: Option<AskId>,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProgressResponse {
    /// The session as it stands.
    pub session: SessionJson,
    /// The messages that are new, or other than before.
    pub messages: Vec<MessageJson>,
}

impl From<Runner> for RunnerJson {
    fn from(Runner { pid, started }: Runner) -> Self {
        Self { pid, started }
    }
}

impl From<RunnerJson> for Runner {
    fn from(RunnerJson { pid, started }: RunnerJson) -> Self {
        Self { pid, started }
    }
}

impl From<ToolCall> for ToolCallJson {
    fn from(ToolCall { name, input, result }: ToolCall) -> Self {
        Self { name, input, result }
    }
}

impl From<ToolCallJson> for ToolCall {
    fn from(ToolCallJson { name, input, result }: ToolCallJson) -> Self {
        Self { name, input, result }
    }
}

impl From<Streamed> for StreamedJson {
    fn from(Streamed { key, offset, text }: Streamed) -> Self {
        Self { key, offset, text }
    }
}

impl From<StreamedJson> for Streamed {
    fn from(StreamedJson { key, offset, text }: StreamedJson) -> Self {
        Self { key, offset, text }
    }
}

impl From<Session> for SessionJson {
    fn from(session: Session) -> Self {
        Self {
            id: session.id,
            agent: session.agent,
            agent_session: session.agent_session,
            directory: session.directory,
            host: session.host,
            title: session.title,
            state: session.state,
            trouble: session.trouble,
            runner: session.runner.map(Into::into),
            started_at: session.started_at,
            changed_at: session.changed_at,
            messages: session.messages,
            interrupts: session.interrupts,
            ending: session.ending,
        }
    }
}

impl From<SessionJson> for Session {
    fn from(json: SessionJson) -> Self {
        Self {
            id: json.id,
            key: None,
            owner: None,
            agent: json.agent,
            agent_session: json.agent_session,
            directory: json.directory,
            host: json.host,
            title: json.title,
            state: json.state,
            trouble: json.trouble,
            runner: json.runner.map(Into::into),
            started_at: json.started_at,
            changed_at: json.changed_at,
            messages: json.messages,
            interrupts: json.interrupts,
            interrupt_keys: vec![],
            ending: json.ending,
        }
    }
}

impl From<Message> for MessageJson {
    fn from(message: Message) -> Self {
        let Message { number, key, at, kind, text, state, tool, ask, responder } = message;
        Self { number, key, at, kind, text, state, tool: tool.map(Into::into), ask, responder }
    }
}

impl From<MessageJson> for Message {
    fn from(json: MessageJson) -> Self {
        let MessageJson { number, key, at, kind, text, state, tool, ask, responder } = json;
        Self { number, key, at, kind, text, state, tool: tool.map(Into::into), ask, responder }
    }
}

impl From<SessionParams> for (NewSession, Option<String>) {
    fn from(params: SessionParams) -> Self {
        let SessionParams { agent, directory, host, title, runner, key } = params;
        let runner = runner.map(Into::into);
        (NewSession { agent, directory, host, title, runner }, key)
    }
}

impl From<(NewSession, Option<String>)> for SessionParams {
    fn from((new, key): (NewSession, Option<String>)) -> Self {
        let NewSession { agent, directory, host, title, runner } = new;
        let runner = runner.map(Into::into);
        Self { agent, directory, host, title, runner, key }
    }
}

impl From<ProgressParams> for Progress {
    fn from(params: ProgressParams) -> Self {
        let ProgressParams { state, trouble, agent_session, title, runner, messages } = params;
        let runner = runner.map(Into::into);
        let messages = messages.into_iter().map(Into::into).collect();
        Self { state, trouble, agent_session, title, runner, messages }
    }
}

impl From<Progress> for ProgressParams {
    fn from(progress: Progress) -> Self {
        let Progress { state, trouble, agent_session, title, runner, messages } = progress;
        let runner = runner.map(Into::into);
        let messages = messages.into_iter().map(Into::into).collect();
        Self { state, trouble, agent_session, title, runner, messages }
    }
}

impl From<SayingJson> for Saying {
    fn from(json: SayingJson) -> Self {
        let SayingJson { key, kind, text, state, tool, ask } = json;
        Self { key, kind, text, state, tool: tool.map(Into::into), ask }
    }
}

impl From<Saying> for SayingJson {
    fn from(saying: Saying) -> Self {
        let Saying { key, kind, text, state, tool, ask } = saying;
        Self { key, kind, text, state, tool: tool.map(Into::into), ask }
    }
}
