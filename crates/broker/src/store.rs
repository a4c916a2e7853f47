//! The port to whatever keeps asks.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

use crate::chain::{Head, Sealed, StoredEntry};
use crate::{
    Anchor, AskId, Device, DeviceId, Draft, Message, MessageKey, Record, Seq, Session, SessionId,
    SessionQuery, Sought, Span, State, StoredDraft, TokenHash,
};

/// Durable asks. One contract suite runs against every implementation.
///
/// A store does not decide: it keeps what it is given and finds it again. Absence is `Ok(None)` or an
/// empty list, not an error. The log is the truth; everything else about asks is an index into it.
#[async_trait]
pub trait AskStore: Send + Sync + 'static {
    /// The end of the log.
    async fn head(&self) -> Result<Head, StoreError>;

    /// Whether what it keeps is still where it was, as far as that shows without reading or writing.
    async fn probe(&self) -> Result<(), StoreError>;

    /// Keeps all of a batch or nothing of it. When this returns, it survives a power cut.
    ///
    /// Fails with [`StoreError::Conflict`] when the log does not end where the batch begins, or when
    /// a key or an id is there already.
    async fn commit(&self, batch: &Batch) -> Result<(), StoreError>;

    /// The asks with these ids, as far as they exist, in no particular order.
    async fn load(&self, ids: &[AskId]) -> Result<Vec<Record>, StoreError>;

    /// The ids of the asks with these keys, as far as they exist. Where the owner has none of that key, one
    /// that was stored without an owner counts.
    async fn by_key(&self, keys: &[AskKey]) -> Result<Vec<(AskKey, AskId)>, StoreError>;

    /// Every ask that still waits for something: a person, or a receipt.
    async fn unfinished(&self) -> Result<Vec<Record>, StoreError>;

    /// The one that was asked last.
    async fn newest(&self) -> Result<Option<AskId>, StoreError>;

    /// The asks that match, in the order of the query.
    async fn list(&self, query: &Query) -> Result<Vec<Record>, StoreError>;

    /// The time that each ask took which is open or ended at `since` or later, in no particular order.
    async fn spans(&self, since: Timestamp) -> Result<Vec<Span>, StoreError>;

    /// Up to `limit` events after `after`, in order.
    async fn log(&self, after: Seq, limit: u32) -> Result<Vec<StoredEntry>, StoreError>;

    /// The events of these asks through `through`, in order.
    async fn log_of(&self, asks: &[AskId], through: Seq) -> Result<Vec<StoredEntry>, StoreError>;

    /// A person's draft for an ask.
    async fn draft(&self, ask: AskId, person: &str) -> Result<Option<StoredDraft>, StoreError>;

    /// What the deadline of each open ask is counted by, as far as that is known.
    async fn anchors(&self) -> Result<Vec<(AskId, Anchor)>, StoreError>;

    /// When somebody last typed at each unfinished ask that has a draft.
    async fn last_typed(&self) -> Result<Vec<(AskId, Timestamp)>, StoreError>;

    /// Every device whose token counts.
    async fn devices(&self) -> Result<Vec<(Device, TokenHash)>, StoreError>;

    /// Every session that is not over.
    async fn live_sessions(&self) -> Result<Vec<Session>, StoreError>;

    /// One session.
    async fn session(&self, id: SessionId) -> Result<Option<Session>, StoreError>;

    /// The sessions that match, the last one that began first.
    async fn sessions(&self, query: &SessionQuery) -> Result<Vec<Session>, StoreError>;

    /// What was said in a session under a name.
    async fn message(&self, place: &MessageKey) -> Result<Option<Message>, StoreError>;

    /// Up to `limit` messages of a session after number `after`, in order, as they stand.
    async fn messages(
        &self,
        session: SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Message>, StoreError>;

    /// A session that was over before `before` and still has its contents, with all of its events.
    async fn session_over_before(
        &self,
        before: Timestamp,
    ) -> Result<Option<(SessionId, Vec<Seq>)>, StoreError>;

    /// Up to `limit` asks that ended before `before` and still have their contents.
    async fn ended_before(&self, before: Timestamp, limit: u32) -> Result<Vec<AskId>, StoreError>;
}

/// What makes an ask the same ask: its owner, the kind of agent, and that agent's own name for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AskKey {
    /// The name of the token that opened it.
    pub owner: String,
    /// The kind of agent.
    pub agent: String,
    /// Its name for the ask.
    pub key: String,
}

/// Everything that is to be kept together.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// New events, the first of which follows the end of the log.
    pub events: Vec<Sealed>,
    /// The asks those events are about, as they stand afterwards.
    pub asks: Vec<Arc<Record>>,
    /// Drafts kept or thrown away.
    pub drafts: Vec<DraftChange>,
    /// What the deadlines of open asks are counted by. It is forgotten when the ask ends.
    pub anchors: Vec<(AskId, Anchor)>,
    /// Devices whose token begins or ceases to count.
    pub devices: Vec<DeviceWrite>,
    /// Asks to drop the contents of.
    pub pruned: Vec<AskId>,
    /// Sessions to drop the contents of.
    pub pruned_sessions: Vec<SessionId>,
}

/// A draft kept, or thrown away when absent.
#[derive(Debug, Clone)]
pub struct DraftChange {
    /// For which ask.
    pub ask: AskId,
    /// Whose.
    pub person: String,
    /// What is kept.
    pub draft: Option<Draft>,
    /// When it changed.
    pub at: Timestamp,
}

/// A change in the tokens that count.
#[derive(Debug, Clone)]
pub enum DeviceWrite {
    /// This one counts from now on.
    Add(Device, TokenHash),
    /// This one counts no more.
    Revoke(DeviceId, Timestamp),
}

/// Which asks, in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// In one of these states; in any, when empty.
    pub states: Vec<State>,
    /// Of this kind of agent.
    pub agent: Option<String>,
    /// Of this session.
    pub session: Option<String>,
    /// That ended like this: the name of a resolution's kind.
    pub kind: Option<String>,
    /// Only those whose agent went on with an answer that no person gave.
    pub doubted: bool,
    /// That hold this. A store does not look into asks: it passes this over, and the broker looks.
    pub sought: Sought,
    /// In this order.
    pub order: Order,
    /// Beyond this one, in that order.
    pub after: Option<AskId>,
    /// At most this many.
    pub limit: u32,
}

/// In which order asks are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// As they were asked.
    #[default]
    OldestFirst,
    /// Those that have ended, the last one that ended first.
    LastEndedFirst,
}

/// Why something could not be kept or found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Somebody else has written to the log.
    #[error("another hub has written to this database")]
    Conflict,
    /// There is no room.
    #[error("the disk is full")]
    Full,
    /// It may not be written to.
    #[error("the database cannot be written to")]
    ReadOnly,
    /// What is there cannot be what was written.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// It was made by a newer Handraise.
    #[error("the database was made by a newer version of Handraise")]
    TooNew,
    /// Anything else.
    #[error("the database failed: {0}")]
    Failed(String),
}
