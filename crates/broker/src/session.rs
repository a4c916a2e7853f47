//! A conversation with an agent that somebody runs for people to follow, and what was said in it.

use handraise_question::{Responder, Violation, Violations, count_characters};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{AskId, SessionId};

/// A conversation with an agent, as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Its name.
    pub id: SessionId,
    /// The name whoever opened it gave it, to try again by.
    pub key: Option<String>,
    /// The name of the agent's token that may write into it. None for sessions of versions before owners
    /// were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The kind of agent, e.g. `claude-code`.
    pub agent: String,
    /// The agent's own name for it, by which its asks are known; not known before it has begun.
    pub agent_session: Option<String>,
    /// The directory the agent works in.
    pub directory: String,
    /// The machine it runs on.
    pub host: Option<String>,
    /// What it is about.
    pub title: Option<String>,
    /// How it stands.
    pub state: SessionState,
    /// Why it stopped or ended, when that was not to be expected.
    pub trouble: Option<String>,
    /// The process that runs the agent.
    pub runner: Option<Runner>,
    /// When it began.
    pub started_at: Timestamp,
    /// When anything about it last changed.
    pub changed_at: Timestamp,
    /// How many messages there are; they are numbered from 1.
    pub messages: u64,
    /// How often people wanted the agent to stop what it does.
    pub interrupts: u64,
    /// The keys of the last of those wishes, to know a retry by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interrupt_keys: Vec<String>,
    /// Whether a person wants it to end.
    pub ending: bool,
}

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionState {
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

impl SessionState {
    /// Every state.
    pub const ALL: [Self; 6] =
        [Self::Starting, Self::Working, Self::Idle, Self::Stopped, Self::Deferred, Self::Ended];

    /// The stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Working => "working",
            Self::Idle => "idle",
            Self::Stopped => "stopped",
            Self::Deferred => "deferred",
            Self::Ended => "ended",
        }
    }
}

/// A process, told apart from a later one with the same number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Runner {
    /// Its number.
    pub pid: u32,
    /// When it was started, in the words of the system.
    pub started: Option<String>,
}

/// One thing that was said or done in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Its place: 1, 2, 3 and so on.
    pub number: u64,
    /// Its name within the session. Saying something with it again replaces what was said before.
    pub key: String,
    /// When it was first said.
    pub at: Timestamp,
    /// What it is.
    pub kind: MessageKind,
    /// The words.
    pub text: String,
    /// How far it has come.
    pub state: Option<MessageState>,
    /// The tool call it is about.
    pub tool: Option<ToolCall>,
    /// The ask it is about.
    pub ask: Option<AskId>,
    /// Who said it; nobody for what the agent says.
    pub responder: Option<Responder>,
}

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageKind {
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

/// How far a message has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageState {
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The tool.
    pub name: String,
    /// Its input, as text; long ones are cut.
    pub input: String,
    /// What came of it; long ones are cut.
    pub result: Option<String>,
}

/// What changed in a session: the session as it stands, and the messages that are new or other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionChanged {
    /// The session as it stands.
    pub session: Session,
    /// The messages that are new, or other than before.
    pub messages: Vec<Message>,
}

/// A session that is about to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// The kind of agent.
    pub agent: String,
    /// The directory the agent works in.
    pub directory: String,
    /// The machine it runs on.
    pub host: Option<String>,
    /// What it is about.
    pub title: Option<String>,
    /// The process that runs the agent.
    pub runner: Option<Runner>,
}

impl NewSession {
    pub(crate) fn check(self) -> Result<Self, Violations> {
        let mut violations = vec![];
        if self.agent.trim().is_empty() {
            violations.push(Violation::new("agent", "nothing", "the kind of agent"));
        }
        let length = |text: &Option<String>| text.as_deref().map_or(0, count_characters);
        violations.extend(too_long([
            ("agent", count_characters(&self.agent), 100),
            ("directory", count_characters(&self.directory), 4096),
            ("host", length(&self.host), 255),
            ("title", length(&self.title), MOST_TITLE),
            ("runner.started", started(self.runner.as_ref()), MOST_STARTED),
        ]));
        Violations::none_or(violations, || self)
    }
}

fn started(runner: Option<&Runner>) -> usize {
    runner.and_then(|runner| runner.started.as_deref()).map_or(0, count_characters)
}

/// Each field that holds more characters than it may.
fn too_long<const N: usize>(fields: [(&str, usize, usize); N]) -> Vec<Violation> {
    let wrong = fields.into_iter().filter(|(_, found, most)| found > most);
    let violation = |(path, found, most)| {
        Violation::new(path, format!("{found} characters"), format!("{most} or fewer"))
    };
    wrong.map(violation).collect()
}

const MOST_TITLE: usize = 1000;
const MOST_TROUBLE: usize = 10_000;
const MOST_STARTED: usize = 200;
/// The longest text of one message, in bytes.
pub const LONGEST_MESSAGE: usize = 1024 * 1024;
/// The most messages that are told at once.
pub const MOST_TOLD: usize = 200;
const LONGEST_KEY: usize = 200;

/// What whoever runs an agent tells of it. What is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// How the session stands now.
    pub state: Option<SessionState>,
    /// Why it stopped or ended; a new state without it clears it.
    pub trouble: Option<String>,
    /// The agent's own name for the session.
    pub agent_session: Option<String>,
    /// What it is about.
    pub title: Option<String>,
    /// The process that runs the agent.
    pub runner: Option<Runner>,
    /// What was said or done.
    pub messages: Vec<Saying>,
}

/// Something said or done, by its name within the session: new, or instead of what was said before.
/// Of a person's words only the state can change, to delivered; of an answer the hub writes the words.
#[derive(Debug, Clone, PartialEq)]
pub struct Saying {
    /// Its name.
    pub key: String,
    /// What it is.
    pub kind: MessageKind,
    /// The words.
    pub text: String,
    /// How far it has come.
    pub state: Option<MessageState>,
    /// The tool call it is about.
    pub tool: Option<ToolCall>,
    /// The ask it is about.
    pub ask: Option<AskId>,
}

impl Progress {
    pub(crate) fn check(self) -> Result<Self, Violations> {
        let length = |text: &Option<String>| text.as_deref().map_or(0, count_characters);
        let mut violations = too_long([
            ("title", length(&self.title), MOST_TITLE),
            ("trouble", length(&self.trouble), MOST_TROUBLE),
            ("agentSession", length(&self.agent_session), 500),
            ("runner.started", started(self.runner.as_ref()), MOST_STARTED),
        ]);
        for (n, saying) in self.messages.iter().enumerate() {
            let tool = saying.tool.as_ref().map_or(0, |tool| {
                tool.name.len() + tool.input.len() + tool.result.as_ref().map_or(0, String::len)
            });
            if saying.text.len() + tool > LONGEST_MESSAGE {
                let found = format!("{} bytes", saying.text.len() + tool);
                let most = format!("{LONGEST_MESSAGE} or fewer");
                violations.push(Violation::new(format!("messages[{n}]"), found, most));
            }
            if !(1..=LONGEST_KEY).contains(&count_characters(&saying.key)) {
                let found = format!("{} characters", count_characters(&saying.key));
                let path = format!("messages[{n}].key");
                violations.push(Violation::new(path, found, format!("1–{LONGEST_KEY}")));
            }
        }
        if self.messages.len() > MOST_TOLD {
            let found = self.messages.len().to_string();
            violations.push(Violation::new("messages", found, format!("{MOST_TOLD} or fewer")));
        }
        Violations::none_or(violations, || self)
    }
}

impl Session {
    /// Takes over what is told of it.
    pub(crate) fn progress(&mut self, progress: &Progress) {
        if let Some(state) = progress.state {
            self.state = state;
            self.trouble.clone_from(&progress.trouble);
        }
        let take = |to: &mut Option<String>, from: &Option<String>| {
            if from.is_some() {
                to.clone_from(from);
            }
        };
        take(&mut self.agent_session, &progress.agent_session);
        take(&mut self.title, &progress.title);
        if progress.runner.is_some() {
            self.runner.clone_from(&progress.runner);
        }
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state == SessionState::Ended
    }
}

impl Message {
    /// What stands after `saying`, at the place of `self`.
    pub(crate) fn replaced(&self, saying: Saying) -> Self {
        if self.kind == MessageKind::User {
            return Self { state: saying.state.or(self.state), ..self.clone() };
        }
        let Saying { key, kind, text, state, tool, ask } = saying;
        Self { key, kind, text, state, tool, ask, ..self.clone() }
    }
}

/// A place among the messages of a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MessageKey {
    /// The session.
    pub session: SessionId,
    /// The message's name in it.
    pub key: String,
}

/// Which sessions, the last one that began first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionQuery {
    /// Only those that are not over.
    pub live: bool,
    /// Those that began before this one.
    pub after: Option<SessionId>,
    /// At most this many.
    pub limit: u32,
}

/// What the agent is saying just now, before it has said it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Streamed {
    /// The name the message will have.
    pub key: String,
    /// How many bytes of it came before this.
    pub offset: u64,
    /// What came.
    pub text: String,
}
