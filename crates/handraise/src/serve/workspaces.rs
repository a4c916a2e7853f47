//! Where the agents of Panopticon work.

use std::path::PathBuf;

use handraise_agent_claude::transcript;
use handraise_server::Workspaces;

use crate::environment;

/// Looks it up in Panopticon's own records.
#[derive(Debug)]
pub(super) struct Panopticon;

impl Workspaces for Panopticon {
    fn workspace_of(&self, agent: &str) -> Option<PathBuf> {
        transcript::workspace_of(&environment::panopticon_agents()?, agent)
    }
}
