//! The trait that terminals, agents and servers share.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;

use crate::{
    AskId, Asker, DelivererId, Draft, HubError, Look, Matter, Policy, Query, Receipt, Record,
    Reply, Seq, SessionChanged, SessionId, Streamed,
};

/// A hub, as one caller sees it: in this process, or at the other end of a connection.
///
/// What is returned was stored first. An error means that nothing was changed.
#[async_trait]
pub trait Hub: Send + Sync {
    /// Asks, or finds the ask that was asked before with the same key.
    async fn ask(&self, new: NewAsk) -> Result<Asked, HubError>;

    /// One ask as it stands.
    async fn get(&self, id: AskId) -> Result<Arc<Record>, HubError>;

    /// The asks that match.
    async fn list(&self, query: Query) -> Result<Vec<Arc<Record>>, HubError>;

    /// Waits up to `patience` for the end of an ask; `None` when it is still open.
    async fn wait(
        &self,
        id: AskId,
        deliverer: Option<DelivererId>,
        patience: Duration,
    ) -> Result<Option<Arc<Record>>, HubError>;

    /// Answers, decides, declines or asks to talk first. `key` makes it safe to try again.
    async fn reply(
        &self,
        id: AskId,
        reply: Reply,
        key: Option<String>,
    ) -> Result<Arc<Record>, HubError>;

    /// Moves the deadline.
    /// `key` makes it safe to try again.
    async fn extend(
        &self,
        id: AskId,
        seconds: u64,
        key: Option<String>,
    ) -> Result<Arc<Record>, HubError>;

    /// Takes an ask back, or says that its agent is gone.
    async fn withdraw(&self, id: AskId, reason: Option<String>) -> Result<Arc<Record>, HubError>;

    /// Says what is known of the agent's side.
    async fn receipt(&self, id: AskId, receipt: Receipt) -> Result<Arc<Record>, HubError>;

    /// The caller's own draft.
    async fn draft(&self, id: AskId) -> Result<Option<Draft>, HubError>;

    /// Keeps the caller's draft.
    async fn keep_draft(&self, id: AskId, draft: Draft) -> Result<(), HubError>;

    /// Throws the caller's draft away.
    async fn drop_draft(&self, id: AskId) -> Result<(), HubError>;

    /// Says whether a person looks at what waits, so that nobody is disturbed who does.
    async fn look(&self, look: Look) -> Result<(), HubError>;

    /// Follows what happens: everything after `after`, or from now on.
    async fn follow(&self, after: Option<Seq>) -> Result<Box<dyn Feed>, HubError>;
}

/// What happens, one after the other.
#[async_trait]
pub trait Feed: Send {
    /// Waits for the next piece of news.
    async fn next(&mut self) -> Result<News, HubError>;

    /// The next piece of news if it is there already, for whoever wants to tell several at once. That
    /// there is none does not mean that there is nothing to wait for.
    fn ready(&mut self) -> Option<News> {
        None
    }
}

/// A piece of news.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// Something happened.
    Event(Arc<Told>),
    /// Everything up to here was told; from now on it is told as it happens.
    Live(Seq),
    /// Something could not be told: look at the asks anew, and go on from here.
    Reset(Seq),
    /// Somebody is typing.
    Typing {
        /// At which ask.
        ask: AskId,
        /// When silence now ends it.
        ends_at: Option<Timestamp>,
    },
    /// An agent is saying something. This is not stored: what it said is told when it has said it.
    Speaking {
        /// In which session.
        session: SessionId,
        /// What came.
        streamed: Arc<Streamed>,
    },
}

/// An event as it is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// Its place in the log.
    pub seq: Seq,
    /// When it happened.
    pub at: Timestamp,
    /// The event's name.
    pub name: String,
    /// The ask it is about, as it stood then.
    pub ask: Option<Arc<Record>>,
    /// The session it is about, as it stood then, and what was said.
    pub session: Option<Arc<SessionChanged>>,
    /// What is in the log, when it is about neither.
    pub detail: Option<Value>,
}

/// What an agent asks.
#[derive(Debug, Clone)]
pub struct NewAsk {
    /// Who asks.
    pub asker: Asker,
    /// The asker's own name for the ask; asking again with it finds the same ask.
    pub key: Option<String>,
    /// What it is about.
    pub matter: Matter,
    /// The rules the asker wishes for.
    pub policy: Policy,
    /// Whether the agent shows a dialog of its own beside it, which may be answered first.
    pub rival_dialog: bool,
    /// Who will bring the resolution to the agent.
    pub deliverer: Option<DelivererId>,
}

/// An ask that was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The ask as it stands.
    pub record: Arc<Record>,
    /// Whether it is a new one.
    pub new: bool,
    /// Whether the asker's deliverer is the one.
    pub yours: bool,
}
