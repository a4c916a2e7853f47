//! The one connection that writes.

use std::sync::Arc;

use handraise_broker::{AskId, AskKey, Batch, StoreError};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor, SqliteConnection};
use tokio::sync::Mutex;

use crate::error::store_error;
use crate::{migrate, read, write};

/// The one connection that writes: SQLite has one writer at a time anyway.
///
/// Not from a pool, which would ask it after every use whether it is still there.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    options: SqliteConnectOptions,
    /// Absent while it is used, and after it has failed.
    pub(crate) connection: Arc<Mutex<Option<SqliteConnection>>>,
}

impl Writer {
    /// Connects when it is needed.
    pub(crate) fn new(options: SqliteConnectOptions) -> Self {
        Self { options, connection: Arc::default() }
    }

    /// Brings the file up to the present shape, and finds out whether it can be written to: SQLite
    /// opens one that cannot be just as gladly, and a hub on it would be up and take nothing.
    pub(crate) async fn prepare(&self) -> Result<(), StoreError> {
        let mut place = self.connection.lock().await;
        let mut connection = self.connect().await.map_err(store_error)?;
        migrate::migrate(&mut connection).await?;
        // Wants to write, and has nothing to.
        let nothing = connection.execute("DELETE FROM draft WHERE false").await;
        nothing.map_err(store_error)?;
        *place = Some(connection);
        Ok(())
    }

    /// Keeps all of a batch or nothing of it.
    pub(crate) async fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut place = self.connection.lock().await;
        let mut connection = self.take(&mut place).await.map_err(store_error)?;
        let kept = write::commit(&mut connection, batch).await;
        if kept.is_ok() {
            *place = Some(connection);
        } else {
            // On a full disk SQLite takes the transaction back by itself, and sqlx does not hear of
            // it: it would wait for the end of a transaction that is over, and never begin another.
            // Whatever the connection believes, a new one starts from what is in the file. That the
            // old one cannot be closed well is no news.
            let _ = connection.close().await;
        }
        kept
    }

    /// Finds asks by their keys. Here because only whoever is about to write wants to know, so that
    /// the connection is free.
    pub(crate) async fn by_key(&self, keys: &[AskKey]) -> Result<Vec<(AskKey, AskId)>, StoreError> {
        let mut place = self.connection.lock().await;
        let mut connection = self.take(&mut place).await.map_err(store_error)?;
        let found = read::by_key(&mut connection, keys).await.map_err(store_error)?;
        *place = Some(connection);
        Ok(found)
    }

    /// Ends the connection, leaving one tidy file.
    pub(crate) async fn close(&self) {
        if let Some(connection) = self.connection.lock().await.take() {
            // What was acknowledged is in the file, however this ends.
            let _ = connection.close().await;
        }
    }

    /// Takes the connection out of its place: if whoever uses it is stopped midway, nobody goes on with
    /// it.
    pub(crate) async fn take(
        &self,
        place: &mut Option<SqliteConnection>,
    ) -> sqlx::Result<SqliteConnection> {
        match place.take() {
            Some(connection) => Ok(connection),
            None => self.connect().await,
        }
    }

    async fn connect(&self) -> sqlx::Result<SqliteConnection> {
        let mut connection = self.options.connect().await?;
        connection.execute(include_str!("keep.sql")).await?;
        Ok(connection)
    }
}
