//! Following what happens at the hub, through its restarts.

use std::convert::Infallible;
use std::time::Duration;

use handraise_broker::{AskId, Hub, HubError, News, Seq, SessionId, Streamed, Told};
use handraise_client::RemoteHub;
use jiff::Timestamp;

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Somebody who wants to know everything that happens.
///
/// What fails is done again when the hub is back.
pub(crate) trait Follower {
    /// Looks at everything as it stands.
    async fn look(&mut self) -> Result<(), HubError>;

    /// Something could not be told: what is known may never have been. It is looked at anew next.
    fn doubt(&mut self) {}

    /// Something happened.
    async fn told(&mut self, told: &Told) -> Result<(), HubError>;

    /// Somebody is typing at an ask, and silence now ends it then.
    fn typing(&mut self, _ask: AskId, _ends_at: Option<Timestamp>) {}

    /// An agent is saying something.
    fn speaking(&mut self, _session: SessionId, _streamed: &Streamed) {}

    /// Everything was told that had happened; from now on it is told as it happens.
    async fn caught_up(&mut self) -> Result<(), HubError>;

    /// The hub is away for now.
    fn away(&mut self);
}

/// Follows the hub until it cannot be followed any more, and returns why.
pub(crate) async fn follow(hub: RemoteHub, follower: &mut impl Follower) -> HubError {
    let mut cursor = None;
    let mut pause = FIRST_PAUSE;
    loop {
        let place = cursor;
        let Err(error) = connected(&hub, &mut cursor, follower).await;
        match error {
            HubError::Unreachable(_) | HubError::Closed | HubError::Store(_) => {
                follower.away();
                if cursor != place {
                    pause = FIRST_PAUSE;
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            error @ (HubError::Rejected(_) | HubError::Denied(_)) => return error,
        }
    }
}

/// As long as the connection lasts. Everything up to the cursor was told: it comes back to that place.
async fn connected(
    hub: &RemoteHub,
    cursor: &mut Option<Seq>,
    follower: &mut impl Follower,
) -> Result<Infallible, HubError> {
    let mut feed = hub.follow(*cursor).await?;
    loop {
        match feed.next().await? {
            News::Event(told) => {
                follower.told(&told).await?;
                *cursor = Some(told.seq);
            }
            News::Live(seq) => {
                if cursor.is_none() {
                    follower.look().await?;
                }
                follower.caught_up().await?;
                *cursor = Some(seq);
            }
            News::Reset(seq) => {
                follower.doubt();
                follower.look().await?;
                *cursor = Some(seq);
            }
            News::Typing { ask, ends_at } => follower.typing(ask, ends_at),
            News::Speaking { session, streamed } => follower.speaking(session, &streamed),
        }
    }
}
