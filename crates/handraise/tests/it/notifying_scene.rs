//! A hub whose person has a desktop.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::{AskId, Asker, Hub, Look, NewAsk, Policy, Power, Record};
use handraise_testkit::{Desktop, HubProcess, PATIENCE, answers, questions};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A hub, its person's desktop, and agents that ask.
pub(crate) struct Scene {
    pub(crate) desktop: Desktop,
    pub(crate) hub: HubProcess,
    runtime: Runtime,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self::with(Desktop::start(), "")
    }

    pub(crate) fn with(desktop: Desktop, config: &str) -> Self {
        let mut hub = prepared(config);
        hub.set_variable("DBUS_SESSION_BUS_ADDRESS", desktop.bus());
        hub.restart();
        Self { desktop, hub, runtime: Runtime::new().unwrap() }
    }

    /// A hub on a machine without a desktop.
    pub(crate) fn hub_alone(config: &str) -> (HubProcess, Runtime) {
        let mut hub = prepared(config);
        hub.restart();
        (hub, Runtime::new().unwrap())
    }

    /// An agent in `/dev/<project>` asks this.
    pub(crate) fn ask(&self, project: &str, question: &str) -> AskId {
        self.ask_all(project, &[question], Policy::default())
    }

    pub(crate) fn ask_all(&self, project: &str, all: &[&str], policy: Policy) -> AskId {
        let new = NewAsk { policy, ..new_ask(project, all) };
        ask(&self.hub, &self.runtime, new).id
    }

    /// A person answers, elsewhere.
    pub(crate) fn answer(&self, ask: AskId) {
        answer(&self.hub, &self.runtime, ask);
    }

    /// A surface says that somebody looks, at one ask or at all.
    pub(crate) fn look(&self, ask: Option<AskId>, seconds: u64) {
        let look = Look { view: "test".into(), ask, seconds };
        self.runtime.block_on(self.hub.client(Power::Person).look(look)).unwrap();
    }

    /// Kills the hub once it has noted what is on the desktop: in the moment before, only the daemon
    /// knows by which number it goes.
    pub(crate) fn kill_hub(&mut self, count: usize) {
        self.wait_noted(|notes| {
            let shown = notes["shown"].as_array().cloned().unwrap_or_default();
            shown.iter().filter(|note| note[1].is_u64()).count() == count
        });
        self.hub.kill();
    }

    /// Waits until the hub has noted this of the desktop.
    pub(crate) fn wait_noted(&self, holds: impl Fn(&Value) -> bool) {
        let file = self.hub.home().directory().join("desktop-notifications.json");
        let start = Instant::now();
        loop {
            let text = fs::read(&file).unwrap_or_default();
            let notes: Value = serde_json::from_slice(&text).unwrap_or_default();
            if holds(&notes) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{notes}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Does something at the hub, as agents or as a person.
    pub(crate) fn at_hub<T>(&self, power: Power, what: impl AsyncFnOnce(&dyn Hub) -> T) -> T {
        let hub = self.hub.client(power);
        self.runtime.block_on(what(&hub))
    }
}

fn prepared(config: &str) -> HubProcess {
    let hub = HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise")));
    hub.home().create().unwrap();
    fs::write(hub.home().config(), config).unwrap();
    hub
}

pub(crate) fn new_ask(project: &str, all: &[&str]) -> NewAsk {
    let question = |text: &&str| {
        json!({"question": text, "header": "Auth", "multiSelect": false,
            "options": [{"label": "JWT"}, {"label": "Sessions"}]})
    };
    let asker = Asker {
        agent: "claude-code".into(),
        session: Some(format!("session of {project}")),
        directory: Some(format!("/dev/{project}")),
        title: Some("Rework the login".into()),
        ..Asker::default()
    };
    let all: Vec<Value> = all.iter().map(question).collect();
    let matter = questions(&json!(all).to_string());
    // As hooks ask: the agent shows its own dialog meanwhile.
    NewAsk { asker, matter, rival_dialog: true, ..handraise_testkit::new_ask(None) }
}

pub(crate) fn ask(hub: &HubProcess, runtime: &Runtime, new: NewAsk) -> Arc<Record> {
    runtime.block_on(hub.client(Power::Agent).ask(new)).unwrap().record
}

pub(crate) fn answer(hub: &HubProcess, runtime: &Runtime, ask: AskId) {
    let jwt = answers(json!([{"selected": ["JWT"]}]));
    runtime.block_on(hub.client(Power::Person).reply(ask, jwt, None)).unwrap();
}

/// A program that notes what it is told, one line for each time.
pub(crate) fn notes(directory: &Path) -> (PathBuf, PathBuf) {
    let (program, file) = (directory.join("note"), directory.join("notes"));
    fs::write(&program, format!("#!/bin/sh\ncat >> {}\n", file.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (program, file)
}

pub(crate) fn wait_lines(file: &Path, count: usize) -> Vec<Value> {
    let start = Instant::now();
    loop {
        let text = fs::read_to_string(file).unwrap_or_default();
        let lines: Vec<_> =
            text.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
        if lines.len() >= count {
            return lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        }
        assert!(start.elapsed() < PATIENCE, "no {count} lines: {text}");
        thread::sleep(Duration::from_millis(10));
    }
}
