//! Following a session: what was said, what is said, what it asks.

use std::sync::Arc;

use handraise_broker::{
    Hub, HubError, MOST_LISTED, Query, SessionId, Sessions, State, Streamed, Told,
};
use handraise_client::RemoteHub;

use super::board::Board;
use crate::following::{self, Follower};

/// So much of what was said before is shown.
const SHOWN_BEFORE: u64 = 20;

/// Follows a session until it cannot be followed any more.
pub(super) async fn follow(hub: RemoteHub, session: SessionId, board: Arc<Board>) {
    let mut following = Following { hub: hub.clone(), session, board, first: None };
    let error = following::follow(hub, &mut following).await;
    following.board.fail(error);
}

struct Following {
    hub: RemoteHub,
    session: SessionId,
    board: Arc<Board>,
    /// The place before the first message that is shown.
    first: Option<u64>,
}

impl Follower for Following {
    /// What is on the screen already is passed over there.
    async fn look(&mut self) -> Result<(), HubError> {
        let session = self.hub.session(self.session).await?;
        let mut after = if let Some(first) = self.first {
            first
        } else {
            let first = session.messages.saturating_sub(SHOWN_BEFORE);
            self.board.begin(&session, first);
            *self.first.insert(first)
        };
        loop {
            let page = self.hub.messages(self.session, after, MOST_LISTED).await?;
            let Some(last) = page.last() else { break };
            after = last.number;
            self.board.messages(&page);
        }
        self.board.session(&session);
        self.look_for_asks().await
    }

    async fn told(&mut self, told: &Told) -> Result<(), HubError> {
        if self.board.told(told) {
            self.look_for_asks().await?;
        }
        Ok(())
    }

    fn speaking(&mut self, session: SessionId, streamed: &Streamed) {
        if session == self.session {
            self.board.hear(streamed);
        }
    }

    async fn caught_up(&mut self) -> Result<(), HubError> {
        self.listen().await?;
        self.board.away(false);
        Ok(())
    }

    fn away(&mut self) {
        self.board.away(true);
    }
}

impl Following {
    async fn look_for_asks(&self) -> Result<(), HubError> {
        let session = self.hub.session(self.session).await?;
        let Some(name) = &session.agent_session else { return Ok(()) };
        let query = Query {
            states: vec![State::Open],
            agent: Some(session.agent.clone()),
            session: Some(name.clone()),
            limit: MOST_LISTED,
            ..Query::default()
        };
        let open = self.hub.list(query).await?;
        self.board.open_asks(&open);
        Ok(())
    }

    /// What the agent is saying just now, and has begun to say before.
    async fn listen(&self) -> Result<(), HubError> {
        if let Some(streamed) = self.hub.speaking(self.session).await? {
            self.board.hear(&streamed);
        }
        Ok(())
    }
}
