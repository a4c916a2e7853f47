//! The configuration.

use handraise_client::Home;

use super::finding::Finding;
use crate::config::{Config, Notify};

pub(super) struct Look {
    /// Only where there is something to say.
    pub(super) finding: Option<Finding>,
    /// Whether Claude Code's questions go to the hub.
    pub(super) questions: bool,
    /// How a person is tapped on the shoulder.
    pub(super) notify: Notify,
}

pub(super) fn look(home: &Home) -> Look {
    match Config::read(home) {
        Ok(config) => {
            Look { finding: None, questions: config.claude.questions, notify: config.notify }
        }
        Err(failure) => {
            let finding = Finding::wrong("config", failure.to_string())
                .hint("correct it; until then hooks go by the defaults, and no hub starts");
            Look { finding: Some(finding), questions: true, notify: Notify::default() }
        }
    }
}
