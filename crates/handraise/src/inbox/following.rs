//! Following what waits, through restarts of the hub.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{
    AskId, Hub, HubError, MOST_LISTED, News, Order, Query, Record, Rejection, Seq, State,
};
use handraise_client::RemoteHub;
use jiff::SignedDuration;

use super::board::Board;
use crate::environment;

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// What went wrong is shown for so long, and so many at most.
const ALARMS_FOR: SignedDuration = SignedDuration::from_hours(24);
const MOST_ALARMS: u32 = 50;

/// Follows the hub until it cannot be followed any more.
pub(super) async fn follow(hub: RemoteHub, board: Arc<Board>) {
    let mut following = Following { hub, board, cursor: None };
    let mut pause = FIRST_PAUSE;
    loop {
        let place = following.cursor;
        let Err(error) = following.connected().await;
        match error {
            HubError::Unreachable(_) | HubError::Closed | HubError::Store(_) => {
                following.board.remote.away(true);
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
    board: Arc<Board>,
    /// Everything up to here was told.
    cursor: Option<Seq>,
}

impl Following {
    /// As long as the connection lasts. It comes back to the place where it was.
    async fn connected(&mut self) -> Result<Infallible, HubError> {
        let mut feed = self.hub.follow(self.cursor).await?;
        loop {
            match feed.next().await? {
                News::Event(told) => {
                    self.board.told(&told);
                    self.cursor = Some(told.seq);
                }
                News::Live(seq) => {
                    if self.cursor.is_none() {
                        self.look().await?;
                    }
                    self.board.remote.away(false);
                    self.cursor = Some(seq);
                }
                News::Reset(seq) => {
                    self.board.doubt();
                    self.look().await?;
                    self.cursor = Some(seq);
                }
                News::Typing { ask, ends_at } => self.board.moved(ask, ends_at),
                News::Speaking { .. } => {}
            }
        }
    }

    /// Looks at everything anew.
    async fn look(&self) -> Result<(), HubError> {
        self.look_for_alarms().await?;
        let mut open = HashSet::new();
        let mut after: Option<AskId> = None;
        loop {
            let states = vec![State::Open];
            let query = Query { states, after, limit: MOST_LISTED, ..Query::default() };
            let page = self.hub.list(query).await?;
            open.extend(page.iter().map(|record| record.id));
            self.board.take(&page, false);
            after = page.last().map(|record| record.id);
            if page.len() < MOST_LISTED as usize {
                break;
            }
        }
        for id in self.board.missing(&open) {
            match self.hub.get(id).await {
                Ok(record) => self.board.take(&[record], false),
                // Dropped with old ones, or never there in what was restored.
                Err(HubError::Rejected(Rejection::NoSuchAsk(_))) => self.board.gone(id),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn look_for_alarms(&self) -> Result<(), HubError> {
        let order = Order::LastEndedFirst;
        let all = Query { order, limit: MOST_ALARMS, ..Query::default() };
        let astray = vec![State::Overruled, State::Undelivered];
        let since = environment::time().saturating_sub(ALARMS_FOR).unwrap_or(jiff::Timestamp::MIN);
        let late = |record: &Arc<Record>| record.resolved().is_some_and(|end| end.at > since);
        for query in [Query { doubted: true, ..all.clone() }, Query { states: astray, ..all }] {
            let mut found = self.hub.list(query).await?;
            found.retain(late);
            self.board.take(&found, false);
        }
        Ok(())
    }
}
