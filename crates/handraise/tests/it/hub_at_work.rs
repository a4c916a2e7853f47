//! A hub of the built binary that belongs to ann.

use std::path::Path;

use handraise_broker::{NewAsk, Power};
use handraise_client::RemoteHub;
use handraise_testkit::{HubProcess, questions};
use serde_json::Value;

/// A running hub. It is killed when this is dropped.
pub(crate) struct HubAtWork(HubProcess);

impl HubAtWork {
    pub(crate) fn start() -> Self {
        Self::with_config("")
    }

    pub(crate) fn with_config(config: &str) -> Self {
        let mut hub = HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise")));
        hub.home().create().unwrap();
        std::fs::write(hub.home().config(), format!("person = \"ann\"\n{config}")).unwrap();
        hub.restart();
        Self(hub)
    }

    /// Its home.
    pub(crate) fn data(&self) -> String {
        self.0.home().directory().display().to_string()
    }

    pub(crate) fn agent(&self) -> RemoteHub {
        self.0.client(Power::Agent)
    }

    pub(crate) fn person(&self) -> RemoteHub {
        self.0.client(Power::Person)
    }

    /// What a command prints as JSON.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let output = self.0.command().args(args).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args:?}: {said}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// The questions of `ask`, as an agent asks them.
pub(crate) fn new_ask(ask: &Value) -> NewAsk {
    NewAsk { matter: questions(&ask["questions"].to_string()), ..handraise_testkit::new_ask(None) }
}
