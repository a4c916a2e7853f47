//! The port to whoever knows where the agents of other systems work.

use std::path::PathBuf;

/// Knows the directories of agents that another system runs and names.
pub trait Workspaces: std::fmt::Debug + Send + Sync {
    /// Where the agent of this name works; `None` when there is no such agent.
    fn workspace_of(&self, agent: &str) -> Option<PathBuf>;
}

/// Knows of no agents.
#[derive(Debug)]
pub struct NoWorkspaces;

impl Workspaces for NoWorkspaces {
    fn workspace_of(&self, _: &str) -> Option<PathBuf> {
        None
    }
}
