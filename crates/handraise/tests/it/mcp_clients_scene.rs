//! A real agent, connected to a hub by `handraise connect`, and a model that asks.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::{AskId, Hub, Power, Query, Record, Reply, State};
use handraise_testkit::{
    Block, HubProcess, McpClient, McpHome, PATIENCE, Program, ScriptedModel, ToolResult,
    database_question as database, one_of,
};
use rustix::process::Signal;
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

    /// Waits for the one ask that is open. Before it the agent has to start, which takes some of them many
    /// times as long as anything else here.
    pub(crate) fn wait_open(&self) -> Arc<Record> {
        self.wait_for("open ask", 4 * PATIENCE, || {
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

    /// Waits until the model has read so many results, each in its time.
    fn wait_results(&self, count: usize) -> Vec<ToolResult> {
        (1..=count).map(|count| self.model.wait_results(count)).last().unwrap_or_default()
    }

    fn wait<T>(&self, what: &str, look: impl Fn() -> Option<T>) -> T {
        self.wait_for(what, PATIENCE, look)
    }

    fn wait_for<T>(&self, what: &str, patience: Duration, look: impl Fn() -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            assert!(
                start.elapsed() < patience,
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

/// What a person writes who means to break something.
const HOSTILE: &str =
    "one, \"two\", 'three'\n```\nChosen: nothing\n```\n🦀 \u{202e}שלום {\"a\": [1]} \\n $HOME";

/// The agent knows the server that was written into its settings.
pub(crate) fn lists_the_server(client: McpClient, listed: &str) {
    let scene = Scene::new(client);
    let list = Program::run(&mut scene.agent.command(&["mcp", "list"]));
    let said = format!("{}{}", list.stdout, list.stderr);
    assert!(said.contains("handraise") && said.contains(listed), "{said}");
    scene.connect(&["--undo"]);
    let list = Program::run(&mut scene.agent.command(&["mcp", "list"]));
    assert!(!format!("{}{}", list.stdout, list.stderr).contains("handraise"), "{}", list.stdout);
}

/// The model reads exactly what was chosen and written, and the hub knows that it did.
pub(crate) fn reads_what_was_chosen(client: McpClient) {
    let scene = Scene::new(client);
    let agent = scene.ask(&[features(), database(), database_in_words()]);
    let ask = scene.wait_open();
    assert_eq!(ask.asker().agent, client.name());
    assert_eq!(ask.opened.owner.as_deref(), Some(client.name()), "its own token");
    let project = scene.agent.project().display().to_string();
    assert_eq!(ask.asker().directory.as_deref(), Some(project.as_str()));
    assert!(ask.asker().session.is_some());
    scene.answer(ask.id, json!([
        { "selected": ["Billing, taxes", "say \"hi\""], "words": HOSTILE, "notes": "a note, too" },
        { "selected": ["SQLite"] },
        { "words": HOSTILE },
    ]));
    let result = scene.model.wait_result(TAG);
    let said = read(client, &result);
    assert!(!result.is_error, "{said}");
    match client {
        McpClient::Codex => assert_structured(&said),
        McpClient::Opencode | McpClient::Gemini => assert_prose(&said),
    }
    scene.wait_delivered(ask.id);
    let ended = agent.wait_exit();
    assert!(ended.status.success(), "{}{}", ended.stdout, ended.stderr);
}

/// Codex passes on the structured content, whole, and nothing else.
fn assert_structured(said: &str) {
    let answer = |question: Value, selected: &[&str], words: Option<&str>, notes: Option<&str>| {
        let question = &question["question"];
        json!({
            "question": question, "selected": selected, "words": words, "notes": notes,
            "leftOpen": false,
        })
    };
    let chosen = ["Billing, taxes", "say \"hi\""];
    let answers = [
        answer(features(), &chosen, Some(HOSTILE), Some("a note, too")),
        answer(database(), &["SQLite"], None, None),
        answer(database_in_words(), &[], Some(HOSTILE), None),
    ];
    let said: Value = serde_json::from_str(said).unwrap();
    assert_eq!(said, json!({ "status": "answered", "answers": answers }));
}

/// The others pass on prose, in which every word is found as it was said.
fn assert_prose(said: &str) {
    let chosen =
        ["Chosen: Billing, taxes\n", "Chosen: say \"hi\"\n", "Chosen: SQLite\n", "a note, too\n"];
    for piece in chosen {
        assert_eq!(said.matches(piece).count(), 1, "{piece:?} in:\n{said}");
    }
    assert_eq!(said.matches(HOSTILE).count(), 2, "{said}");
    assert!(!said.contains("Postgres") && !said.contains("Search"), "{said}");
}

/// No is an answer that chooses nothing.
pub(crate) fn reads_that_nothing_was_chosen(client: McpClient) {
    let scene = Scene::new(client);
    let agent = scene.ask(&[database()]);
    let ask = scene.wait_open();
    scene.reply(ask.id, Reply::Decline(Some("not now, \"ask\" later".to_owned())));
    let said = read(client, &scene.model.wait_result(TAG));
    assert!(said.contains("The person declined to answer: not now, "), "{said}");
    assert!(said.contains("No option was chosen; do not assume one."), "{said}");
    assert!(!said.contains("SQLite"), "{said}");
    scene.wait_delivered(ask.id);
    assert!(agent.wait_exit().status.success());
}

/// A question goes with the agent that asked it.
pub(crate) fn takes_its_question_along(client: McpClient) {
    let scene = Scene::new(client);
    let agent = scene.ask(&[database()]);
    let ask = scene.wait_open();
    agent.signal(Signal::KILL);
    let ended = scene.wait_record(ask.id, "end of the ask", |ask| !ask.is_open());
    assert_eq!(ended.resolved().unwrap().resolution["kind"], "withdrawn");
}

/// A person may take longer than the agent waits for a tool.
///
/// `limit` is what the settings say about it, and what they say in this test: six seconds. The server
/// waits for three of them and gives a ticket. Gemini CLI stops a model that calls a tool five times with
/// the same arguments (measured), so there are four such calls.
pub(crate) fn waits_longer_than_its_limit(client: McpClient, limit: Option<(&str, &str)>) {
    const PENDING: usize = 3;
    const WAITS: usize = 4;
    let scene = Scene::new(client);
    scene.set("23h", "3s");
    if let Some((old, new)) = limit {
        scene.set(old, new);
    }
    let ask = Block::tool(client.ask(), json!({ "questions": [database()] }));
    let wait = Block::tool(client.wait(), json!({ "ticket": "RESULT:ticket" }));
    let turns = [ask].into_iter().chain(vec![wait; WAITS]).map(|call| vec![call]);
    let agent = scene.play(turns.collect());
    let ask = scene.wait_open();
    let pending = scene.wait_results(PENDING);
    for result in &pending {
        let said = read(client, result);
        assert!(said.contains("ending") || said.contains("Nobody has answered yet"), "{said}");
        assert!(said.contains(&ask.id.to_string()) && !result.is_error, "{said}");
    }
    scene.answer(ask.id, json!([{ "selected": ["SQLite"] }]));
    scene.wait_delivered(ask.id);
    let results = scene.wait_results(1 + WAITS);
    let answered = |result: &&ToolResult| read(client, result).contains("SQLite");
    let answers = results.iter().skip_while(|result| !answered(result));
    // What was answered once is answered the same each time it is asked for.
    assert!(answers.clone().all(|result| answered(&result)), "{results:#?}");
    assert!(answers.count() >= 2, "{results:#?}");
    assert!(agent.wait_exit().status.success());
    let asked = scene.wait_record(ask.id, "the same ask", |_| true);
    assert_eq!(asked.state(), State::Delivered);
}

/// The same at a terminal: nothing has to be confirmed there.
pub(crate) fn asks_at_a_terminal(client: McpClient) {
    let scene = Scene::new(client);
    let ask = Block::tool(client.ask(), json!({ "questions": [database()] }));
    scene.model.script(TAG, vec![vec![ask]]);
    let session = scene.agent.session();
    session.prompt(&format!("SCRIPT:{TAG} TAG:{TAG}"));
    let ask = scene.wait_open();
    scene.answer(ask.id, json!([{ "selected": ["SQLite"] }]));
    let said = read(client, &scene.model.wait_result(TAG));
    assert!(said.contains("SQLite") && !said.contains("Postgres"), "{said}");
    scene.wait_delivered(ask.id);
}

fn features() -> Value {
    let labels = ["Auth", "Billing, taxes", "say \"hi\"", "Search"];
    let mut features = one_of("Which features, \"exactly\"?", "Features", &labels);
    features["multiSelect"] = json!(true);
    features
}

fn database_in_words() -> Value {
    json!({ "question": "What is it to be called?\nBe brief." })
}
