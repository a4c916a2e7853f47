//! Who runs.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::outside;
use crate::hook::Process;
use crate::transcript::{Places, Running};

/// A session, and the process it runs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Session {
    pub(super) process: Process,
    pub(super) id: String,
    pub(super) cwd: Option<PathBuf>,
    /// When its process began: what is older was asked by another.
    pub(super) since: Option<Timestamp>,
    /// Where it is known to write.
    pub(super) transcript: Option<PathBuf>,
    /// Whether somebody looks after its questions already.
    pub(super) has_owner: bool,
}

/// Every session that runs, of those that work in `workspace`, if that matters.
pub(super) fn running(places: &Places, workspace: Option<&Path>) -> Vec<Session> {
    let told = places.running();
    let mut found: Vec<_> = told.iter().filter_map(Session::told).collect();
    let lone = lone(places, &told, &found);
    found.extend(lone);
    found.retain(|session| workspace.is_none_or(|workspace| session.works_in(workspace)));
    found
}

impl Session {
    /// What a process told of itself, if it is still that process.
    fn told(running: &Running) -> Option<Self> {
        let process = Process::with(running.pid);
        let same = running.process_start.as_deref().is_none_or(|start| process.began_at(start));
        (process.lives() && same).then(|| Self {
            has_owner: outside::has_owner(running.pid),
            since: running.since.or_else(|| process.since()),
            process,
            id: running.session.clone(),
            cwd: running.cwd.clone(),
            transcript: None,
        })
    }

    fn works_in(&self, workspace: &Path) -> bool {
        self.cwd.as_deref().is_some_and(|cwd| cwd.starts_with(workspace))
    }
}

/// Sessions of versions that tell nothing of themselves: a process that works where a transcript was
/// begun, if it is the only such process there.
fn lone(places: &Places, told: &[Running], found: &[Session]) -> Vec<Session> {
    let mut silent = outside::claudes();
    silent.retain(|(pid, _)| told.iter().all(|running| running.pid != *pid));
    let alone = |cwd: &Path| silent.iter().filter(|(_, other)| other == cwd).count() == 1;
    let known = |id: &str| found.iter().any(|session| session.id == id);
    let sessions = silent.iter().filter(|(_, cwd)| alone(cwd)).filter_map(|(pid, cwd)| {
        let newest = places.transcripts_of(cwd).into_iter().find(|file| !known(&file.session))?;
        Some(Session {
            since: Process::with(*pid).since(),
            process: Process::with(*pid),
            id: newest.session,
            cwd: Some(cwd.clone()),
            transcript: Some(newest.path),
            has_owner: outside::has_owner(*pid),
        })
    });
    sessions.collect()
}
