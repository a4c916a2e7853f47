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
    // A look is enough; what was seen is looked at again by those who want to know.
    let seen = migrate::shape(&mut connection).await;
    connection.close().await.map_err(store_error)?;
    seen.map(|_| ())
}

/// The one connection that writes.
pub(crate) async fn writer(file: &Path) -> Result<SqlitePool, StoreError> {
    let options = options(file)
        .journal_mode(SqliteJournalMode::Wal)
        // Acknowledged means on the disk, not only in the kernel's memory.
        .synchronous(SqliteSynchronous::Full)
        .pragma("journal_size_limit", "67108864");
    pool(1).connect_with(options).await.map_err(store_error)
}

/// Finds out whether the file can be written to: SQLite opens one that cannot be just as gladly, and a
/// hub on it would be up and take nothing.
pub(crate) async fn try_to_write(pool: &SqlitePool) -> Result<(), StoreError> {
    // Wants to write, and has nothing to.
    let nothing = sqlx::query("DELETE FROM draft WHERE false");
    nothing.execute(pool).await.map(|_| ()).map_err(store_error)
}

/// Connections that only read; they are made when they are needed.
pub(crate) fn readers(file: &Path) -> SqlitePool {
    pool(MOST_READERS).connect_lazy_with(options(file).read_only(true))
}

fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .busy_timeout(Duration::from_secs(5))
        .statement_cache_capacity(64)
        .optimize_on_close(false, None)
}

/// A pool that leaves idle connections alone: keeping them costs nothing, and looking after them
/// would wake the machine up.
fn pool(most: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(most)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
}
