//! Following a session: what was said, what is said, what it asks; through restarts of the hub.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{Hub, HubError, MOST_LISTED, News, Query, Seq, SessionId, Sessions, State};
use handraise_client::RemoteHub;

use super::board::Board;

/// So much of what was said before is shown.
const SHOWN_BEFORE: u64 = 20;
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Follows a session until it cannot be followed any more.
pub(super) async fn follow(hub: RemoteHub, session: SessionId, board: Arc<Board>) {
    let mut following = Following { hub, session, board, cursor: None, first: None };
    let mut pause = FIRST_PAUSE;
    loop {
        let place = following.cursor;
        let Err(error) = following.connected().await;
        match error {
            HubError::Unreachable(_) | HubError::Closed | HubError::Store(_) => {
                following.board.away(true);
                if following.cursor != place {
                    pause = FIRST_PAUSE;
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            error @ (HubError::Rejected(_) | HubError::Denied(_)) => {
                following.board.fail(error);
                return;
            }
        }
    }
}

struct Following {
    hub: RemoteHub,
    session: SessionId,
    board: Arc<Board>,
    /// Everything up to here was told.
    cursor: Option<Seq>,
    /// The place before the first message that is shown.
    first: Option<u64>,
}

impl Following {
    /// As long as the connection lasts. It comes back to the place where it was.
    async fn connected(&mut self) -> Result<Infallible, HubError> {
        let mut feed = self.hub.follow(self.cursor).await?;
        loop {
            match feed.next().await? {
                News::Event(told) => {
                    if self.board.told(&told) {
                        self.look_for_asks().await?;
                    }
                    self.cursor = Some(told.seq);
                }
                News::Live(seq) => {
                    if self.cursor.is_none() {
                        self.look().await?;
                    }
                    self.listen().await?;
                    self.board.away(false);
                    self.cursor = Some(seq);
                }
                News::Reset(seq) => {
                    self.look().await?;
                    self.cursor = Some(seq);
                }
                News::Speaking { session, streamed } => {
                    if session == self.session {
                        self.board.hear(&streamed);
                    }
                }
                News::Typing { .. } => {}
            }
        }
    }

    /// Looks at everything anew. What is on the screen already is passed over there.
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
