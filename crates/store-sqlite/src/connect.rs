//! Connections to the file.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use handraise_broker::StoreError;
use rusqlite::{Connection, OpenFlags};
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
