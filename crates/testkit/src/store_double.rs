//! A store that fails, waits and counts as a test wants it to.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use handraise_broker::{
    AskId, AskKey, AskStore, Batch, Device, Head, Query, Record, Seq, StoreError, StoredDraft,
    StoredEntry, TokenHash,
};
use jiff::Timestamp;
use tokio::sync::{OwnedRwLockWriteGuard, RwLock, watch};

use crate::while_time_stands_still;

/// A real store behind a switch. Paused time stands still while it works.
#[derive(Debug)]
pub struct StoreDouble<S> {
    inner: S,
    broken: Mutex<Option<StoreError>>,
    gate: Arc<RwLock<()>>,
    commits: watch::Sender<usize>,
}

/// As long as this lives, commits wait.
#[derive(Debug)]
pub struct Held(
    #[expect(dead_code, reason = "it is kept to be dropped")] OwnedRwLockWriteGuard<()>,
);

impl<S: AskStore> StoreDouble<S> {
    /// Stands in for `inner`, which works as long as nothing else is asked for.
    pub fn new(inner: S) -> Arc<Self> {
        Arc::new(Self {
            inner,
            broken: Mutex::default(),
            gate: Arc::default(),
            commits: watch::Sender::new(0),
        })
    }

    /// Fails everything from now on.
    pub fn break_with(&self, error: StoreError) {
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    /// Works again.
    pub fn mend(&self) {
        *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Lets commits wait.
    pub async fn hold_commits(&self) -> Held {
        Held(self.gate.clone().write_owned().await)
    }

    /// How many commits were begun.
    #[must_use]
    pub fn commits(&self) -> usize {
        *self.commits.borrow()
    }

    /// Waits until so many commits were begun in all.
    pub async fn commits_begun(&self, many: usize) {
        // The sender lives as long as this does.
        let _ = self.commits.subscribe().wait_for(|commits| *commits >= many).await;
    }

    async fn work<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match broken {
            Some(error) => Err(error),
            None => while_time_stands_still(work).await,
        }
    }
}

#[async_trait]
impl<S: AskStore> AskStore for StoreDouble<S> {
    async fn head(&self) -> Result<Head, StoreError> {
        self.work(self.inner.head()).await
    }

    async fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.commits.send_modify(|commits| *commits += 1);
        let _open = self.gate.read().await;
        self.work(self.inner.commit(batch)).await
    }

    async fn load(&self, ids: &[AskId]) -> Result<Vec<Record>, StoreError> {
        self.work(self.inner.load(ids)).await
    }

    async fn by_key(&self, keys: &[AskKey]) -> Result<Vec<(AskKey, AskId)>, StoreError> {
        self.work(self.inner.by_key(keys)).await
    }

    async fn unfinished(&self) -> Result<Vec<Record>, StoreError> {
        self.work(self.inner.unfinished()).await
    }

    async fn list(&self, query: &Query) -> Result<Vec<Record>, StoreError> {
        self.work(self.inner.list(query)).await
    }

    async fn log(&self, after: Seq, limit: u32) -> Result<Vec<StoredEntry>, StoreError> {
        self.work(self.inner.log(after, limit)).await
    }

    async fn log_of(&self, asks: &[AskId], through: Seq) -> Result<Vec<StoredEntry>, StoreError> {
        self.work(self.inner.log_of(asks, through)).await
    }

    async fn draft(&self, ask: AskId, person: &str) -> Result<Option<StoredDraft>, StoreError> {
        self.work(self.inner.draft(ask, person)).await
    }

    async fn last_typed(&self) -> Result<Vec<(AskId, Timestamp)>, StoreError> {
        self.work(self.inner.last_typed()).await
    }

    async fn devices(&self) -> Result<Vec<(Device, TokenHash)>, StoreError> {
        self.work(self.inner.devices()).await
    }

    async fn ended_before(&self, before: Timestamp, limit: u32) -> Result<Vec<AskId>, StoreError> {
        self.work(self.inner.ended_before(before, limit)).await
    }
}
