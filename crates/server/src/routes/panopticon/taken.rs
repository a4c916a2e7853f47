//! Whether answers have arrived at their agents.

use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{AskId, Delivery, Feed, Hub, HubError, Level, News, Phase, Record, Seat};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// How long an agent's receipt is waited for. A watch waits 30 s for a dialog it can type into, and then types
/// one key after the other.
const RECEIPT_TIMEOUT: Duration = Duration::from_mins(1);

/// What became of answers that were stored.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// Every agent that tells what it took has taken its own.
    Taken,
    /// One was not: which, and why.
    Failed(usize, String),
}

/// Waits until the agents of these asks have said what they took. Each that does gives the next its time:
/// Claude Code shows one dialog after the other.
///
/// Only those are waited for that say what their model has read: others take what they are given.
pub(super) async fn arrival(
    seat: &Seat,
    mut feed: Box<dyn Feed>,
    asks: &[AskId],
    stopping: &CancellationToken,
) -> Result<Arrival, HubError> {
    let (mut deadline, mut awaited) = (Instant::now() + RECEIPT_TIMEOUT, asks.len());
    loop {
        let mut records = vec![];
        for id in asks {
            records.push(seat.get(*id).await?);
        }
        if let Some(failed) = failure(&records) {
            return Ok(failed);
        }
        match records.iter().filter(|record| is_awaited(record)).count() {
            0 => return Ok(Arrival::Taken),
            left if left < awaited => {
                (deadline, awaited) = (Instant::now() + RECEIPT_TIMEOUT, left);
            }
            _ => {}
        }
        tokio::select! {
            next = timeout_at(deadline, change(&mut feed, asks)) => match next {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return Err(error),
                Err(_) => return Ok(overdue(&records, "the agent has not said that it took it")),
            },
            () = stopping.cancelled() => return Ok(overdue(&records, "the hub is shutting down")),
        }
    }
}

/// Waits until something may have become of them.
async fn change(feed: &mut Box<dyn Feed>, asks: &[AskId]) -> Result<(), HubError> {
    let about_them = |ask: &Arc<Record>| asks.contains(&ask.id);
    loop {
        match feed.next().await? {
            News::Event(told) if told.ask.as_ref().is_some_and(about_them) => return Ok(()),
            News::Reset(_) => return Ok(()),
            News::Event(_) | News::Live(_) | News::Typing { .. } | News::Speaking { .. } => {}
        }
    }
}

fn is_awaited(record: &Record) -> bool {
    record.policy().receipt == Level::Seen && record.awaits_receipt()
}

/// The first that is known not to have arrived.
fn failure(records: &[Arc<Record>]) -> Option<Arrival> {
    records.iter().enumerate().find_map(|(place, record)| match &record.phase {
        Phase::Resolved { delivery: Delivery::Undelivered { reason, .. }, .. } => {
            Some(Arrival::Failed(place, format!("it did not arrive: {reason}")))
        }
        Phase::Resolved { delivery: Delivery::Overruled { .. }, .. } => {
            Some(Arrival::Failed(place, "the agent took another answer".into()))
        }
        Phase::Resolved { .. } | Phase::Open => None,
    })
}

/// What is said when the wait is over. One that was handed over has arrived: what its model reads is its own
/// affair.
fn overdue(records: &[Arc<Record>], why: &str) -> Arrival {
    let on_its_way = |record: &Arc<Record>| is_awaited(record) && record.last_receipt().is_none();
    match records.iter().position(on_its_way) {
        Some(place) => Arrival::Failed(place, format!("it is stored and on its way, but {why}")),
        None => Arrival::Taken,
    }
}
