//! What we put into an agent's settings: hooks, or a server.

use handraise_agent_claude::settings::{self, Ours, SettingsError, WANTED};
use handraise_agent_mcp::clients::{self, Client, Server};
use handraise_client::Home;

use super::command;
use super::record::Record;
use crate::cli::Agent;
use crate::failure::Failure;

/// Our part of an agent's settings, and how it is known again.
#[derive(Debug)]
pub(crate) enum Part {
    /// Hooks beside the agent's own dialog.
    Hooks(Ours),
    /// A server whose tools ask the person.
    Server(Client, clients::Ours),
}

impl Part {
    /// Also what was written by the name that the program had then is ours.
    pub(crate) fn of(agent: Agent, record: Option<&Record>) -> Self {
        let server = |client| {
            let known = record.and_then(|record| server(&record.command));
            let known = known.map(|server| server.program);
            let ours = clients::Ours::default();
            Self::Server(client, known.iter().fold(ours, |ours, program| ours.and(program)))
        };
        match agent {
            Agent::Claude => Self::Hooks(super::ours(record)),
            Agent::Codex => server(Client::Codex),
            Agent::Opencode => server(Client::Opencode),
            Agent::Gemini => server(Client::Gemini),
            Agent::Qwen => server(Client::Qwen),
        }
    }

    /// What it runs, for a shell.
    pub(crate) fn command(&self, home: &Home) -> Result<String, Failure> {
        match self {
            Self::Hooks(_) => command::hook_command(home),
            Self::Server(client, _) => {
                let arguments = client.arguments();
                command::line(home, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
            }
        }
    }

    pub(crate) fn connect(&self, text: &str, command: &str) -> Result<String, SettingsError> {
        match self {
            Self::Hooks(ours) => settings::connect(text, ours, command),
            Self::Server(client, ours) => match server(command) {
                Some(server) => client.connect(text, ours, &server),
                None => Ok(text.to_owned()),
            },
        }
    }

    pub(super) fn disconnect(
        &self,
        text: &str,
        before: Option<&str>,
    ) -> Result<String, SettingsError> {
        match self {
            Self::Hooks(ours) => settings::disconnect(text, ours, before),
            Self::Server(client, ours) => client.disconnect(text, ours, before),
        }
    }

    /// Whether people write it themselves. Servers they do, as the documentation shows; hooks of ours
    /// without a record are those whose record was lost.
    pub(super) fn may_be_hand_written(&self) -> bool {
        match self {
            Self::Hooks(_) => false,
            Self::Server(..) => true,
        }
    }

    /// What it is called.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Hooks(_) => format!("{} hooks", WANTED.len()),
            Self::Server(..) => "the server `handraise`".to_owned(),
        }
    }

    /// The same, once it has been said which.
    pub(super) fn short_name(&self) -> &'static str {
        match self {
            Self::Hooks(_) => "hooks",
            Self::Server(..) => "server",
        }
    }
}

/// A command of ours as a program and its arguments.
fn server(command: &str) -> Option<Server> {
    let mut words = shlex::split(command)?.into_iter();
    Some(Server { program: words.next()?, args: words.collect() })
}
