//! What a watch has asked, for the next one: it may be killed at any moment.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use handraise_broker::AskId;
use serde::{Deserialize, Serialize};

use crate::hook::{Process, hash};

/// A small file for each call that this or an earlier watch has asked about and not seen the end of.
#[derive(Debug)]
pub(super) struct Notes(PathBuf);

/// What is remembered of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    /// The ask, once the hub has said which it is: a note is written before the hub is asked, or an ask whose
    /// watch is killed in between would stay open.
    #[serde(default)]
    pub(super) ask: Option<AskId>,
    /// The session.
    pub(super) session: String,
    /// The call.
    pub(super) call: String,
    /// The process that waits for it.
    pub(super) process: Process,
    /// Where the session writes down what comes of it.
    pub(super) transcript: PathBuf,
}

/// More than a note has to say.
const LONGEST: u64 = 64 * 1024;

impl Notes {
    /// The notes in a hub's home.
    pub(super) fn new(home: &Path) -> Self {
        Self(home.join("agents/claude-code-watch"))
    }

    /// Every note there is, and where it is.
    pub(super) fn all(&self) -> Vec<(PathBuf, Note)> {
        let files = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let read = |path: PathBuf| {
            let small = fs::metadata(&path).is_ok_and(|found| found.len() <= LONGEST);
            let bytes = small.then(|| fs::read(&path).ok()).flatten()?;
            Some((path, serde_json::from_slice(&bytes).ok()?))
        };
        files.map(|file| file.path()).filter_map(read).collect()
    }

    /// That of one call.
    pub(super) fn of(&self, session: &str, call: &str) -> Option<Note> {
        let is_its = |note: &Note| note.session == session && note.call == call;
        self.all().into_iter().map(|(_, note)| note).find(is_its)
    }

    /// Writes the note of a call. Only the watch after a killed one reads it: a failed write is reported, and
    /// does not stop the watch.
    pub(super) fn keep(&self, note: &Note) -> io::Result<()> {
        let json = serde_json::to_vec(note)?;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0)?;
        let path = self.path(&note.session, &note.call);
        let draft = path.with_extension("new");
        let mut options = fs::OpenOptions::new();
        let mut file = options.create(true).truncate(true).write(true).mode(0o600).open(&draft)?;
        file.write_all(&json)?;
        fs::rename(&draft, path)
    }

    /// Forgets a call that is done with.
    pub(super) fn forget(&self, session: &str, call: &str) {
        remove(&self.path(session, call));
    }

    fn path(&self, session: &str, call: &str) -> PathBuf {
        let name = hash(format!("{session}/{call}").as_bytes());
        self.0.join(format!("{name}.json"))
    }
}

/// Removes a note. One that stays is settled once more by the next watch, which changes nothing.
pub(super) fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn note() -> Note {
        Note {
            ask: None,
            session: "s".into(),
            call: "toolu_1".into(),
            process: Process::with(1),
            transcript: "/t.jsonl".into(),
        }
    }

    #[test]
    fn what_is_kept_is_there_until_it_is_forgotten() {
        let home = tempfile::tempdir().unwrap();
        let notes = Notes::new(home.path());
        let asked = Note { ask: Some(AskId::new(Timestamp::UNIX_EPOCH, [1; 10])), ..note() };
        for kept in [note(), asked] {
            notes.keep(&kept).unwrap();
            assert_eq!(notes.of("s", "toolu_1"), Some(kept));
            assert_eq!(notes.all().len(), 1);
        }
        assert_eq!(notes.of("s", "toolu_2"), None);
        notes.forget("s", "toolu_1");
        assert_eq!(notes.all(), []);
    }

    #[test]
    fn what_cannot_be_kept_is_an_error() {
        let home = tempfile::tempdir().unwrap();
        // Root writes into any directory, but in none where a file stands.
        fs::write(home.path().join("agents"), "").unwrap();
        let error = Notes::new(home.path()).keep(&note()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
    }
}
