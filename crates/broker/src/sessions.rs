//! The trait of whoever keeps sessions, for those who run agents and those who talk to them.

use std::sync::Arc;

use async_trait::async_trait;

use crate::{
    HubError, Message, NewSession, Progress, Session, SessionChanged, SessionId, SessionQuery,
    Streamed,
};

/// The sessions of a hub, as one caller sees them. As with [`Hub`](crate::Hub), what is returned was
/// stored first, and an error means that nothing was changed.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// Opens a session. With a key it is safe to try again.
    async fn open_session(
        &self,
        new: NewSession,
        key: Option<String>,
    ) -> Result<Arc<Session>, HubError>;

    /// One session as it stands.
    async fn session(&self, id: SessionId) -> Result<Arc<Session>, HubError>;

    /// The sessions that match.
    async fn sessions(&self, query: SessionQuery) -> Result<Vec<Arc<Session>>, HubError>;

    /// What was said in a session, beginning after a place.
    async fn messages(
        &self,
        id: SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Message>, HubError>;

    /// What the agent is saying just now.
    async fn speaking(&self, id: SessionId) -> Result<Option<Streamed>, HubError>;

    /// A person says something to the agent. `key` makes it safe to try again.
    async fn say(
        &self,
        id: SessionId,
        text: String,
        key: Option<String>,
    ) -> Result<Message, HubError>;

    /// A person wants the agent to stop what it does.
    /// `key` makes it safe to try again.
    async fn interrupt(&self, id: SessionId, key: Option<String>)
    -> Result<Arc<Session>, HubError>;

    /// A person wants the session to end.
    async fn end_session(&self, id: SessionId) -> Result<Arc<Session>, HubError>;

    /// Whoever runs the agent tells how it goes.
    async fn progress(
        &self,
        id: SessionId,
        progress: Progress,
    ) -> Result<Arc<SessionChanged>, HubError>;

    /// Whoever runs the agent tells what it is saying. This is not stored.
    async fn stream(&self, id: SessionId, streamed: Streamed) -> Result<(), HubError>;
}
