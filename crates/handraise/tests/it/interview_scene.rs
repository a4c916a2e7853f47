//! An interview: the built binary, a real hub, and a model that plays scripts in either API.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::{AskId, Hub, Query, Record, Reply, State};
use handraise_testkit::{Block, PATIENCE, Program, ScriptedModel, Turn, answers, one_of};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::hub_at_work::HubAtWork;

/// A key that would be noticed wherever it turned up.
pub(crate) const KEY: &str = "sk-very-secret-0123456789";

pub(crate) const TASK: &str = "Add authentication to my app";

pub(crate) const CLOSING: &str = "# Sign-in\n\nPeople sign in with an account they have.\n\n\
## Requirements\n\n- One page.\n\n## Open points\n\nNone.\n";

/// The form in which the model is spoken to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Api {
    Anthropic,
    Openai,
}

pub(crate) struct InterviewScene {
    pub(crate) model: ScriptedModel,
    pub(crate) hub: HubAtWork,
    pub(crate) directory: TempDir,
    runtime: Runtime,
}

impl InterviewScene {
    /// A model that says these turns when it is told the task.
    pub(crate) fn new(turns: Vec<Turn>) -> Self {
        let model = ScriptedModel::start();
        model.script("interview", turns);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let directory = tempfile::tempdir().unwrap();
        Self { model, hub: HubAtWork::start(), directory, runtime }
    }

    /// `handraise interview` with the options for this model and hub, and these.
    pub(crate) fn command(&self, api: Api, args: &[&str]) -> Command {
        let mut command = self.bare(args);
        let api = match api {
            Api::Anthropic => "anthropic",
            Api::Openai => "openai",
        };
        command.args(["--via", "hub", "--api", api, "--model", "scripted"]);
        command.args(["--base-url", &format!("{}/v1", self.model.url())]);
        command
    }

    /// The same, with these options alone.
    pub(crate) fn bare(&self, args: &[&str]) -> Command {
        let program = env!("CARGO_BIN_EXE_handraise");
        let mut command = Program::command(program, self.directory.path());
        command.env("ANTHROPIC_API_KEY", KEY).env("OPENAI_API_KEY", KEY);
        command.args(["interview", "--data", &self.hub.data()]).args(args);
        command
    }

    /// Begins one about [`TASK`].
    pub(crate) fn begin(&self, api: Api, args: &[&str]) -> Program {
        let task = task();
        Program::spawn(self.command(api, args).arg(&task), "")
    }

    /// Goes on with the one that was left.
    pub(crate) fn resume(&self, args: &[&str]) -> Program {
        Program::spawn(self.bare(&["--resume", "--via", "hub"]).args(args), "")
    }

    pub(crate) fn asks(&self, states: &[State]) -> Vec<Arc<Record>> {
        let query = Query { states: states.to_vec(), limit: 100, ..Query::default() };
        self.runtime.block_on(self.hub.agent().list(query)).unwrap()
    }

    /// Waits until it asks.
    pub(crate) fn wait_open(&self) -> Arc<Record> {
        let begun = Instant::now();
        loop {
            if let Some(record) = self.asks(&[State::Open]).pop() {
                return record;
            }
            assert!(begun.elapsed() < PATIENCE, "nothing is asked");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the model has the answer.
    pub(crate) fn wait_delivered(&self, id: AskId) {
        let begun = Instant::now();
        while self.asks(&[State::Delivered]).iter().all(|record| record.id != id) {
            assert!(begun.elapsed() < PATIENCE, "not delivered");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// A file of the one interview there is.
    pub(crate) fn interview_file(&self, name: &str) -> PathBuf {
        let all = PathBuf::from(self.hub.data()).join("interviews");
        let one = all.read_dir().unwrap().next().unwrap().unwrap().path();
        one.join(name)
    }

    /// Says something to what is asked, as ann.
    pub(crate) fn reply(&self, record: &Record, reply: Reply) {
        self.runtime.block_on(self.hub.person().reply(record.id, reply, None)).unwrap();
    }

    /// Waits until it asks, and answers.
    pub(crate) fn answer(&self, forms: Value) -> Arc<Record> {
        let record = self.wait_open();
        self.reply(&record, answers(forms));
        record
    }

    pub(crate) fn output(&self) -> PathBuf {
        self.directory.path().join("SPEC.md")
    }

    pub(crate) fn specification(&self) -> String {
        std::fs::read_to_string(self.output()).unwrap()
    }

    /// Every file below the hub's home and the working directory, with what is in it.
    pub(crate) fn all_files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut left = vec![PathBuf::from(self.hub.data()), self.directory.path().to_owned()];
        let mut files = vec![];
        while let Some(path) = left.pop() {
            if path.is_dir() {
                left.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
            } else if path.is_file() {
                let bytes = std::fs::read(&path).unwrap();
                files.push((path, bytes));
            }
        }
        files
    }
}

/// The task, with what has the model play its script.
pub(crate) fn task() -> String {
    format!("{TASK} SCRIPT:interview TAG:interview")
}

pub(crate) fn method() -> Value {
    one_of("Which authentication method?", "Auth Method", &["OAuth 2.0 (Recommended)", "JWT"])
}

pub(crate) fn providers() -> Value {
    let mut question =
        one_of("Which providers?", "Providers", &["Google", "GitHub", "Microsoft", "Apple"]);
    question["multiSelect"] = json!(true);
    question
}

pub(crate) fn storage() -> Value {
    one_of("Where are sessions kept?", "Storage", &["Database", "Cookie"])
}

/// A turn in which the model asks.
pub(crate) fn asks(questions: &[Value]) -> Turn {
    vec![Block::text("A word before."), Block::ask(&json!(questions))]
}

/// The turn that ends an interview.
pub(crate) fn closes() -> Turn {
    vec![Block::text(CLOSING)]
}
