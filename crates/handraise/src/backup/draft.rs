//! A copy on its way, beside the place it is for.
//!
//! A process that is killed leaves it behind, and the next backup into the same directory removes it. So
//! that it removes nothing that somebody is still at work on, each has a file beside it that is locked for
//! as long as its process lives. The copy itself is not: SQLite has locks of its own on it, which are the
//! same ones on some systems.

use std::fs::{self, DirEntry, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use handraise_store_sqlite::belongings;
use tempfile::NamedTempFile;

use crate::half_done::HalfDone;

const BEGIN: &str = ".handraise-backup-";
const END: &str = ".db";
const LOCK: &str = ".lock";
/// What is in the file beside it.
const MARK: &str = "handraise: a backup is being written beside this file\n";
/// Others may clean up at the very moment in which one begins.
const TRIES: usize = 10;

/// A file for its owner's eyes only. It goes away unless it is put in its place.
pub(super) struct Draft {
    path: PathBuf,
    half_done: HalfDone,
    /// Held until this is dropped.
    _lock: NamedTempFile,
}

impl Draft {
    /// Begins one, and removes what others have left in the directory.
    pub(super) fn begin(directory: &Path) -> io::Result<Self> {
        clean_up(directory);
        for _ in 0..TRIES {
            let Some(lock) = locked(directory)? else { continue };
            let Some(path) = copy_of(lock.path()) else { continue };
            let mut files = belongings(&path).to_vec();
            files.push(lock.path().to_owned());
            let half_done = HalfDone::guard(files)?;
            OpenOptions::new().create_new(true).write(true).mode(0o600).open(&path)?;
            return Ok(Self { path, half_done, _lock: lock });
        }
        Err(ErrorKind::ResourceBusy.into())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts it in its place, on the disk.
    pub(super) fn put(self, to: &Path, force: bool) -> io::Result<()> {
        File::open(&self.path)?.sync_all()?;
        self.half_done.finish();
        if force {
            fs::rename(&self.path, to)?;
        } else {
            // Unlike a rename, this replaces nothing that came meanwhile.
            match fs::hard_link(&self.path, to) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
                // Not every disk has links.
                Err(_) => fs::rename(&self.path, to)?,
            }
        }
        File::open(to.parent().unwrap_or(Path::new("/")))?.sync_all()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// A new file that this process has locked; `None` when somebody else was faster.
fn locked(directory: &Path) -> io::Result<Option<NamedTempFile>> {
    let mut lock = tempfile::Builder::new();
    let lock = lock.prefix(BEGIN).suffix(LOCK).rand_bytes(10);
    let mut lock = lock.permissions(Permissions::from_mode(0o600)).tempfile_in(directory)?;
    if matches!(lock.as_file().try_lock(), Err(TryLockError::WouldBlock)) {
        return Ok(None);
    }
    let is_there = is_called(lock.as_file(), lock.path());
    lock.write_all(MARK.as_bytes())?;
    Ok(is_there.then_some(lock))
}

/// Removes what processes that are gone have left behind.
fn clean_up(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for lock in entries.flatten().filter_map(|entry| left_behind(&entry)) {
        let (path, _held) = lock;
        if let Some(copy) = copy_of(&path) {
            remove(&copy);
        }
        // Last, so that a process that is killed here has left something to find.
        let _ = fs::remove_file(path);
    }
}

/// The lock of a draft of ours that nobody is at work on, held.
fn left_behind(entry: &DirEntry) -> Option<(PathBuf, File)> {
    let path = entry.path();
    copy_of(&path)?;
    if !is_our_file(&path) {
        return None;
    }
    let mut file = File::open(&path).ok()?;
    file.try_lock().ok()?;
    let mut text = String::new();
    Read::by_ref(&mut file).take(MARK.len() as u64 + 1).read_to_string(&mut text).ok()?;
    // One that was killed at once has written nothing yet.
    let is_mark = text.is_empty() || text == MARK;
    (is_mark && is_called(&file, &path)).then_some((path, file))
}

/// The copy that belongs to a lock of ours.
fn copy_of(lock: &Path) -> Option<PathBuf> {
    let name = lock.file_name()?.to_str()?;
    let middle = name.strip_prefix(BEGIN)?.strip_suffix(LOCK)?;
    let is_ours = middle.len() == 10 && middle.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_ours.then(|| lock.with_file_name(format!("{BEGIN}{middle}{END}")))
}

/// Removes a copy and what SQLite may have left beside it.
fn remove(copy: &Path) {
    for part in belongings(copy).iter().filter(|part| is_our_file(part)) {
        // If it cannot be removed, it stays.
        let _ = fs::remove_file(part);
    }
}

/// Whether it is a file of this account's, and no link to one.
fn is_our_file(path: &Path) -> bool {
    let account = rustix::process::getuid().as_raw();
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.uid() == account)
}

/// Whether an open file is still called so.
fn is_called(file: &File, path: &Path) -> bool {
    let (Ok(open), Ok(named)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}
