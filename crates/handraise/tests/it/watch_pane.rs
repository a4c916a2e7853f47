//! The real Claude Code in a pane of real tmux, without hooks, and `handraise watch`.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::{AskId, Hub, Level, Power, Query, Record, Reply, State};
use handraise_testkit::{Block, ClaudeHome, ClaudeSession, HubProcess, PATIENCE, ScriptedModel};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A session that knows nothing of Handraise, a hub, and somebody who watches.
pub(crate) struct Watched {
    pub(crate) session: ClaudeSession,
    pub(crate) model: ScriptedModel,
    pub(crate) hub: HubProcess,
    watch: Child,
    /// What the watch says of itself.
    said: PathBuf,
    _claude: ClaudeHome,
    runtime: Runtime,
}

impl Watched {
    pub(crate) fn in_window(size: (u16, u16)) -> Self {
        let model = ScriptedModel::start();
        let claude = ClaudeHome::new(&model);
        let hub = HubProcess::start(std::path::Path::new(env!("CARGO_BIN_EXE_handraise")));
        let args = ["--permission-mode", "default"];
        let session = claude.session_of(&claude.project("shop"), &args, size);
        let mut watch = hub.command();
        watch.arg("watch").arg("--claude").arg(claude.config());
        let said = hub.home().directory().join("watch.log");
        let log = File::create(&said).unwrap();
        watch.stdin(Stdio::null()).stderr(log.try_clone().unwrap()).stdout(log);
        let watch = watch.spawn().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { session, model, hub, watch, said, _claude: claude, runtime }
    }

    /// Has the session ask, and waits until the hub knows.
    pub(crate) fn ask(&self, tag: &str, questions: &[Value]) -> Arc<Record> {
        self.play(tag, vec![vec![Block::text("Let me ask."), Block::ask(&json!(questions))]])
    }

    /// Has the session play turns, the first of which asks.
    pub(crate) fn play(&self, tag: &str, turns: Vec<Vec<Block>>) -> Arc<Record> {
        self.model.script(tag, turns);
        self.session.prompt(&format!("SCRIPT:{tag} TAG:{tag}"));
        self.wait("open ask", || self.open().into_iter().next())
    }

    pub(crate) fn open(&self) -> Vec<Arc<Record>> {
        let open = Query { states: vec![State::Open], limit: 100, ..Query::default() };
        self.runtime.block_on(self.hub.client(Power::Agent).list(open)).unwrap()
    }

    /// Says something to an ask, as a person does at any surface of the hub.
    pub(crate) fn reply(&self, id: AskId, reply: Reply) {
        self.runtime.block_on(self.hub.client(Power::Person).reply(id, reply, None)).unwrap();
    }

    pub(crate) fn answer(&self, id: AskId, answers: Value) {
        self.reply(id, Reply::Answer(serde_json::from_value(answers).unwrap()));
    }

    pub(crate) fn get(&self, id: AskId) -> Arc<Record> {
        self.runtime.block_on(self.hub.client(Power::Agent).get(id)).unwrap()
    }

    /// Waits until the hub knows what the model read.
    pub(crate) fn wait_seen(&self, id: AskId) -> Arc<Record> {
        self.wait("receipt of what was seen", || {
            let record = self.get(id);
            let seen = record.last_receipt().is_some_and(|receipt| receipt.level == Level::Seen);
            assert_ne!(record.state(), State::Undelivered, "{:?}", record.phase);
            seen.then_some(record)
        })
    }

    pub(crate) fn wait_state(&self, id: AskId, state: State) -> Arc<Record> {
        self.wait(state.name(), || Some(self.get(id)).filter(|record| record.state() == state))
    }

    pub(crate) fn wait<T>(&self, what: &str, look: impl Fn() -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            let screen = self.session.screen();
            let said = || fs::read_to_string(&self.said).unwrap_or_default();
            let patient = start.elapsed() < PATIENCE;
            assert!(patient, "no {what}; the screen:\n{screen}\nthe watch:\n{}", said());
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // If it has ended already, so much the better.
        let _ = self.watch.kill();
        let _ = self.watch.wait();
    }
}
