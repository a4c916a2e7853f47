//! What Claude Code says of the sessions that run.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::opened;
use super::picked::pick;
use crate::stream::fields::text;

/// One session, as its process told. Claude Code does not promise this file: it is a help, and it stays
/// behind when a process is killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// The process.
    pub pid: u32,
    /// The session.
    pub session: String,
    /// Where it works.
    pub cwd: Option<PathBuf>,
    /// The version of Claude Code.
    pub version: Option<String>,
    /// How it was started: `cli` at a terminal, `sdk-…` by a program.
    pub entrypoint: Option<String>,
    /// What it does: `waiting`, `idle`, `busy`.
    pub status: Option<String>,
    /// What it waits for: `input needed` when a question is open, `permission prompt` for an approval.
    pub waiting_for: Option<String>,
    /// When the process was started, in the kernel's own number: tells it from a later one.
    pub process_start: Option<String>,
    /// When the process says it began.
    pub since: Option<Timestamp>,
    /// The name a person gave it, not one that was made up.
    pub name: Option<String>,
}

/// More than a process has to say.
const LONGEST: u64 = 64 * 1024;

impl Running {
    /// What the file `<pid>.json` says; nothing when it says nothing, or cannot be read.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.strip_suffix(".json")?;
        let pid = name.parse().ok().filter(|pid: &u32| pid.to_string() == name)?;
        let bytes = opened::beginning(path, LONGEST)?;
        let fields = [
            "sessionId",
            "cwd",
            "version",
            "entrypoint",
            "status",
            "waitingFor",
            "name",
            "nameSource",
            "procStart",
        ];
        let json = str::from_utf8(&bytes).ok()?;
        let [session, cwd, version, entrypoint, status, waiting_for, name, source, process_start] =
            pick(json, fields)?.map(|raw| raw.and_then(text));
        let [since] = pick(json, ["startedAt"])?;
        let since = since.and_then(|raw| raw.get().parse().ok());
        let given = source.as_deref() != Some("derived");
        Some(Self {
            pid,
            session: session?,
            cwd: cwd.map(PathBuf::from),
            version,
            entrypoint,
            status,
            waiting_for,
            process_start,
            since: since.and_then(|since| Timestamp::from_millisecond(since).ok()),
            name: name.filter(|name| given && !name.is_empty()),
        })
    }
}
