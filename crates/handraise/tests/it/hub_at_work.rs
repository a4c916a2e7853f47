//! A hub of the built binary, with a home of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use handraise_broker::{Asker, Matter, NewAsk, Policy, Power};
use handraise_client::{Home, RemoteHub};
use handraise_question::Surface;
use serde_json::Value;
use tempfile::TempDir;

/// A running hub. It is killed when this is dropped.
pub(crate) struct HubAtWork {
    child: Child,
    directory: TempDir,
}

impl HubAtWork {
    pub(crate) fn start() -> Self {
        Self::with_config("")
    }

    pub(crate) fn with_config(config: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("config.toml"), config).unwrap();
        Self { child: serve(directory.path()), directory }
    }

    pub(crate) fn home(&self) -> Home {
        Home::new(self.directory.path())
    }

    /// The command-line option that names this hub's home.
    pub(crate) fn data(&self) -> String {
        self.directory.path().display().to_string()
    }

    pub(crate) fn agent(&self) -> RemoteHub {
        RemoteHub::new(self.home(), Power::Agent, Surface::Api)
    }

    pub(crate) fn person(&self) -> RemoteHub {
        RemoteHub::new(self.home(), Power::Person, Surface::Api)
    }

    /// Runs a command against this hub.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_handraise"));
        let command = command.env_clear().env("HANDRAISE_HOME", self.directory.path()).args(args);
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// What a command prints as JSON.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let output = self.run(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args:?}: {said}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

impl Drop for HubAtWork {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a hub and waits until it says that it is up.
fn serve(home: &Path) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_handraise"))
        .env_clear()
        .env("USER", "ann")
        .args(["serve", "--json", "--listen", "127.0.0.1:0", "--data"])
        .arg(home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let up: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(up["pid"], child.id());
    child
}

/// The questions of `ask`, as an agent asks them.
pub(crate) fn new_ask(ask: &Value) -> NewAsk {
    let questions = serde_json::value::to_raw_value(&ask["questions"]).unwrap();
    NewAsk {
        asker: Asker { agent: "tester".into(), ..Asker::default() },
        key: None,
        matter: Matter::questions(questions).unwrap(),
        policy: Policy::default(),
        deliverer: None,
    }
}
