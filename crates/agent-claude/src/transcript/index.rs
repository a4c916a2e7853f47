//! The list of sessions that some versions of Claude Code keep beside them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use serde_json::value::RawValue;

use super::opened;
use super::picked::{each, pick};
use crate::stream::fields::text;

/// A list longer than this is no list of sessions.
const LONGEST: u64 = 16 * 1024 * 1024;

/// What the list of a directory says of files that are there: when each was last written to. It is a
/// help and no authority: it may be old, or anybody's. So a file that is not in the directory does not
/// count.
pub(super) fn modified(directory: &Path) -> HashMap<PathBuf, SystemTime> {
    let mut found = HashMap::new();
    let Some(bytes) = opened::beginning(&directory.join("sessions-index.json"), LONGEST) else {
        return found;
    };
    let entries = str::from_utf8(&bytes).ok().and_then(|json| pick(json, ["entries"]));
    let Some([Some(entries)]) = entries else { return found };
    each(entries.get(), |entry| {
        if let Some((path, modified)) = entry_of(directory, entry) {
            found.insert(path, modified);
        }
    });
    found
}

fn entry_of(directory: &Path, entry: &RawValue) -> Option<(PathBuf, SystemTime)> {
    let [session, path, modified] = pick(entry.get(), ["sessionId", "fullPath", "modified"])?;
    let modified: Timestamp = modified.and_then(text)?.parse().ok()?;
    let path = path.and_then(text).map(PathBuf::from);
    // A home that was moved has its old name in the list.
    let name = match path.as_deref().and_then(Path::file_name) {
        Some(name) => PathBuf::from(name),
        None => PathBuf::from(format!("{}.jsonl", session.and_then(text)?)).file_name()?.into(),
    };
    Some((directory.join(name), modified.into()))
}
