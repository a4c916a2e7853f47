//! What it takes to run a session again, in a file that only the owner of the home can read or write.
//!
//! It is not in the hub: whoever may tell how a session goes must not be able to say what is run.

use std::fs;
use std::io;
use std::path::PathBuf;

use handraise_broker::SessionId;
use handraise_client::Home;
use serde::{Deserialize, Serialize};

/// How a session is run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Again {
    /// Where.
    pub(crate) directory: PathBuf,
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
    /// Options of `handraise run`.
    pub(crate) options: Vec<String>,
    /// The environment; that of whoever runs it, when absent.
    pub(crate) environment: Option<Vec<(String, String)>>,
}

impl Again {
    /// Keeps it for the session.
    pub(crate) fn keep(&self, home: &Home, session: SessionId) -> io::Result<()> {
        let text = serde_json::to_string(self)?;
        home.keep_private(&name(session), text.as_bytes())
    }

    /// What was kept for the session.
    pub(crate) fn of(home: &Home, session: SessionId) -> Option<Self> {
        let text = fs::read(home.directory().join(name(session))).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// The session is over.
    pub(crate) fn forget(home: &Home, session: SessionId) {
        // That it was never kept is fine, too.
        let _ = fs::remove_file(home.directory().join(name(session)));
    }
}

fn name(session: SessionId) -> String {
    format!("run-{session}.json")
}
