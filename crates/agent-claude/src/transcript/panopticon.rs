//! Agents that Panopticon runs: it names them, and knows where each works.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::opened;
use super::picked::pick;
use crate::stream::fields::text;

/// More than a record of an agent has to say.
const LONGEST: u64 = 1024 * 1024;

/// Where an agent works, by its record `<agents>/<id>/state.json`; `None` when there is none that says so.
#[must_use]
pub fn workspace_of(agents: &Path, id: &str) -> Option<PathBuf> {
    // A name names a directory there, and no other place.
    if Path::new(id).file_name() != Some(OsStr::new(id)) {
        return None;
    }
    let record = opened::beginning(&agents.join(id).join("state.json"), LONGEST)?;
    let [workspace] = pick(str::from_utf8(&record).ok()?, ["workspace"])?;
    workspace.and_then(text).map(PathBuf::from).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_works_where_its_record_says() {
        let agents = tempfile::tempdir().unwrap();
        let write = |id: &str, record: &str| {
            std::fs::create_dir_all(agents.path().join(id)).unwrap();
            std::fs::write(agents.path().join(id).join("state.json"), record).unwrap();
        };
        write("agent-pan-1", r#"{"id":"agent-pan-1","workspace":"/w/feature-pan-1"}"#);
        write("relative", r#"{"workspace":"w"}"#);
        write("other", r#"{"workspace":5}"#);
        let workspace = |id: &str| workspace_of(agents.path(), id);
        assert_eq!(workspace("agent-pan-1"), Some("/w/feature-pan-1".into()));
        for id in ["relative", "other", "none", "", "..", "../x", "./agent-pan-1", "/agent-pan-1"] {
            assert_eq!(workspace(id), None, "{id}");
        }
    }
}
