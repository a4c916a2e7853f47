//! `handraise chat`, in tmux, with the agent's side played over the API.

use std::sync::Arc;

use handraise_broker::{
    Asker, Hub, Matter, Message, MessageKind, MessageState, NewAsk, NewSession, Progress, Record,
    Reply, Saying, Session, SessionState, Sessions, Streamed, ToolCall,
};
use handraise_question::AnswerForm;
use handraise_testkit::{Tmux, approval, questions};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::hub_at_work::HubAtWork;

const AGENT: &str = "claude-code";
const AGENTS_NAME: &str = "5e55-10n";

/// A session whose agent is the test, and somebody who may attend it.
struct Scene {
    hub: HubAtWork,
    session: Arc<Session>,
    tmux: Tmux,
    runtime: tokio::runtime::Runtime,
    _directory: TempDir,
}

impl Scene {
    /// A session that was opened, and a shell; nobody attends yet.
    fn prepared(size: (u16, u16)) -> Self {
        let hub = HubAtWork::start();
        let directory = tempfile::tempdir().unwrap();
        let tmux = Tmux::start(directory.path(), size);
        tmux.type_line(&format!(
            "export HANDRAISE_HOME={}; alias handraise={}; clear",
            hub.data(),
            env!("CARGO_BIN_EXE_handraise")
        ));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let new = NewSession {
            agent: AGENT.into(),
            directory: "/home/ann/api".into(),
            host: None,
            title: None,
            runner: None,
            command: vec![],
        };
        let session = runtime.block_on(hub.agent().open_session(new, None)).unwrap();
        let scene = Self { hub, session, tmux, runtime, _directory: directory };
        scene.progress(Progress { agent_session: Some(AGENTS_NAME.into()), ..idle() });
        scene
    }

    /// Somebody attends.
    fn start() -> Self {
        Self::with("handraise chat", (80, 24))
    }

    fn with(command: &str, size: (u16, u16)) -> Self {
        let scene = Self::prepared(size);
        scene.attend(command);
        scene
    }

    fn attend(&self, command: &str) {
        self.tmux.type_line(&format!("clear; {command}; echo code=$?"));
        self.tmux.wait_for("idle");
    }

    fn progress(&self, progress: Progress) {
        self.runtime.block_on(self.hub.agent().progress(self.session.id, progress)).unwrap();
    }

    fn says(&self, saying: Saying) {
        self.progress(Progress { messages: vec![saying], ..Progress::default() });
    }

    fn streams(&self, key: &str, offset: usize, text: &str) {
        let streamed = Streamed { key: key.into(), offset: offset as u64, text: text.into() };
        self.runtime.block_on(self.hub.agent().stream(self.session.id, streamed)).unwrap();
    }

    fn messages(&self) -> Vec<Message> {
        self.runtime.block_on(self.hub.person().messages(self.session.id, 0, 500)).unwrap()
    }

    /// Waits for the person's words at the hub.
    fn stored(&self, text: &str) -> Message {
        self.tmux.wait_until(&format!("{text:?} at the hub"), |_| {
            self.messages().iter().any(|message| message.text == text)
        });
        let mut found: Vec<_> = self.messages();
        found.retain(|message| message.text == text);
        assert_eq!(found.len(), 1, "said once");
        found.remove(0)
    }

    /// The agent takes the person's words.
    fn delivered(&self, message: &Message) {
        let key = message.key.clone();
        let (kind, state) = (MessageKind::User, Some(MessageState::Delivered));
        self.says(Saying { key, kind, text: String::new(), state, tool: None, ask: None });
    }

    fn asks(&self, matter: Matter) -> Arc<Record> {
        let asker = Asker {
            agent: AGENT.into(),
            session: Some(AGENTS_NAME.into()),
            ..Asker::default()
        };
        let new = NewAsk { asker, matter, ..handraise_testkit::new_ask(None) };
        self.runtime.block_on(self.hub.agent().ask(new)).unwrap().record
    }

    fn resolution(&self, ask: &Record) -> Value {
        self.tmux.wait_until("a resolution", |_| !self.get(ask).is_open());
        self.get(ask).resolved().unwrap().resolution.clone()
    }

    fn get(&self, ask: &Record) -> Arc<Record> {
        self.runtime.block_on(self.hub.person().get(ask.id)).unwrap()
    }

    fn session(&self) -> Arc<Session> {
        self.runtime.block_on(self.hub.person().session(self.session.id)).unwrap()
    }
}

fn idle() -> Progress {
    Progress { state: Some(SessionState::Idle), ..Progress::default() }
}

fn working() -> Progress {
    Progress { state: Some(SessionState::Working), ..Progress::default() }
}

fn assistant(key: &str, text: &str) -> Saying {
    let (key, text) = (key.into(), text.into());
    Saying { key, kind: MessageKind::Assistant, text, state: None, tool: None, ask: None }
}

fn tool(key: &str, state: MessageState, result: Option<&str>) -> Saying {
    let result = result.map(str::to_owned);
    let tool = ToolCall { name: "Bash".into(), input: "ls -la".into(), result };
    let (kind, state) = (MessageKind::Tool, Some(state));
    Saying { key: key.into(), kind, text: String::new(), state, tool: Some(tool), ask: None }
}

fn database() -> Matter {
    questions(&json!([handraise_testkit::database_question()]).to_string())
}

#[test]
fn look() {
    let scene = Scene::prepared((80, 24));
    scene.says(assistant("a", "Hello.\n\nI am here."));
    scene.says(tool("t", MessageState::Done, Some("total 8\nmore")));
    scene.attend("handraise chat");
    eprintln!("{}\n=======", scene.tmux.screen());
    scene.tmux.type_line("please list");
    let said = scene.stored("please list");
    scene.tmux.wait_for("queued: please list");
    eprintln!("{}\n=======", scene.tmux.screen());
    scene.delivered(&said);
    scene.progress(working());
    scene.streams("b", 0, "First line.\nSecond li");
    scene.tmux.wait_for("Second li");
    eprintln!("{}\n=======", scene.tmux.screen());
    scene.streams("b", 21, "ne is done\nthi");
    scene.says(assistant("b", "First line.\nSecond line is done\nthird."));
    scene.tmux.wait_for("third.");
    scene.says(tool("u", MessageState::Running, None));
    scene.tmux.wait_for("working");
    scene.says(tool("u", MessageState::Failed, Some("no")));
    scene.tmux.type_text("half a");
    let ask = scene.asks(database());
    scene.tmux.wait_for("╰");
    eprintln!("{}\n=======", scene.tmux.screen());
    scene.tmux.press(&["Down", "Enter"]);
    eprintln!("{}", scene.resolution(&ask));
    scene.tmux.wait_for("half a");
    eprintln!("{}\n=======", scene.tmux.screen());
    let ask = scene.asks(approval(&json!({"tool": "Bash", "input": {"command": "rm -r x"}, "suggestions": [{"a": 1}]}).to_string()));
    scene.tmux.wait_for("╰");
    eprintln!("{}\n=======", scene.tmux.screen());
    scene.tmux.press(&["1"]);
    eprintln!("{}", scene.resolution(&ask));
    scene.tmux.wait_for("half a");
    eprintln!("{}\n=======", scene.tmux.screen());
    scene.tmux.press(&["C-c", "C-c"]);
    scene.tmux.wait_for("code=0");
    eprintln!("{}\n=======", scene.tmux.screen());
}
