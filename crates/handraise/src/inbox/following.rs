//! Following what waits.

use std::collections::HashSet;
use std::sync::Arc;

use handraise_broker::{
    AskId, Hub, HubError, MOST_LISTED, Order, Query, Record, Rejection, State, Told,
};
use handraise_client::RemoteHub;
use jiff::{SignedDuration, Timestamp};

use super::board::Board;
use crate::environment;
use crate::following::{self, Follower};

/// What went wrong is shown for so long, and so many at most.
const ALARMS_FOR: SignedDuration = SignedDuration::from_hours(24);
const MOST_ALARMS: u32 = 50;

/// Follows the hub until it cannot be followed any more.
pub(super) async fn follow(hub: RemoteHub, board: Arc<Board>) {
    let mut following = Following { hub: hub.clone(), board };
    let error = following::follow(hub, &mut following).await;
    following.board.fail(error);
}

struct Following {
    hub: RemoteHub,
    board: Arc<Board>,
}

impl Follower for Following {
    async fn look(&mut self) -> Result<(), HubError> {
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

    fn doubt(&mut self) {
        self.board.doubt();
    }

    async fn told(&mut self, told: &Told) -> Result<(), HubError> {
        self.board.told(told);
        Ok(())
    }

    fn typing(&mut self, ask: AskId, ends_at: Option<Timestamp>) {
        self.board.moved(ask, ends_at);
    }

    async fn caught_up(&mut self) -> Result<(), HubError> {
        self.board.remote.away(false);
        Ok(())
    }

    fn away(&mut self) {
        self.board.remote.away(true);
    }
}

impl Following {
    async fn look_for_alarms(&self) -> Result<(), HubError> {
        let order = Order::LastEndedFirst;
        let all = Query { order, limit: MOST_ALARMS, ..Query::default() };
        let astray = vec![State::Overruled, State::Undelivered];
        let since = environment::time().saturating_sub(ALARMS_FOR).unwrap_or(Timestamp::MIN);
        let late = |record: &Arc<Record>| record.resolved().is_some_and(|end| end.at > since);
        for query in [Query { doubted: true, ..all.clone() }, Query { states: astray, ..all }] {
            let mut found = self.hub.list(query).await?;
            found.retain(late);
            self.board.take(&found, false);
        }
        Ok(())
    }
}
