//! Which of Panopticon's agents a session is.

use std::path::Path;

use crate::transcript::workspace_of;

/// More agents than anybody runs.
const MOST: usize = 10_000;

/// The agent that works in this directory. `agents` is where Panopticon keeps a directory for each.
pub(super) fn agent_in(agents: &Path, directory: &Path) -> Option<String> {
    let found = std::fs::read_dir(agents).into_iter().flatten().flatten().take(MOST);
    let mut names = found.filter_map(|entry| entry.file_name().into_string().ok());
    names.find(|name| workspace_of(agents, name).is_some_and(|found| found == directory))
}
