//! Connections to the file.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use handraise_broker::StoreError;
use rusqlite::{Connection, OpenFlags};
use rustix::io::Errno;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};

use crate::error::Failure;
use crate::migrate::{self, Shape};
use crate::writer::Access;

const MOST_READERS: u32 = 4;
/// How long another process may hold the file.
const PATIENCE: Duration = Duration::from_secs(5);
const LARGEST_JOURNAL: i64 = 64 * 1024 * 1024;

/// Makes the file if there is none, for its owner's eyes only.
pub(crate) fn make(file: &Path) -> Result<(), StoreError> {
    let made = OpenOptions::new().create_new(true).write(true).mode(0o600).open(file);
    if let Err(error) = made
        && error.kind() != io::ErrorKind::AlreadyExists
    {
        return Err(if error.kind() == io::ErrorKind::StorageFull {
            StoreError::Full
        } else if error.kind() == io::ErrorKind::ReadOnlyFilesystem {
            StoreError::ReadOnly
        } else {
            StoreError::Failed(error.to_string())
        });
    }
    Ok(())
}

/// Finds out what may not be written to, before anything is made beside it: SQLite gives what it makes
/// the same permissions, and it would stay when the file's own have been mended.
pub(crate) fn check_writable(file: &Path) -> Result<(), StoreError> {
    if !fs::metadata(file).is_ok_and(|found| found.is_file()) {
        return Err(StoreError::Failed("this is no file".into()));
    }
    for end in ["", "-wal", "-shm"] {
        let beside = beside(file, end);
        match rustix::fs::access(&beside, rustix::fs::Access::WRITE_OK) {
            Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) if end.is_empty() => {
                return Err(StoreError::ReadOnly);
            }
            Err(Errno::ACCESS | Errno::PERM) => {
                let what = format!("{} cannot be written to", beside.display());
                return Err(StoreError::Failed(what));
            }
            // What is not there yet will be made; whatever else is wrong will show.
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// What a restore adds to the name of the database that was there before.
pub const BEFORE_RESTORE: &str = ".before-restore-";

/// Refuses a file that has another name. SQLite keeps its journal beside the name a file
/// was opened by: a hub that uses another name does not see what is in it, and what either has acknowledged
/// is lost. What an interrupted restore leaves is another name, too, but no hub uses it.
pub(crate) fn check_links(file: &Path) -> Result<(), StoreError> {
    // Whatever else is wrong will show.
    let Ok(found) = fs::metadata(file) else { return Ok(()) };
    if found.nlink() < 2 {
        return Ok(());
    }
    let is_it = |other: &fs::Metadata| (other.dev(), other.ino()) == (found.dev(), found.ino());
    let is_kept_aside = |entry: &fs::DirEntry| {
        entry.file_name().to_string_lossy().contains(BEFORE_RESTORE)
            && entry.metadata().is_ok_and(|other| is_it(&other))
    };
    let directory = file.parent().and_then(|directory| fs::read_dir(directory).ok());
    let kept_aside = directory.into_iter().flatten().flatten().filter(is_kept_aside).count();
    let names = found.nlink().saturating_sub(u64::try_from(kept_aside).unwrap_or(0));
    if names < 2 {
        return Ok(());
    }
    Err(StoreError::Failed(format!(
        "it has {names} names (hard links), and two hubs could use it at once: remove all names but one, and \
         copy a database with `handraise backup` instead"
    )))
}

/// A file that SQLite keeps beside the database.
pub(crate) fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// A connection that reads, or the one that writes.
pub(crate) fn open(file: &Path, access: Access) -> rusqlite::Result<Connection> {
    let flags = match access {
        Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
    };
    let connection = Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

/// Looks at a file without changing it.
pub(crate) fn look(file: &Path) -> Result<Shape, Failure> {
    migrate::shape(&open(file, Access::Read)?)
}

/// Finishes what a process that was killed has begun.
///
/// Whoever is killed while it makes the file leaves a journal behind. It has to be rolled back before
/// anybody can read, which those who only read may not do.
pub(crate) fn tidy_up(file: &Path) -> Result<(), Failure> {
    // A look is enough, and shows whose file it is.
    migrate::shape(&open(file, Access::Write)?).map(|_| ())
}

/// Makes a connection keep what it acknowledges.
pub(crate) fn make_durable(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "wal")?;
    // Acknowledged means on the disk, not only in the kernel's memory.
    connection.pragma_update(None, "synchronous", "full")?;
    // A page that grows into several would else keep copies of what it held, which retention cannot reach.
    connection.pragma_update(None, "secure_delete", "fast")?;
    connection.pragma_update(None, "journal_size_limit", LARGEST_JOURNAL)
}

/// Connections that only read; they are made when they are needed.
///
/// Idle ones are left alone: keeping them costs nothing, and looking after them would wake the machine
/// up.
pub(crate) fn readers(file: &Path) -> SqlitePool {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .read_only(true)
        .busy_timeout(PATIENCE)
        .statement_cache_capacity(64)
        .optimize_on_close(false, None);
    SqlitePoolOptions::new()
        .max_connections(MOST_READERS)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .connect_lazy_with(options)
}
