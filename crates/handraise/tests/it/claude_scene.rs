//! The real Claude Code, connected to a hub, and a model that asks.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::{AskId, Hub, Level, Phase, Power, Query, Record, Reply, State};
use handraise_testkit::{
    Block, ClaudeHome, ClaudeSession, HubProcess, PATIENCE, ScriptedModel, new_ask, one_of,
};
pub(crate) use handraise_testkit::{
    auth_question as auth, database_question as database, layout_question as layout,
};
use rustix::process::Pid;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::shell::Shell;

/// A connected Claude Code. Prompts play scripts: `SCRIPT:name TAG:tag`.
pub(crate) struct Scene {
    pub(crate) hub: HubProcess,
    pub(crate) claude: ClaudeHome,
    pub(crate) model: ScriptedModel,
    runtime: Runtime,
}

pub(crate) const DEFAULT: &str = "default";

impl Scene {
    /// A hub that is up, and settings that `handraise connect` has written.
    pub(crate) fn new() -> Self {
        Self::with_config("")
    }

    pub(crate) fn with_config(config: &str) -> Self {
        let mut scene = Self::without_hub();
        scene.hub.home().create().unwrap();
        std::fs::write(scene.hub.home().config(), format!("person = \"ann\"\n{config}")).unwrap();
        scene.hub.restart();
        scene
    }

    /// Settings that `handraise connect` has written, and no hub.
    pub(crate) fn without_hub() -> Self {
        let model = ScriptedModel::start();
        let claude = ClaudeHome::new(&model);
        let hub = HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise")));
        let settings = claude.settings().display().to_string();
        let connected =
            hub.command().args(["connect", "claude", "--yes", "--settings", &settings]).output();
        let connected = connected.unwrap();
        assert!(connected.status.success(), "{}", String::from_utf8_lossy(&connected.stderr));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { hub, claude, model, runtime }
    }

    /// A session in a project of its own.
    pub(crate) fn session(&self, mode: &str) -> ClaudeSession {
        self.claude.session(&self.claude.project("shop"), &["--permission-mode", mode])
    }

    /// Somebody's own shell.
    pub(crate) fn shell(&self) -> Shell {
        Shell::at(&self.hub.home().directory().display().to_string())
    }

    /// Has a session ask `questions`, and waits for the dialog and for the ask at the hub.
    pub(crate) fn ask(
        &self,
        session: &ClaudeSession,
        tag: &str,
        questions: &[Value],
    ) -> Arc<Record> {
        self.put(session, tag, questions);
        self.wait_open(1).remove(0)
    }

    /// Has a session ask `questions`, and waits for the dialog.
    pub(crate) fn put(&self, session: &ClaudeSession, tag: &str, questions: &[Value]) {
        self.put_unseen(session, tag, questions);
        session.wait_dialog(questions[0]["question"].as_str().unwrap());
    }

    /// The same, without waiting for the dialog: a short deadline may close it first.
    pub(crate) fn put_unseen(&self, session: &ClaudeSession, tag: &str, questions: &[Value]) {
        let turn =
            vec![Block::text(format!("Let me ask about {tag}.")), Block::ask(&json!(questions))];
        self.model.script(tag, vec![turn]);
        session.prompt(&format!("SCRIPT:{tag} TAG:{tag}"));
    }

    /// Waits until a session of this home has written something down.
    pub(crate) fn wait_written(&self, text: &str) {
        let files = |directory: &Path| -> Vec<PathBuf> {
            let entries = std::fs::read_dir(directory).into_iter().flatten();
            entries.map(|entry| entry.unwrap().path()).collect()
        };
        self.wait("transcript with the text", || {
            let projects = files(&self.claude.config().join("projects"));
            let mut transcripts = projects.iter().flat_map(|project| files(project));
            transcripts
                .any(|file| std::fs::read_to_string(file).is_ok_and(|read| read.contains(text)))
                .then_some(())
        });
    }

    /// Has a session play a turn in which nothing is asked, and waits until it is over.
    pub(crate) fn greet(&self, session: &ClaudeSession) {
        self.model.script("hello", vec![vec![Block::text("Hello there.")]]);
        session.prompt("SCRIPT:hello");
        session.wait_until("end of the turn", |screen| {
            let after = screen.rsplit_once("Hello there.");
            after.is_some_and(|(_, after)| after.contains("· done"))
        });
    }

    /// The process that waits beside the dialog of a session.
    pub(crate) fn waiting_hook(&self, session: &ClaudeSession) -> Pid {
        let claude = format!("CLAUDE_PID={}", session.pid());
        let has = |path: String, word: &[u8]| {
            let bytes = std::fs::read(path).unwrap_or_default();
            bytes.split(|byte| *byte == 0).any(|found| found == word)
        };
        let is_hook = |pid: &i32| {
            has(format!("/proc/{pid}/environ"), claude.as_bytes())
                && has(format!("/proc/{pid}/cmdline"), b"hook")
        };
        self.wait("waiting hook", || {
            let all = std::fs::read_dir("/proc").unwrap().flatten();
            let mut pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            pids.find(is_hook).and_then(Pid::from_raw)
        })
    }

    /// Asks something of no importance, and takes it back: what was on its way to the hub before is there.
    pub(crate) fn knock(&self) {
        let hub = self.hub.client(Power::Agent);
        self.runtime.block_on(async {
            let asked = hub.ask(new_ask(None)).await.unwrap();
            hub.withdraw(asked.record.id, None).await.unwrap();
        });
    }

    /// The asks that are open now.
    pub(crate) fn open(&self) -> Vec<Arc<Record>> {
        let open = Query { states: vec![State::Open], limit: 100, ..Query::default() };
        self.runtime.block_on(self.hub.client(Power::Agent).list(open)).unwrap()
    }

    /// Waits until so many asks are open.
    pub(crate) fn wait_open(&self, count: usize) -> Vec<Arc<Record>> {
        self.wait("that many open asks", || Some(self.open()).filter(|asks| asks.len() == count))
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

    /// Waits until the hub knows what the model read.
    pub(crate) fn wait_seen(&self, id: AskId) -> Arc<Record> {
        self.wait_record(id, "receipt of what was seen", |record| {
            record.last_receipt().is_some_and(|receipt| receipt.level == Level::Seen)
        })
    }

    /// Waits until an ask has ended.
    pub(crate) fn wait_ended(&self, id: AskId) -> Arc<Record> {
        self.wait_record(id, "end of the ask", |record| !record.is_open())
    }

    pub(crate) fn get(&self, id: AskId) -> Arc<Record> {
        self.runtime.block_on(self.hub.client(Power::Person).get(id)).unwrap()
    }

    /// Answers through the API.
    pub(crate) fn reply(&self, id: AskId, reply: Reply) {
        self.runtime.block_on(self.hub.client(Power::Person).reply(id, reply, None)).unwrap();
    }

    /// Says that nobody brings its answer.
    pub(crate) fn withdraw(&self, id: AskId, reason: &str) {
        let agent = self.hub.asker_of(&self.get(id));
        self.runtime.block_on(agent.withdraw(id, Some(reason.to_owned()))).unwrap();
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
            assert!(start.elapsed() < PATIENCE, "no {what}; the hub knows: {:#?}", self.history());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Every ask there ever was.
    pub(crate) fn asks(&self) -> Vec<Arc<Record>> {
        let all = Query { limit: 100, ..Query::default() };
        self.runtime.block_on(self.hub.client(Power::Agent).list(all)).unwrap_or_default()
    }

    /// How far every ask there ever was has come.
    pub(crate) fn history(&self) -> Vec<Phase> {
        self.asks().iter().map(|record| record.phase.clone()).collect()
    }
}

/// What the agent took, by its own word.
pub(crate) fn took(record: &Record) -> &Value {
    record.last_receipt().and_then(|receipt| receipt.took.as_ref()).unwrap_or(&Value::Null)
}

/// The answers an ask ended with.
pub(crate) fn answers(record: &Record) -> &Value {
    &record.resolved().unwrap().resolution["answers"]
}

/// Where an ask was ended.
pub(crate) fn surface(record: &Record) -> Value {
    json!(record.resolved().unwrap().responder.as_ref().map(|responder| &responder.surface))
}

pub(crate) fn features() -> Value {
    let labels = ["Auth", "Billing, taxes", "say \"hi\"", "Search"];
    let mut features = one_of("Which features do you want?", "Features", &labels);
    features["multiSelect"] = json!(true);
    features
}

/// What Claude Code tells the model when options were chosen.
pub(crate) fn chosen(answers: &[(&Value, &str)]) -> String {
    let answer =
        |(question, answer): &(&Value, &str)| format!("{}=\"{answer}\"", question["question"]);
    let answers: Vec<_> = answers.iter().map(answer).collect();
    let answers = answers.join(", ");
    format!(
        "Your questions have been answered: {answers}. You can now continue with these answers in mind."
    )
}

/// What Claude Code tells the model around answers that are not all options.
pub(crate) fn said(answers: &str) -> String {
    format!(
        "The user answered: {answers}. Read the answers carefully — they may request clarification, \
         changes, or that you not proceed — and follow what they actually say."
    )
}
