//! Claude Code under `handraise run`: the real program, a real hub, and a model that plays scripts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::{
    Message, MessageKind, Power, Session, SessionId, SessionQuery, SessionState, Sessions,
};
use handraise_testkit::{Block, ClaudeHome, PATIENCE, Program};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::claude_scene::Scene;

/// A hub, a model, and one session that is run.
pub(crate) struct RunScene {
    pub(crate) scene: Scene,
    pub(crate) program: Option<Program>,
    pub(crate) project: PathBuf,
    runtime: Runtime,
}

impl RunScene {
    /// Runs Claude Code with these options of `handraise run`.
    pub(crate) fn new(options: &[&str]) -> Self {
        Self::with_config("", options)
    }

    pub(crate) fn with_config(config: &str, options: &[&str]) -> Self {
        let claude = ClaudeHome::program().display().to_string();
        let mut scene = Self::without_run(config);
        scene.run(options, &[&claude]);
        scene.wait_state(&[SessionState::Idle]);
        scene
    }

    pub(crate) fn without_run(config: &str) -> Self {
        let scene = Scene::with_config(config);
        let project = scene.claude.project("shop");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { scene, program: None, project, runtime }
    }

    /// Starts `handraise run` with this program.
    pub(crate) fn run(&mut self, options: &[&str], command: &[&str]) {
        let mut line = self.scene.hub.command();
        line.env_clear().envs(self.scene.claude.environment()).current_dir(&self.project);
        line.arg("run").args(options).arg("--").args(command);
        self.program = Some(Program::spawn(&mut line, ""));
    }

    /// As if the person had started it where Claude Code works.
    pub(crate) fn restart_hub_with_the_environment_of_claude_code(&mut self) {
        for (name, value) in self.scene.claude.environment() {
            self.scene.hub.set_variable(&name, &value);
        }
        self.scene.hub.restart();
    }

    pub(crate) fn session(&self) -> Arc<Session> {
        self.maybe_session().unwrap()
    }

    fn maybe_session(&self) -> Option<Arc<Session>> {
        self.sessions().into_iter().next()
    }

    /// The newest session, if there is any.
    pub(crate) fn sessions(&self) -> Vec<Arc<Session>> {
        let query = SessionQuery { limit: 1, ..SessionQuery::default() };
        let client = self.scene.hub.client(Power::Person);
        self.runtime.block_on(client.sessions(query)).unwrap()
    }

    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    fn id(&self) -> SessionId {
        self.session().id
    }

    /// Says something to the agent, as a person.
    pub(crate) fn say(&self, text: &str) -> Message {
        let client = self.scene.hub.client(Power::Person);
        self.runtime.block_on(client.say(self.id(), text.into(), None)).unwrap()
    }

    /// Has the model play a script.
    pub(crate) fn play(&self, name: &str, turns: Vec<Vec<Block>>) {
        self.scene.model.script(name, turns);
        self.say(&format!("SCRIPT:{name} TAG:{name}"));
    }

    /// Has the model ask.
    pub(crate) fn ask(&self, name: &str, questions: &[Value]) {
        let turn = vec![Block::text(format!("About {name}.")), Block::ask(&json!(questions))];
        self.play(name, vec![turn]);
    }

    pub(crate) fn interrupt(&self) {
        let client = self.scene.hub.client(Power::Person);
        self.runtime.block_on(client.interrupt(self.id(), None)).unwrap();
    }

    pub(crate) fn end(&self) {
        let client = self.scene.hub.client(Power::Person);
        self.runtime.block_on(client.end_session(self.id())).unwrap();
    }

    /// Everything that was said so far.
    pub(crate) fn messages(&self) -> Vec<Message> {
        let client = self.scene.hub.client(Power::Person);
        let Some(session) = self.maybe_session() else { return vec![] };
        self.runtime.block_on(client.messages(session.id, 0, 500)).unwrap()
    }

    pub(crate) fn wait_state(&self, states: &[SessionState]) -> Arc<Session> {
        self.wait(&format!("{states:?}"), || {
            self.maybe_session().filter(|session| states.contains(&session.state))
        })
    }

    /// Waits for a message like this.
    pub(crate) fn wait_message(&self, what: &str, holds: impl Fn(&Message) -> bool) -> Message {
        self.wait(what, || self.messages().into_iter().find(&holds))
    }

    /// Waits until this was said by the agent.
    pub(crate) fn wait_words(&self, text: &str) -> Message {
        self.wait_message(text, |message| {
            message.kind == MessageKind::Assistant && message.text.contains(text)
        })
    }

    pub(crate) fn wait<T>(&self, what: &str, look: impl Fn() -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "no {what}; the session: {:#?}\nmessages: {:#?}\nasks: {:#?}\nrun said: {}\nhub said: {}",
                self.maybe_session(),
                self.messages(),
                self.scene.history(),
                self.program.as_ref().map(Program::stderr).unwrap_or_default(),
                self.scene.hub.said(),
            );
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// The process of Claude Code itself.
    pub(crate) fn claude_pid(&self) -> u32 {
        let run = self.program.as_ref().unwrap().pid();
        self.wait("process of Claude Code", || children(run).into_iter().next())
    }
}

/// The processes a process has started.
pub(crate) fn children(of: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| parent(*pid) == Some(of)).collect()
}

fn parent(pid: u32) -> Option<u32> {
    let stat =
        std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

/// Whether a process runs: one that only waits for somebody to take notice of its end does not.
pub(crate) fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}
