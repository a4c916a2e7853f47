//! A real agent, connected to a hub by `handraise connect`, and a model that asks.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::{AskId, Hub, Power, Query, Record, Reply, State};
use handraise_testkit::{
    Block, HubProcess, McpClient, McpHome, PATIENCE, Program, ScriptedModel, ToolResult,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A connected agent. Prompts play scripts: `SCRIPT:name TAG:tag`.
pub(crate) struct Scene {
    pub(crate) hub: HubProcess,
    pub(crate) agent: McpHome,
    pub(crate) model: ScriptedModel,
    runtime: Runtime,
}

/// The tag of every prompt.
pub(crate) const TAG: &str = "ask";

impl Scene {
    /// A hub that is up, and settings that `handraise connect` has written.
    pub(crate) fn new(client: McpClient) -> Self {
        let model = ScriptedModel::start();
        let agent = McpHome::new(client, &model);
        let mut hub = HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise")));
        hub.restart();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let scene = Self { hub, agent, model, runtime };
        let said = scene.connect(&[]);
        assert!(said.contains("raise their hand"), "{said}");
        scene
    }

    /// Runs `handraise connect` for the agent, as its user.
    pub(crate) fn connect(&self, args: &[&str]) -> String {
        let mut connect = self.hub.command();
        connect.args(["connect", self.agent.client().name(), "--yes"]).args(args);
        let ended = Program::run(connect.env("HOME", self.agent.home()));
        assert!(ended.status.success(), "{}{}", ended.stdout, ended.stderr);
        ended.stdout
    }

    /// Changes a piece of the agent's settings, which must be there.
    pub(crate) fn set(&self, old: &str, new: &str) {
        let text = fs::read_to_string(self.agent.settings()).unwrap();
        assert!(text.contains(old), "{text}");
        fs::write(self.agent.settings(), text.replace(old, new)).unwrap();
    }

    /// Starts the agent without a terminal, and has its model ask `questions` and do nothing else.
    pub(crate) fn ask(&self, questions: &[Value]) -> Program {
        let ask = Block::tool(self.agent.client().ask(), json!({ "questions": questions }));
        self.play(vec![vec![Block::text("Let me ask."), ask]])
    }

    /// Starts the agent without a terminal, and has its model do this.
    pub(crate) fn play(&self, turns: Vec<Vec<Block>>) -> Program {
        self.model.script(TAG, turns);
        let mut command = self.agent.headless(&format!("SCRIPT:{TAG} TAG:{TAG}"));
        Program::spawn(&mut command, "")
    }

    /// Waits for the one ask that is open.
    pub(crate) fn wait_open(&self) -> Arc<Record> {
        self.wait("open ask", || {
            let open = Query { states: vec![State::Open], limit: 100, ..Query::default() };
            let mut open = self.runtime.block_on(self.hub.client(Power::Agent).list(open)).unwrap();
            if open.len() == 1 { open.pop() } else { None }
        })
    }

    /// Waits until an ask is as described.
    pub(crate) fn wait_record(
        &self,
        id: AskId,
        what: &str,
        holds: impl Fn(&Record) -> bool,
    ) -> Arc<Record> {
        self.wait(what, || Some(self.get(id)).filter(|record| holds(record)))
    }

    /// Waits until the hub knows that the agent has the answer.
    pub(crate) fn wait_delivered(&self, id: AskId) -> Arc<Record> {
        self.wait_record(id, "delivery", |record| record.state() == State::Delivered)
    }

    pub(crate) fn get(&self, id: AskId) -> Arc<Record> {
        self.runtime.block_on(self.hub.client(Power::Agent).get(id)).unwrap()
    }

    pub(crate) fn reply(&self, id: AskId, reply: Reply) {
        self.runtime.block_on(self.hub.client(Power::Person).reply(id, reply, None)).unwrap();
    }

    pub(crate) fn answer(&self, id: AskId, answers: Value) {
        self.reply(id, Reply::Answer(serde_json::from_value(answers).unwrap()));
    }

    fn wait<T>(&self, what: &str, look: impl Fn() -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "no {what}; the model read: {:#?}",
                self.model.tool_results()
            );
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// What the model read, without what its agent writes around it.
pub(crate) fn read(client: McpClient, result: &ToolResult) -> String {
    match client {
        // Codex says before it how long the call took.
        McpClient::Codex => match result.text.split_once("Output:\n") {
            Some((_, said)) => said.to_owned(),
            None => panic!("{result:#?}"),
        },
        McpClient::Opencode | McpClient::Gemini => result.text.clone(),
    }
}
