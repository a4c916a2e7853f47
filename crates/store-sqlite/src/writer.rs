//! The one connection that writes.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use handraise_broker::{AskId, AskKey, Batch, StoreError};
use rusqlite::Connection;

use crate::disk::{self, Identity};
use crate::error::Failure;
use crate::{connect, migrate, write};

/// The one connection that writes: SQLite has one writer at a time anyway.
///
/// It runs where it is called: every question and every answer waits for a commit, and would wait for a
/// thread to wake up as well. The broker calls from one task, so that at most one thread waits for the
/// disk.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    file: Arc<Path>,
    access: Access,
    /// Absent until it is needed, and after it has failed.
    open: Arc<Mutex<Option<Open>>>,
}

#[derive(Debug)]
struct Open {
    connection: Connection,
    /// The log it writes ahead to.
    journal: Option<Identity>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Write,
    Read,
}

impl Writer {
    /// Connects when it is needed.
    pub(crate) fn new(file: &Path, access: Access) -> Self {
        Self { file: file.into(), access, open: Arc::default() }
    }

    /// Brings the file up to the present shape, and finds out whether it can be written to: SQLite
    /// opens one that cannot be just as gladly, and a hub on it would be up and take nothing.
    pub(crate) fn prepare(&self) -> Result<(), StoreError> {
        self.with(|connection| {
            migrate::migrate(connection)?;
            // Wants to write, and has nothing to.
            Ok(connection.execute_batch("DELETE FROM draft WHERE false")?)
        })
    }

    /// Keeps all of a batch or nothing of it.
    pub(crate) fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        // The connection stays: another one would begin a new journal beside what is in the old.
        self.is_beside_its_journal(self.place().as_ref())?;
        self.with(|connection| write::commit(connection, batch))
    }

    /// Whether the journal still has its name. While a commit is under way, that one finds out.
    pub(crate) fn has_its_journal(&self) -> Result<(), StoreError> {
        let Ok(place) = self.open.try_lock() else { return Ok(()) };
        self.is_beside_its_journal(place.as_ref())
    }

    fn is_beside_its_journal(&self, open: Option<&Open>) -> Result<(), StoreError> {
        match open.and_then(|open| open.journal) {
            Some(journal) if Some(journal) != self.journal() => Err(disk::gone("its journal")),
            Some(_) | None => Ok(()),
        }
    }

    /// Finds asks by their keys. Here because only whoever is about to write wants to know, so that
    /// the connection is free.
    pub(crate) fn by_key(&self, keys: &[AskKey]) -> Result<Vec<(AskKey, AskId)>, StoreError> {
        self.with(|connection| write::by_key(connection, keys))
    }

    /// Ends the connection, leaving one tidy file.
    pub(crate) fn close(&self) {
        // What was acknowledged is in the file, however this ends.
        drop(self.place().take());
    }

    /// Uses the connection. One that has failed is not used again: whatever it believes, a new one
    /// starts from what is in the file.
    pub(crate) fn with<T>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, Failure>,
    ) -> Result<T, StoreError> {
        let mut place = self.place();
        let mut open = match place.take() {
            Some(open) => open,
            None => self.connect().map_err(Failure::from)?,
        };
        let done = job(&mut open.connection)?;
        *place = Some(open);
        Ok(done)
    }

    fn connect(&self) -> rusqlite::Result<Open> {
        let connection = connect::open(&self.file, self.access)?;
        if self.access == Access::Write {
            connect::make_durable(&connection)?;
            // A look is enough for SQLite to make the journal.
            connection.execute_batch("SELECT 1 FROM sqlite_schema")?;
        }
        Ok(Open { connection, journal: self.journal() })
    }

    fn journal(&self) -> Option<Identity> {
        Identity::of(&connect::beside(&self.file, "-wal"))
    }

    fn place(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
