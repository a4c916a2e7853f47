//! A store that fails, waits and counts as a test wants it to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use handraise_broker::{
    Anchor, AskId, AskKey, AskStore, Batch, Device, Head, Message, MessageKey, Query, Record, Seq,
    Session, SessionId, SessionQuery, Span, StoreError, StoredDraft, StoredEntry, TokenHash,
};
use jiff::Timestamp;
use tokio::sync::{OwnedRwLockWriteGuard, RwLock, watch};

use crate::while_time_stands_still;

/// A real store behind a switch. Paused time stands still while it works.
#[derive(Debug)]
pub struct StoreDouble<S> {
    inner: S,
    broken: Mutex<Option<StoreError>>,
    gates: Mutex<HashMap<&'static str, Arc<RwLock<()>>>>,
    commits: watch::Sender<usize>,
    /// How often each question was answered, by the name of the method.
    answered: watch::Sender<HashMap<&'static str, usize>>,
}

/// As long as this lives, a method waits.
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
            gates: Mutex::default(),
            commits: watch::Sender::new(0),
            answered: watch::Sender::default(),
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
        self.hold("commit").await
    }

    /// Lets a method wait before it does anything.
    pub async fn hold(&self, method: &'static str) -> Held {
        Held(self.gate(method).write_owned().await)
    }

    fn gate(&self, method: &'static str) -> Arc<RwLock<()>> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.entry(method).or_default().clone()
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

    /// Waits until a method was answered so many times in all.
    pub async fn has_answered(&self, method: &str, many: usize) {
        let enough = |answered: &HashMap<&'static str, usize>| {
            answered.get(method).is_some_and(|times| *times >= many)
        };
        // The sender lives as long as this does.
        let _ = self.answered.subscribe().wait_for(enough).await;
    }

    async fn work<T>(
        &self,
        method: &'static str,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let _open = self.gate(method).read_owned().await;
        let broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let answer = match broken {
            Some(error) => Err(error),
            None => while_time_stands_still(work).await,
        };
        self.answered.send_modify(|answered| *answered.entry(method).or_default() += 1);
        answer
    }
}

#[async_trait]
impl<S: AskStore> AskStore for StoreDouble<S> {
    async fn head(&self) -> Result<Head, StoreError> {
        self.work("head", self.inner.head()).await
    }

    async fn probe(&self) -> Result<(), StoreError> {
        self.work("probe", self.inner.probe()).await
    }

    async fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.commits.send_modify(|commits| *commits += 1);
        self.work("commit", self.inner.commit(batch)).await
    }

    async fn load(&self, ids: &[AskId]) -> Result<Vec<Record>, StoreError> {
        self.work("load", self.inner.load(ids)).await
    }

    async fn by_key(&self, keys: &[AskKey]) -> Result<Vec<(AskKey, AskId)>, StoreError> {
        self.work("by_key", self.inner.by_key(keys)).await
    }

    async fn unfinished(&self) -> Result<Vec<Record>, StoreError> {
        self.work("unfinished", self.inner.unfinished()).await
    }

    async fn newest(&self) -> Result<Option<AskId>, StoreError> {
        self.work("newest", self.inner.newest()).await
    }

    async fn list(&self, query: &Query) -> Result<Vec<Record>, StoreError> {
        self.work("list", self.inner.list(query)).await
    }

    async fn spans(&self, since: Timestamp) -> Result<Vec<Span>, StoreError> {
        self.work("spans", self.inner.spans(since)).await
    }

    async fn log(&self, after: Seq, limit: u32) -> Result<Vec<StoredEntry>, StoreError> {
        self.work("log", self.inner.log(after, limit)).await
    }

    async fn log_of(&self, asks: &[AskId], through: Seq) -> Result<Vec<StoredEntry>, StoreError> {
        self.work("log_of", self.inner.log_of(asks, through)).await
    }

    async fn draft(&self, ask: AskId, person: &str) -> Result<Option<StoredDraft>, StoreError> {
        self.work("draft", self.inner.draft(ask, person)).await
    }

    async fn anchors(&self) -> Result<Vec<(AskId, Anchor)>, StoreError> {
        self.work("anchors", self.inner.anchors()).await
    }

    async fn last_typed(&self) -> Result<Vec<(AskId, Timestamp)>, StoreError> {
        self.work("last_typed", self.inner.last_typed()).await
    }

    async fn devices(&self) -> Result<Vec<(Device, TokenHash)>, StoreError> {
        self.work("devices", self.inner.devices()).await
    }

    async fn live_sessions(&self) -> Result<Vec<Session>, StoreError> {
        self.work("live_sessions", self.inner.live_sessions()).await
    }

    async fn session(&self, id: SessionId) -> Result<Option<Session>, StoreError> {
        self.work("session", self.inner.session(id)).await
    }

    async fn sessions(&self, query: &SessionQuery) -> Result<Vec<Session>, StoreError> {
        self.work("sessions", self.inner.sessions(query)).await
    }

    async fn message(&self, place: &MessageKey) -> Result<Option<Message>, StoreError> {
        self.work("message", self.inner.message(place)).await
    }

    async fn messages(
        &self,
        session: SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Message>, StoreError> {
        self.work("messages", self.inner.messages(session, after, limit)).await
    }

    async fn session_over_before(
        &self,
        before: Timestamp,
    ) -> Result<Option<(SessionId, Vec<Seq>)>, StoreError> {
        self.work("session_over_before", self.inner.session_over_before(before)).await
    }

    async fn ended_before(&self, before: Timestamp, limit: u32) -> Result<Vec<AskId>, StoreError> {
        self.work("ended_before", self.inner.ended_before(before, limit)).await
    }
}
