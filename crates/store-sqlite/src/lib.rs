//! Asks in one SQLite file: the store a hub has without any further ado.
//!
//! The log is written ahead (WAL) and every commit is on the disk before it is acknowledged
//! (`synchronous=FULL`); the broker puts many changes into one commit. Knows `handraise-broker`, whose
//! port it implements, and nobody else; no SQL leaves this crate.

mod connect;
mod disk;
mod error;
mod migrate;
mod read;
mod rows;
mod write;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use handraise_broker::{
    AskId, AskKey, AskStore, Batch, Device, Head, Query, Record, Seq, StoreError, StoredDraft,
    StoredEntry, TokenHash,
};
use jiff::Timestamp;
use sqlx::SqlitePool;

use error::store_error;
use migrate::Shape;

/// Asks in one SQLite file.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    /// One connection: SQLite has one writer at a time anyway.
    writer: SqlitePool,
    readers: SqlitePool,
    file: Arc<Path>,
}

impl SqliteStore {
    /// Opens the file, making or upgrading it if need be.
    ///
    /// # Errors
    ///
    /// When it cannot be opened or written to, is no database of Handraise's, or was made by a newer
    /// version.
    pub async fn open(file: &Path) -> Result<Self, StoreError> {
        Self::open_to_write(file).await.map_err(|error| disk::explain(file, error))
    }

    async fn open_to_write(file: &Path) -> Result<Self, StoreError> {
        connect::make(file)?;
        let readers = connect::readers(file);
        // Before the writer comes, which changes the file by being there.
        if let Err(StoreError::ReadOnly) = migrate::shape(&readers).await {
            connect::tidy_up(file).await?;
        }
        migrate::shape(&readers).await?;
        let writer = connect::writer(file).await?;
        migrate::migrate(&writer).await?;
        connect::try_to_write(&writer).await?;
        Ok(Self { writer, readers, file: file.into() })
    }

    /// Opens a file that exists, to look at it.
    ///
    /// # Errors
    ///
    /// When it cannot be opened, is no database of Handraise's, or was made by another version.
    pub async fn open_to_read(file: &Path) -> Result<Self, StoreError> {
        let readers = connect::readers(file);
        match migrate::shape(&readers).await? {
            Shape::Present => Ok(Self { writer: readers.clone(), readers, file: file.into() }),
            Shape::Older(_) => {
                let older =
                    "it is of an older version; a hub that opens it will bring it up to date";
                Err(StoreError::Failed(older.into()))
            }
        }
    }

    /// Ends all connections, leaving one tidy file.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

#[async_trait]
impl AskStore for SqliteStore {
    async fn head(&self) -> Result<Head, StoreError> {
        read::head(&self.readers).await.map_err(store_error)
    }

    async fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let kept = write::commit(&self.writer, batch).await;
        kept.map_err(|error| disk::explain(&self.file, error))
    }

    async fn load(&self, ids: &[AskId]) -> Result<Vec<Record>, StoreError> {
        Record::read(&self.log_of(ids, Seq::MAX).await?)
    }

    async fn by_key(&self, keys: &[AskKey]) -> Result<Vec<(AskKey, AskId)>, StoreError> {
        read::by_key(&self.readers, keys).await.map_err(store_error)
    }

    async fn unfinished(&self) -> Result<Vec<Record>, StoreError> {
        Record::read(&read::unfinished(&self.readers).await.map_err(store_error)?)
    }

    async fn list(&self, query: &Query) -> Result<Vec<Record>, StoreError> {
        let ids = read::list(&self.readers, query).await.map_err(store_error)?;
        let mut records = self.load(&ids).await?;
        records.sort_by_key(|record| ids.iter().position(|id| *id == record.id));
        Ok(records)
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

    async fn last_typed(&self) -> Result<Vec<(AskId, Timestamp)>, StoreError> {
        read::last_typed(&self.readers).await.map_err(store_error)
    }

    async fn devices(&self) -> Result<Vec<(Device, TokenHash)>, StoreError> {
        read::devices(&self.readers).await.map_err(store_error)
    }

    async fn ended_before(&self, before: Timestamp, limit: u32) -> Result<Vec<AskId>, StoreError> {
        read::ended_before(&self.readers, before, limit).await.map_err(store_error)
    }
}

#[cfg(test)]
#[path = "full_disk_tests.rs"]
mod full_disk;
