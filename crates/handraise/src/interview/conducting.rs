//! An interview from where it is to its end: the model's events in, questions to the person, answers back.

use std::collections::HashMap;
use std::io;

use handraise_agent_loop::{
    Agent, AskUserQuestion, Entry, Event, History, Model, Run, RunError, RunLimits,
};
use handraise_broker::{AskId, Asker, Matter, NewAsk, Policy};
use handraise_question::{Ask, Resolution};
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::minutes::{Asked, Minutes};
use super::place::About;
use super::progress::Progress;
use crate::ask::{Places, Put};
use crate::environment;
use crate::failure::{self, Exit, Failure};

const BRIEF: &str = include_str!("brief.md");
/// How often a model that stops without a specification is told what is missing.
const MOST_REMINDERS: usize = 2;
const REMINDER: &str = "That was neither a call of AskUserQuestion nor the specification. What is meant for \
the person goes into the text right before the next call; if nothing that matters is open, write the \
specification now, in the form you were given, beginning with its title.";

/// How an interview ended.
pub(super) enum End {
    /// With the model's closing words.
    Done(String),
    /// The model did not come to one; this is why.
    Cut(String),
    /// The person left it in the middle.
    Left,
    /// This signal asks the process to end.
    Signalled(i32),
}

/// How a run of the model's ended.
enum Stop {
    Done(String),
    Error(RunError),
    Left,
    Signalled(i32),
}

pub(super) struct Conducting<'a> {
    pub(super) about: &'a About,
    pub(super) places: Places,
    pub(super) minutes: Minutes,
    pub(super) runtime: Runtime,
    pub(super) progress: Progress,
    pub(super) signals: Signals,
}

/// What asks the process to end.
pub(super) struct Signals {
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    /// Listens from now on. It has to be called within a runtime.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> i32 {
        let kind = tokio::select! {
            _ = self.terminate.recv() => SignalKind::terminate(),
            _ = self.hang_up.recv() => SignalKind::hangup(),
        };
        kind.as_raw_value()
    }
}

impl Conducting<'_> {
    /// Goes on until the model is done. The minutes are complete then.
    pub(super) fn hold(
        &mut self,
        model: &(impl Model + Clone + 'static),
        mut history: History,
    ) -> Result<End, Failure> {
        loop {
            let agent = Agent::new(model.clone())
                .system(BRIEF)
                .tool(AskUserQuestion)
                .limits(self.limits(history.entries()));
            let mut run = agent.run(history);
            let text = match self.follow(&mut run)? {
                Stop::Done(text) => text,
                Stop::Left => return Ok(End::Left),
                Stop::Signalled(signal) => return Ok(End::Signalled(signal)),
                // With this model it will not go on; what was answered is not kept from the person.
                Stop::Error(error) if is_the_models(&error) && !self.minutes.asked().is_empty() => {
                    return Ok(End::Cut(error.to_string()));
                }
                Stop::Error(error) => return Err(Failure::new(Exit::Internal, error)),
            };
            let Some(next) = run.into_history() else { return Ok(End::Done(text)) };
            history = next;
            if is_specification(&text) || reminders(history.entries()) >= MOST_REMINDERS {
                return Ok(End::Done(text));
            }
            self.progress.said(&text);
            let said = self.runtime.block_on(history.say(REMINDER));
            said.map_err(|error| Failure::new(Exit::Internal, error))?;
        }
    }

    /// What is left of the asks it may make: they are counted anew from each thing that is said to it.
    fn limits(&self, entries: &[Entry]) -> RunLimits {
        let said = entries.iter().rposition(|entry| matches!(entry, Entry::Prompt { .. }));
        let before = &entries[..said.unwrap_or(0)];
        let asked = before.iter().filter(|entry| matches!(entry, Entry::Asked { .. })).count();
        let asks = u32::try_from(self.about.most_asks.saturating_sub(asked)).unwrap_or(u32::MAX);
        RunLimits { asks, ..RunLimits::default() }
    }

    fn follow(&mut self, run: &mut Run) -> Result<Stop, Failure> {
        // What the model is saying counts when something else follows.
        let mut saying = String::new();
        let mut at_hub: HashMap<String, AskId> = HashMap::new();
        loop {
            self.progress.thinking();
            let event = self.runtime.block_on(async {
                tokio::select! {
                    event = run.next() => Ok(event),
                    _ = tokio::signal::ctrl_c() => Err(Stop::Left),
                    signal = self.signals.next() => Err(Stop::Signalled(signal)),
                }
            });
            self.progress.clear();
            let event = match event {
                Ok(event) => event,
                Err(stop) => return Ok(stop),
            };
            match event {
                Some(Event::Text { text }) => saying.push_str(&text),
                Some(Event::Retry { after, reason }) => {
                    saying.clear();
                    let after = after.as_secs();
                    failure::say(&format!("{reason}; trying again in {after} s."));
                }
                Some(Event::ToolStart { .. }) => {
                    self.progress.said(&std::mem::take(&mut saying));
                }
                Some(Event::AskUser { id, ask, preamble, .. }) => {
                    if let Some(known) = self.minutes.end_of(&id) {
                        at_hub.extend(known.at_hub.map(|ask| (id.clone(), ask)));
                        answer(run, &id, &known.ending.resolution)?;
                        continue;
                    }
                    self.progress.said(preamble.as_deref().unwrap_or_default());
                    let (ending, ask_id) = match self.put(&id, &ask, preamble.as_deref())? {
                        Put::Ended { ending, id } => (ending, id),
                        Put::Interrupted { id } => {
                            self.places.withdraw(id, "the interview was left; it can be resumed");
                            return Ok(Stop::Left);
                        }
                        Put::Signalled { signal, id } => {
                            self.places.withdraw(id, "the interview was left; it can be resumed");
                            return Ok(Stop::Signalled(signal));
                        }
                    };
                    at_hub.extend(ask_id.map(|ask_id| (id.clone(), ask_id)));
                    self.keep(run, Asked { call: id, ask, ending, at_hub: ask_id })?;
                }
                Some(Event::ToolResult { id, result, .. }) => {
                    self.places.handed(at_hub.remove(&id), result.text().to_owned());
                }
                Some(Event::Done { text }) => return Ok(Stop::Done(text)),
                Some(Event::Error { error }) => return Ok(Stop::Error(error)),
                // Events that we do not know yet.
                Some(_) => {}
                None => return Ok(Stop::Error(RunError::Cancelled)),
            }
        }
    }

    /// Keeps how an ask ended, then tells the model.
    fn keep(&mut self, run: &Run, asked: Asked) -> Result<(), Failure> {
        let (call, resolution) = (asked.call.clone(), asked.ending.resolution.clone());
        self.minutes.keep(asked).map_err(|error| {
            let error = anyhow::Error::new(error).context("the answer cannot be kept");
            Failure::new(Exit::Internal, error)
        })?;
        answer(run, &call, &resolution)
    }

    fn put(&mut self, call: &str, ask: &Ask, preamble: Option<&str>) -> Result<Put, Failure> {
        self.progress.asking(self.minutes.asked(), self.about.most_asks);
        // One that was taken back when the interview was left is asked anew, under another key.
        let mut name = format!("{}/{call}", self.about.id);
        loop {
            let new = self.new_ask(name.clone(), ask, preamble);
            let put = self.places.put(ask, new, None)?;
            let taken_back = matches!(&put, Put::Ended { ending, .. }
                if matches!(ending.resolution, Resolution::Withdrawn { .. }));
            if !taken_back {
                return Ok(put);
            }
            name.push('+');
        }
    }

    fn new_ask(&self, key: String, ask: &Ask, preamble: Option<&str>) -> NewAsk {
        NewAsk {
            asker: Asker {
                agent: "handraise-interview".into(),
                session: Some(self.about.id.clone()),
                directory: environment::directory(),
                host: Some(environment::host()),
                title: Some(shortened(&self.about.task, 1000)),
                preamble: preamble.map(|text| shortened(text, 100_000)),
                ..Asker::default()
            },
            key: Some(key),
            matter: Matter::from(ask),
            policy: Policy::default(),
            rival_dialog: false,
            deliverer: None,
        }
    }
}

fn answer(run: &Run, call: &str, resolution: &Resolution) -> Result<(), Failure> {
    run.answer(call, resolution).map_err(|error| Failure::new(Exit::Internal, error))
}

/// Whether trying again would come to the same.
fn is_the_models(error: &RunError) -> bool {
    matches!(
        error,
        RunError::AsksUsedUp(_)
            | RunError::Turns(_)
            | RunError::Refused
            | RunError::InvalidCalls(_)
            | RunError::CutOff(_)
    )
}

/// Whether the model's last words are the specification: it begins with a title.
fn is_specification(text: &str) -> bool {
    let sections = crate::markdown::sections(text);
    sections.iter().any(|section| section.level == Some(1) && !section.title.is_empty())
}

fn reminders(entries: &[Entry]) -> usize {
    let reminds = |entry: &&Entry| matches!(entry, Entry::Prompt { text } if text == REMINDER);
    entries.iter().filter(reminds).count()
}

fn shortened(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
