//! What settings were before we changed them, kept in the hub's home.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use handraise_client::Home;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::file::SettingsFile;
use crate::failure::Failure;

/// The record of one settings file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    path: PathBuf,
    /// Its text before, without what we wrote; `None` if it was not there.
    pub(super) before: Option<String>,
    /// The directories that were made for it, the innermost first.
    pub(super) directories: Vec<PathBuf>,
    /// What the hooks run.
    pub(crate) command: String,
    /// The hash of what was written.
    written: String,
}

impl Record {
    pub(super) fn new(
        path: &Path,
        before: Option<String>,
        directories: Vec<PathBuf>,
        command: &str,
        written: &str,
    ) -> Self {
        let written = hash(written.as_bytes());
        Self { path: path.to_owned(), before, directories, command: command.to_owned(), written }
    }

    /// The record of the settings that are really at `path`. One that cannot be read is none: then
    /// our hooks are found by what they run.
    pub(crate) fn of(home: &Home, path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(place(home, path)).ok()?).ok()
    }

    /// Lets nobody else write settings while the returned file is kept, and refuses if somebody has done
    /// so since `record` was read: their record must not be lost.
    pub(super) fn lock(
        home: &Home,
        settings: &SettingsFile,
        record: Option<&Self>,
    ) -> Result<File, Failure> {
        let file = home.directory().join("connect.lock");
        let locked = open_locked(&file).map_err(|error| Failure::unwritable(&file, error))?;
        if Self::of(home, settings.target()).as_ref() != record {
            return Err(settings.changed());
        }
        Ok(locked)
    }

    /// Whether `text` is what was written when this record was made.
    pub(crate) fn wrote(&self, text: &str) -> bool {
        self.written == hash(text.as_bytes())
    }

    /// Keeps it, for its owner's eyes only: settings hold keys.
    pub(super) fn keep(&self, home: &Home) -> Result<(), Failure> {
        let file = place(home, &self.path);
        self.write(&file).map_err(|error| Failure::unwritable(&file, error))
    }

    fn write(&self, file: &Path) -> io::Result<()> {
        let directory = file.parent().unwrap_or(file);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let mut draft = tempfile::NamedTempFile::new_in(directory)?;
        draft.write_all(&serde_json::to_vec(self)?)?;
        draft.as_file().sync_all()?;
        draft.persist(file)?;
        Ok(())
    }

    /// Drops the record of the settings that are really at `path`, if there is one.
    pub(super) fn forget(home: &Home, path: &Path) -> Result<(), Failure> {
        let file = place(home, path);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Failure::unwritable(&file, error))
            }
            _ => Ok(()),
        }
    }
}

fn open_locked(file: &Path) -> io::Result<File> {
    let directory = file.parent().unwrap_or(file);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let file = File::options().create(true).truncate(false).write(true).mode(0o600).open(file)?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)?;
    Ok(file)
}

fn place(home: &Home, path: &Path) -> PathBuf {
    let name = format!("{}.json", hash(path.as_os_str().as_bytes()));
    home.directory().join("connected").join(name)
}

fn hash(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}
