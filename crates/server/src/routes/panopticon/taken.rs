//! Whether answers have arrived at their agents.

use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{AskId, Delivery, Feed, Hub, HubError, Level, News, Phase, Record, Seat};
use tokio::time::{Instant, timeout_at};

/// How long an agent's word is waited for: longer than it takes to type a long answer into a pane.
const RECEIPT_TIMEOUT: Duration = Duration::from_secs(10);

/// What is known of answers that were stored.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// Every agent that tells what it took has taken its own.
    Taken,
    /// Some have not said so yet.
    Unknown,
    /// One was not: which, and why.
    Failed(usize, String),
}

/// Waits until the agents of these asks have said what they took, but not for long.
///
/// Only those are waited for whose own dialog is asked beside the hub: others take what they are given.
pub(super) async fn arrival(
    seat: &Seat,
    mut feed: Box<dyn Feed>,
    asks: &[AskId],
) -> Result<Arrival, HubError> {
    let deadline = Instant::now() + RECEIPT_TIMEOUT;
    loop {
        let mut records = vec![];
        for id in asks {
            records.push(seat.get(*id).await?);
        }
        let found = look_at(&records);
        if found != Arrival::Unknown {
            return Ok(found);
        }
        loop {
            let about_them = |ask: &Arc<Record>| asks.contains(&ask.id);
            match timeout_at(deadline, feed.next()).await {
                Ok(Ok(News::Event(told))) if told.ask.as_ref().is_some_and(about_them) => break,
                Ok(Ok(News::Reset(_))) => break,
                Ok(Ok(_)) => {}
                // They are stored, whatever becomes of this hub.
                Ok(Err(_)) | Err(_) => return Ok(Arrival::Unknown),
            }
        }
    }
}

fn look_at(records: &[Arc<Record>]) -> Arrival {
    let failed = records.iter().enumerate().find_map(|(place, record)| match &record.phase {
        Phase::Resolved { delivery: Delivery::Undelivered { reason, .. }, .. } => {
            Some(Arrival::Failed(place, format!("it did not arrive: {reason}")))
        }
        Phase::Resolved { delivery: Delivery::Overruled { .. }, .. } => {
            Some(Arrival::Failed(place, "the agent took another answer".into()))
        }
        Phase::Resolved { .. } | Phase::Open => None,
    });
    let awaited =
        |record: &Arc<Record>| record.policy().receipt == Level::Seen && record.awaits_receipt();
    let still = if records.iter().any(awaited) { Arrival::Unknown } else { Arrival::Taken };
    failed.unwrap_or(still)
}
