//! Runs Claude Code without a terminal, under the hub: what is said goes there, and what people say
//! there comes here.
//!
//! [`run`] is one loop over four ears: Claude Code's output, the hub's news, the ends of asks, and the
//! clock. Whatever is heard changes the conversation, and at the end of each turn of the loop whatever can
//! be delivered is delivered. A hub that is away holds the loop up, and so, in the end, Claude Code: its
//! output waits in the pipe.

mod asking;
mod conversation;
mod delivering;
mod flags;
mod hearing;
mod telling;
mod words;

use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{DelivererId, Hub, HubError, Policy, SessionId, Sessions};

use crate::stream::Program;
use conversation::Conversation;
pub use flags::{Unfit, check};

/// How Claude Code is to be run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The session it belongs to.
    pub session: SessionId,
    /// What is run, with the person's own arguments.
    pub program: Program,
    /// How the program asks its questions, and takes the answers.
    pub answers: Answers,
    /// Who is asked before a tool is used.
    pub approvals: Approvals,
    /// The rules its asks live under.
    pub policy: Policy,
    /// What a denial says that ends the turn because nobody answered, if not our own words. When set, a
    /// declined question ends the turn in the same way.
    pub unanswered: Option<String>,
    /// Start the program before the first message, and end the run with [`End::Failed`] if it ends
    /// without a word. Otherwise it is started for the first message, and again for the next.
    pub starts_at_once: bool,
    /// After how long without an answer a question is put off and Claude Code goes away.
    pub defer_after: Option<Duration>,
    /// The name of this machine.
    pub host: String,
    /// The name under which this process delivers.
    pub deliverer: DelivererId,
}

/// Who is asked before a tool is used. Questions always go to the person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Approvals {
    /// The person.
    #[default]
    Ask,
    /// Nobody: everything is allowed.
    All,
}

/// How a program asks its questions, and takes the answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Answers {
    /// Requests to use the tool, answered by `control_response`: Claude Code.
    #[default]
    Control,
    /// Calls of the tool in `assistant` messages, answered by a `tool_result` on standard input.
    ToolResult {
        /// What the program is called. It is started with its own arguments and nothing else.
        agent: String,
    },
}

impl Settings {
    /// The name by which the agent's asks are known.
    fn agent(&self) -> &str {
        match &self.answers {
            Answers::Control => asking::AGENT,
            Answers::ToolResult { agent } => agent,
        }
    }

    /// What the program is called when speaking to a person.
    fn display_name(&self) -> &str {
        match &self.answers {
            Answers::Control => "Claude Code",
            Answers::ToolResult { agent } => agent,
        }
    }

    fn takes_tool_results(&self) -> bool {
        matches!(self.answers, Answers::ToolResult { .. })
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// A person ended the session, or whoever runs this did.
    Ended,
    /// Its question waits; Claude Code comes back with the answer, whoever runs it then.
    Deferred,
    /// The program was not started, or ended before it had said anything, and why.
    Failed(String),
}

/// Runs a session until a person ends it, or `stop` comes.
///
/// # Errors
///
/// When the hub refuses: the session is unknown, or the token counts no more.
pub async fn run<H: Hub + Sessions + 'static>(
    hub: Arc<H>,
    settings: Settings,
    stop: impl Future<Output = ()>,
) -> Result<End, HubError> {
    tokio::pin!(stop);
    let mut conversation = tokio::select! {
        conversation = Conversation::begin(hub, settings) => conversation?,
        () = &mut stop => return Ok(End::Ended),
    };
    let outcome = tokio::select! {
        outcome = conversation.go_on() => outcome,
        () = &mut stop => Ok(()),
    };
    let end = conversation.finish().await;
    outcome.map(|()| end)
}
