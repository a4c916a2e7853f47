//! The demo from its first line to its last.

use std::sync::Arc;

use handraise_broker::{
    AskId, AskStore, CLI, Hub, HubError, Power, Record, Rejection, Reply, hex, until_resolved,
};
use handraise_client::{Home, RemoteHub};
use handraise_question::wording::{confirmation, flat};
use handraise_question::{Ask, Question, Resolution, Surface};
use handraise_store_sqlite::SqliteStore;
use handraise_terminal::{Desk, Outcome, Remote};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::agent::{self, Got};
use super::ink::Ink;
use super::script::{Scene, scenes};
use crate::ask::{elsewhere_lines, reply_of};
use crate::failure::{Exit, Failure};
use crate::home::failure;
use crate::{audit, environment, table};

pub(super) struct Play<'a> {
    home: &'a Home,
    runtime: Handle,
    agent: RemoteHub,
    /// The link that opens the dashboard, once.
    dashboard: Option<String>,
    ink: Ink,
}

/// How the demo ended.
pub(super) enum Curtain {
    /// As it should, or by Ctrl-C.
    Fell(Exit),
    /// This signal asked the process to end.
    Signalled(i32),
}

/// How one ask ended for the person before it.
enum Put {
    Stands(Arc<Record>),
    Interrupted,
    Signalled(i32),
}

/// One ask and what became of it.
struct Played {
    ask: Ask,
    got: Got,
    /// What the agent should have got.
    meant: String,
}

impl<'a> Play<'a> {
    pub(super) fn new(home: &'a Home, runtime: Handle, dashboard: Option<String>) -> Self {
        let agent = RemoteHub::agent(home.clone(), CLI);
        let ink = Ink::new(environment::color_hints().no_color.is_some());
        Self { home, runtime, agent, dashboard, ink }
    }

    pub(super) fn run(&self, mut desk: Option<Desk>) -> Result<Curtain, Failure> {
        self.introduce(desk.is_some())?;
        let mut all = vec![];
        for (number, scene) in scenes().iter().enumerate() {
            let ask = scene.ask().map_err(|problem| Failure::bad_input("the demo", &problem))?;
            let id = self.begin(scene, &ask, number)?;
            let agent = self.runtime.spawn(agent::take(self.agent.clone(), ask.clone(), id));
            let put = match &mut desk {
                None => Put::Stands(self.answer(scene, &ask, id)?),
                Some(desk) => self.put(desk, &ask, id)?,
            };
            let stands = match put {
                Put::Stands(record) => record,
                Put::Interrupted => {
                    say(&self.ink.dim("Nothing is left behind."))?;
                    return Ok(Curtain::Fell(Exit::Interrupted));
                }
                Put::Signalled(signal) => return Ok(Curtain::Signalled(signal)),
            };
            let got = self.joined(agent)?;
            let meant = resolution(&stands)?.map(|end| flat::text(&ask, &end)).unwrap_or_default();
            let label = self.ink.dim("  the agent got");
            say(&format!("{label} {}", self.ink.bold(&got.text)))?;
            all.push(Played { ask, got, meant });
        }
        self.conclude(&all)?;
        Ok(Curtain::Fell(Exit::Answered))
    }

    fn introduce(&self, interactive: bool) -> Result<(), Failure> {
        let ink = &self.ink;
        let who = if interactive { "you answer" } else { "this command answers through the API" };
        say(&format!(
            "{}: an agent asks, {who}, and the agent goes on with exactly that.",
            ink.bold("Handraise")
        ))?;
        say(&ink.dim("The agent is a script; the hub is real, on a temporary database."))?;
        if interactive {
            let elsewhere = format!("handraise list --data {}", self.home.directory().display());
            say(&ink.dim(&format!("The first answer counts; elsewhere, try: {elsewhere}")))?;
        }
        if let Some(link) = &self.dashboard {
            say(&ink.dim("The same questions are in your browser; this opens them, once:"))?;
            say(link)?;
        }
        Ok(())
    }

    /// The agent asks.
    fn begin(&self, scene: &Scene, ask: &Ask, number: usize) -> Result<AskId, Failure> {
        let asked = agent::ask(&self.agent, ask, number, scene.preamble);
        let id = self.runtime.block_on(asked).map_err(failure)?;
        say("")?;
        say(&format!("{} {}", self.ink.cyan("● agent"), scene.preamble))?;
        Ok(id)
    }

    /// Answers through the API.
    fn answer(&self, scene: &Scene, ask: &Ask, id: AskId) -> Result<Arc<Record>, Failure> {
        let answers = scene.answers().map_err(|error| Failure::new(Exit::Internal, error))?;
        let hub = self.person(Surface::Api);
        let reply = hub.reply(id, Reply::Answer(answers), None);
        let record = self.runtime.block_on(reply).map_err(failure)?;
        if let Some(resolution) = resolution(&record)? {
            for line in confirmation::lines(ask, &resolution) {
                say(&self.ink.green(&line))?;
            }
        }
        Ok(record)
    }

    /// Puts it to the person at this terminal, against whoever answers elsewhere.
    fn put(&self, desk: &mut Desk, ask: &Ask, id: AskId) -> Result<Put, Failure> {
        let asking = desk.ask(ask.clone(), None);
        let elsewhere = self.watch(asking.remote(), id);
        let outcome = asking.outcome().map_err(|error| Failure::new(Exit::Internal, error))?;
        let resolution = match outcome {
            Outcome::Resolved(resolution) => resolution,
            Outcome::Closed(_) => return self.joined(elsewhere).map(Put::Stands),
            Outcome::Interrupted => return Ok(Put::Interrupted),
            Outcome::Signalled(signal) => return Ok(Put::Signalled(signal)),
        };
        let Some(reply) = reply_of(resolution) else {
            let error = anyhow::anyhow!("silence, though there is no deadline");
            return Err(Failure::new(Exit::Internal, error));
        };
        let hub = self.person(Surface::Terminal);
        let stands = match self.runtime.block_on(hub.reply(id, reply, None)) {
            Ok(record) => record,
            Err(HubError::Rejected(Rejection::AlreadyResolved(record))) => {
                for line in elsewhere_lines(&record) {
                    say(&self.ink.dim(&line))?;
                }
                Arc::from(record)
            }
            Err(error) => return Err(failure(error)),
        };
        elsewhere.abort();
        Ok(Put::Stands(stands))
    }

    fn watch(&self, remote: Remote, id: AskId) -> JoinHandle<Result<Arc<Record>, HubError>> {
        let hub = self.agent.clone();
        self.runtime.spawn(async move {
            let record = until_resolved(&hub, id, None, |_| {}).await?;
            remote.close(elsewhere_lines(&record));
            Ok(record)
        })
    }

    /// What the agent received, the log's line for each, and whether it all adds up.
    fn conclude(&self, all: &[Played]) -> Result<(), Failure> {
        let ink = &self.ink;
        let file = self.home.database();
        let read = async {
            let store = SqliteStore::open_to_read(&file)?;
            let log = store.log(0, 1000).await?;
            Ok::<_, handraise_broker::StoreError>((log, audit::audit(&file, None).await?))
        };
        let internal = |error: anyhow::Error| Failure::new(Exit::Internal, error);
        let (log, audited) = self.runtime.block_on(read).map_err(|error| internal(error.into()))?;
        let sound = audited.map_err(|broken| internal(broken.into()))?;
        say("")?;
        say(&ink.bold("What the agent received, with the line in the log"))?;
        for Played { ask, got, .. } in all {
            let names: Vec<_> = ask.questions().iter().map(Question::name).collect();
            say(&format!("  {}  {}", ink.bold(&names.join(", ")), ink.green(&got.text)))?;
            let resolved = log
                .iter()
                .find(|entry| entry.ask == Some(got.record.id) && entry.name == "ask.resolved");
            if let Some(entry) = resolved {
                let hash = hex(&entry.hash[..6]);
                let line =
                    format!("    #{} {} {} {hash}…", entry.seq, entry.name, who(&got.record));
                say(&ink.dim(&line))?;
            }
        }
        let events = sound.head.seq;
        let chain = format!("✔ {events} events, each chained to the one before: the log adds up");
        say(&ink.green(&chain))?;
        let wrong = all.iter().filter(|played| played.got.text != played.meant).count();
        if wrong > 0 {
            let error = anyhow::anyhow!("{wrong} of {} answers did not arrive as given", all.len());
            return Err(Failure::new(Exit::Internal, error));
        }
        say("")?;
        let (serve, connect) = (ink.bold("handraise serve"), ink.bold("handraise connect claude"));
        say(&format!("Next: {serve} runs your own hub, and {connect} lets Claude Code ask there."))
    }

    fn person(&self, surface: Surface) -> RemoteHub {
        RemoteHub::new(self.home.clone(), Power::Person, surface)
    }

    fn joined<T>(&self, task: JoinHandle<Result<T, HubError>>) -> Result<T, Failure> {
        let ended = self.runtime.block_on(task);
        ended.map_err(|error| Failure::new(Exit::Internal, error))?.map_err(failure)
    }
}

fn say(line: &str) -> Result<(), Failure> {
    Ink::print(line).map_err(|error| Failure::new(Exit::Internal, error))
}

fn resolution(record: &Record) -> Result<Option<Resolution>, Failure> {
    record.resolution().map_err(|problem| Failure::bad_input("the demo", &problem))
}

/// `by ann (terminal) after 4s`
fn who(record: &Record) -> String {
    let Some(resolved) = record.resolved() else { return String::new() };
    let took = table::duration(resolved.at.duration_since(record.asked_at));
    match &resolved.responder {
        Some(responder) => {
            let person = responder.person.as_deref().unwrap_or("somebody");
            let surface = serde_json::to_value(&responder.surface).unwrap_or_default();
            format!("by {person} ({}) after {took}", surface.as_str().unwrap_or_default())
        }
        None => took,
    }
}
