//! Connections to the file.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use handraise_broker::StoreError;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqlitePool};

use crate::error::store_error;
use crate::migrate;

const MOST_READERS: u32 = 4;

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

/// Finishes what a process that was killed has begun.
///
/// Whoever is killed while it makes the file leaves a journal behind. It has to be rolled back before
/// anybody can read, which those who only read may not do.
pub(crate) async fn tidy_up(file: &Path) -> Result<(), StoreError> {
    let mut connection = options(file).connect().await.map_err(store_error)?;
    // A look is enough, and shows whose file it is.
    let seen = migrate::shape(&mut connection).await;
    connection.close().await.map_err(store_error)?;
    seen.map(|_| ())
}

/// How the one connection is made that writes.
pub(crate) fn to_write(file: &Path) -> SqliteConnectOptions {
    options(file)
        .journal_mode(SqliteJournalMode::Wal)
        // Acknowledged means on the disk, not only in the kernel's memory.
        .synchronous(SqliteSynchronous::Full)
        .pragma("journal_size_limit", "67108864")
        // What `keep.sql` defines for this connection needs no file of its own.
        .pragma("temp_store", "memory")
}

/// How a connection is made that only reads.
pub(crate) fn to_read(file: &Path) -> SqliteConnectOptions {
    options(file).read_only(true)
}

/// Connections that only read; they are made when they are needed.
///
/// Idle ones are left alone: keeping them costs nothing, and looking after them would wake the machine
/// up.
pub(crate) fn readers(file: &Path) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(MOST_READERS)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .connect_lazy_with(to_read(file))
}

fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .busy_timeout(Duration::from_secs(5))
        .statement_cache_capacity(64)
        .optimize_on_close(false, None)
}
