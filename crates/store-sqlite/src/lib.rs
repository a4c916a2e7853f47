//! Asks in one SQLite file: the store a hub has without any further ado.
//!
//! The log is written ahead (WAL) and every commit is on the disk before it is acknowledged
//! (`synchronous=FULL`); the broker puts many changes into one commit. Knows `handraise-broker`, whose
//! port it implements, and nobody else; no SQL leaves this crate.

mod connect;
mod copy;
mod disk;
mod error;
mod migrate;
mod read;
mod rows;
mod sessions;
mod write;
mod writer;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use handraise_broker::{
    Anchor, AskId, AskKey, AskStore, Batch, Device, DeviceId, Head, Message, MessageKey, Query,
    Record, Seq, Session, SessionId, SessionQuery, Span, StoreError, StoredDraft, StoredEntry,
    TokenHash,
};
use jiff::Timestamp;
use sqlx::SqlitePool;

pub use connect::BEFORE_RESTORE;
pub use copy::{belongings, copy, fold};

use disk::Identity;
use error::store_error;
use migrate::Shape;
use writer::{Access, Writer};

/// Asks in one SQLite file.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    writer: Writer,
    readers: SqlitePool,
    file: Arc<Path>,
    /// The file that was opened under that name.
    opened: Option<Identity>,
}

impl SqliteStore {
    /// Opens the file, making or upgrading it if need be.
    ///
    /// # Errors
    ///
    /// When it cannot be opened or written to, is no database of Handraise's, or was made by a newer
    /// version.
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        Self::open_to_write(file).map_err(|error| disk::explain(file, error))
    }

    /// Finds out whether a file that exists could be opened, without changing it.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open), as far as they can be foreseen.
    pub fn check(file: &Path) -> Result<(), StoreError> {
        connect::check_writable(file)?;
        connect::check_links(file)?;
        match connect::look(file).map_err(StoreError::from) {
            // What a killed process has left; whoever opens it tidies up.
            Ok(_) | Err(StoreError::ReadOnly) => Ok(()),
            Err(error) => Err(disk::explain(file, error)),
        }
    }

    fn open_to_write(file: &Path) -> Result<Self, StoreError> {
        connect::make(file)?;
        connect::check_writable(file)?;
        connect::check_links(file)?;
        // Before the writer comes, which changes the file by being there.
        match connect::look(file).map_err(StoreError::from) {
            Err(StoreError::ReadOnly) => connect::tidy_up(file)?,
            seen => drop(seen?),
        }
        let store = Self::new(file, Access::Write);
        store.writer.prepare()?;
        Ok(store)
    }

    /// Opens a file that exists, to look at it.
    ///
    /// # Errors
    ///
    /// When it cannot be opened, is no database of Handraise's, or was made by another version.
    pub fn open_to_read(file: &Path) -> Result<Self, StoreError> {
        match connect::look(file)? {
            Shape::Present => Ok(Self::new(file, Access::Read)),
            Shape::Older(0) => Err(StoreError::Failed("there is nothing in it yet".into())),
            Shape::Older(_) => {
                let older =
                    "it is of an older version; a hub that opens it will bring it up to date";
                Err(StoreError::Failed(older.into()))
            }
        }
    }

    fn new(file: &Path, access: Access) -> Self {
        Self {
            writer: Writer::new(file, access),
            readers: connect::readers(file),
            file: file.into(),
            opened: Identity::of(file),
        }
    }

    /// Whether the file that was opened still has its name.
    fn is_in_place(&self) -> Result<(), StoreError> {
        if Identity::of(&self.file) == self.opened { Ok(()) } else { Err(disk::gone("its file")) }
    }

    /// The devices whose tokens count no more.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub async fn revoked_devices(&self) -> Result<Vec<DeviceId>, StoreError> {
        read::revoked_devices(&self.readers).await.map_err(store_error)
    }

    /// Ends all connections, leaving one tidy file.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close();
    }
}

#[async_trait]
impl AskStore for SqliteStore {
    async fn head(&self) -> Result<Head, StoreError> {
        read::head(&self.readers).await.map_err(store_error)
    }

    async fn probe(&self) -> Result<(), StoreError> {
        self.is_in_place()?;
        self.writer.has_its_journal()
    }

    async fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.is_in_place()?;
        let kept = self.writer.commit(batch);
        kept.map_err(|error| disk::explain(&self.file, error))
    }

    async fn load(&self, ids: &[AskId]) -> Result<Vec<Record>, StoreError> {
        Record::read(&self.log_of(ids, Seq::MAX).await?)
    }

    async fn by_key(&self, keys: &[AskKey]) -> Result<Vec<(AskKey, AskId)>, StoreError> {
        self.writer.by_key(keys)
    }

    async fn unfinished(&self) -> Result<Vec<Record>, StoreError> {
        Record::read(&read::unfinished(&self.readers).await.map_err(store_error)?)
    }

    async fn newest(&self) -> Result<Option<AskId>, StoreError> {
        read::newest(&self.readers).await.map_err(store_error)
    }

    async fn list(&self, query: &Query) -> Result<Vec<Record>, StoreError> {
        let ids = read::list(&self.readers, query).await.map_err(store_error)?;
        let mut records: HashMap<_, _> =
            self.load(&ids).await?.into_iter().map(|record| (record.id, record)).collect();
        Ok(ids.iter().filter_map(|id| records.remove(id)).collect())
    }

    async fn spans(&self, since: Timestamp) -> Result<Vec<Span>, StoreError> {
        read::spans(&self.readers, since).await.map_err(store_error)
    }

    async fn log(&self, after: Seq, limit: u32) -> Result<Vec<StoredEntry>, StoreError> {
        read::log(&self.readers, after, limit).await.map_err(store_error)
    }

    async fn log_of(&self, asks: &[AskId], through: Seq) -> Result<Vec<StoredEntry>, StoreError> {
        read::log_of(&self.readers, asks, through).await.map_err(store_error)
    }

    async fn draft(&self, ask: AskId, person: &str) -> Result<Option<StoredDraft>, StoreError> {
        read::draft(&self.readers, ask, person).await.map_err(store_error)
    }

    async fn anchors(&self) -> Result<Vec<(AskId, Anchor)>, StoreError> {
        read::anchors(&self.readers).await.map_err(store_error)
    }

    async fn last_typed(&self) -> Result<Vec<(AskId, Timestamp)>, StoreError> {
        read::last_typed(&self.readers).await.map_err(store_error)
    }

    async fn devices(&self) -> Result<Vec<(Device, TokenHash)>, StoreError> {
        read::devices(&self.readers).await.map_err(store_error)
    }

    async fn live_sessions(&self) -> Result<Vec<Session>, StoreError> {
        sessions::live(&self.readers).await.map_err(store_error)
    }

    async fn session(&self, id: SessionId) -> Result<Option<Session>, StoreError> {
        sessions::one(&self.readers, id).await.map_err(store_error)
    }

    async fn sessions(&self, query: &SessionQuery) -> Result<Vec<Session>, StoreError> {
        sessions::list(&self.readers, query).await.map_err(store_error)
    }

    async fn message(&self, place: &MessageKey) -> Result<Option<Message>, StoreError> {
        sessions::message(&self.readers, place).await.map_err(store_error)
    }

    async fn messages(
        &self,
        session: SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Message>, StoreError> {
        sessions::messages(&self.readers, session, after, limit).await.map_err(store_error)
    }

    async fn session_over_before(
        &self,
        before: Timestamp,
    ) -> Result<Option<(SessionId, Vec<Seq>)>, StoreError> {
        sessions::over_before(&self.readers, before).await.map_err(store_error)
    }

    async fn ended_before(&self, before: Timestamp, limit: u32) -> Result<Vec<AskId>, StoreError> {
        read::ended_before(&self.readers, before, limit).await.map_err(store_error)
    }
}

#[cfg(test)]
#[path = "full_disk_tests.rs"]
mod full_disk;

#[cfg(test)]
mod plan_tests;
