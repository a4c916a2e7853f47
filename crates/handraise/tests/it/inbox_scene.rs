//! A hub with agents that ask, and somebody in tmux who has the inbox before them.

use std::path::Path;
use std::sync::Arc;

use handraise_broker::{AskId, Asker, Hub, Matter, NewAsk, Policy, Record, Reply};
use handraise_question::AnswerForm;
use handraise_testkit::{Tmux, one_of, questions};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::hub_at_work::HubAtWork;

pub(crate) struct Scene {
    pub(crate) hub: HubAtWork,
    pub(crate) tmux: Tmux,
    pub(crate) runtime: tokio::runtime::Runtime,
    directory: TempDir,
}

impl Scene {
    pub(crate) fn new(size: (u16, u16)) -> Self {
        Self::with_config(size, "")
    }

    pub(crate) fn with_config(size: (u16, u16), config: &str) -> Self {
        let hub = HubAtWork::with_config(config);
        let directory = tempfile::tempdir().unwrap();
        let tmux = Tmux::start(directory.path(), size);
        tmux.type_line(&format!(
            "export HANDRAISE_HOME={}; unset DISPLAY WAYLAND_DISPLAY; alias handraise={}; clear",
            hub.data(),
            env!("CARGO_BIN_EXE_handraise")
        ));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { hub, tmux, runtime, directory }
    }

    /// Opens the inbox, and waits until it knows what waits.
    pub(crate) fn inbox(&self) {
        self.tmux.type_line("clear; echo before; handraise inbox; echo code=$?");
        self.tmux.wait_until("the inbox", |screen| {
            screen.contains(" Inbox ") && !screen.contains("looking for")
        });
    }

    pub(crate) fn asks(&self, agent: &str, matter: Matter) -> Arc<Record> {
        self.asks_with(agent, matter, Policy::default())
    }

    pub(crate) fn asks_with(&self, agent: &str, matter: Matter, policy: Policy) -> Arc<Record> {
        let asker = Asker {
            agent: agent.into(),
            directory: Some(format!("/home/ann/{agent}-project")),
            preamble: Some(format!("This is what {agent} wrote before.")),
            ..Asker::default()
        };
        // As hooks ask: the agent shows its own dialog meanwhile.
        let rival_dialog = true;
        let new =
            NewAsk { asker, matter, policy, rival_dialog, ..handraise_testkit::new_ask(None) };
        self.runtime.block_on(self.hub.agent().ask(new)).unwrap().record
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn get(&self, id: AskId) -> Arc<Record> {
        self.runtime.block_on(self.hub.person().get(id)).unwrap()
    }

    /// The person answers elsewhere.
    pub(crate) fn answer_elsewhere(&self, id: AskId, label: &str) {
        let form = AnswerForm { selected: vec![label.into()], ..AnswerForm::default() };
        let reply = Reply::Answer(vec![form]);
        self.runtime.block_on(self.hub.person().reply(id, reply, None)).unwrap();
    }

    /// Waits for the end of an ask.
    pub(crate) fn resolution(&self, id: AskId) -> Value {
        self.tmux.wait_until("a resolution", |_| !self.get(id).is_open());
        self.get(id).resolved().unwrap().resolution.clone()
    }

    /// Leaves, and waits for the shell.
    pub(crate) fn leave(&self) -> String {
        self.tmux.press(&["q"]);
        self.tmux.wait_for("code=0")
    }
}

/// Which way? One of two.
pub(crate) fn way(name: &str) -> Matter {
    let question = one_of(&format!("Which way for {name}?"), name, &["Left", "Right"]);
    questions(&json!([question]).to_string())
}

/// The line of the selected ask, and its row on the screen.
pub(crate) fn selected(screen: &str) -> Option<(usize, String)> {
    let line = screen.lines().enumerate().find(|(_, line)| line.starts_with("> "))?;
    Some((line.0, line.1.to_owned()))
}
