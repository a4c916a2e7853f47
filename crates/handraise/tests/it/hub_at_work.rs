//! A hub of the built binary that belongs to ann.

use std::path::Path;

use handraise_broker::{NewAsk, Power};
use handraise_client::RemoteHub;
use handraise_testkit::{Browser, HubProcess, questions};
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

    /// The process.
    pub(crate) fn process(&self) -> &HubProcess {
        &self.0
    }

    /// The process, to be started and stopped by hand.
    pub(crate) fn process_mut(&mut self) -> &mut HubProcess {
        &mut self.0
    }

    /// Ends it without any warning.
    pub(crate) fn kill(&mut self) {
        self.0.kill();
    }

    /// Starts it again, and waits until it is up.
    pub(crate) fn restart(&mut self) {
        self.0.restart();
    }

    /// Somebody in front of its page.
    pub(crate) fn browser(&self) -> Browser {
        Browser::at(&self.0)
    }

    pub(crate) fn agent(&self) -> RemoteHub {
        self.0.client(Power::Agent)
    }

    pub(crate) fn person(&self) -> RemoteHub {
        self.0.client(Power::Person)
    }
}

/// The questions of `ask`, as an agent asks them.
pub(crate) fn new_ask(ask: &Value) -> NewAsk {
    NewAsk { matter: questions(&ask["questions"].to_string()), ..handraise_testkit::new_ask(None) }
}
