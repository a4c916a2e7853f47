//! What was left behind: calls whose end nobody told the hub.

use std::sync::Arc;
use std::time::{Duration, Instant};

use handraise_broker::{AskId, CLAUDE_CODE, Hub, HubError, Query, Receipt, Record, State};
use tokio::time::{sleep, timeout};

use super::book::{Book, Entry};
use super::input::Input;
use super::process::Process;
use super::{Surroundings, taken};
use crate::transcript::{Outcome, Transcript};

/// How a call came to its end without an answer from the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// The dialog was left.
    Cancelled,
    /// Claude Code is gone.
    Gone,
    /// The turn is over.
    TurnOver,
    /// The session is over.
    SessionOver,
}

impl Ended {
    fn reason(self) -> &'static str {
        match self {
            Self::Cancelled => "it was cancelled in Claude Code",
            Self::Gone => "Claude Code is gone",
            Self::TurnOver => "Claude Code ended its turn",
            Self::SessionOver => "the session ended",
        }
    }
}

/// How long Claude Code may take to write down what became of a call. A process that waited at a dialog
/// that was left is killed not much later.
const WRITTEN_DOWN: Duration = Duration::from_millis(700);
/// How long a hub that is away is waited for by a process nobody waits for.
const LAST_PATIENCE: Duration = Duration::from_mins(1);
const PATIENCE: Duration = Duration::from_secs(2);
const TURN: Duration = Duration::from_millis(20);

/// Tells the hub what the transcript says of a call; if that is nothing, and the call has ended, takes
/// the ask back. Whether that settles it.
pub(super) async fn settle(
    hub: &dyn Hub,
    entry: &Entry,
    ended: Option<Ended>,
) -> Result<bool, HubError> {
    let Some(id) = ask_of(hub, entry).await? else {
        entry.remove();
        return Ok(true);
    };
    let call = &entry.call;
    let written = call.transcript.as_deref().zip(call.tool_use_id.as_deref());
    let outcome = written.and_then(|(path, call)| Transcript::new(path).outcome(call));
    let told = match (outcome, ended) {
        (Some(outcome), _) => tell_outcome(hub, id, outcome).await,
        (None, Some(ended)) => hub.withdraw(id, Some(ended.reason().into())).await.map(|_| ()),
        (None, None) => return Ok(false),
    };
    match told {
        // A hub that will not hear of it now will not hear of it later.
        Ok(()) | Err(HubError::Rejected(_)) => {
            entry.remove();
            Ok(true)
        }
        Err(error) => Err(error),
    }
}

async fn tell_outcome(hub: &dyn Hub, id: AskId, outcome: Outcome) -> Result<(), HubError> {
    let record = hub.get(id).await?;
    let took = taken::by_outcome(record.matter(), &outcome);
    taken::tell(hub, id, Receipt { took, ..Receipt::seen(Some(outcome.text)) }).await
}

/// The same for a call that has ended, once Claude Code had time to write down how: it does so a moment
/// after the fact, and what it wrote says more than that it is over.
async fn settle_when_written(hub: &dyn Hub, entry: &Entry, ended: Ended) -> Result<(), HubError> {
    let start = Instant::now();
    // Whoever is gone writes nothing any more.
    while ended != Ended::Gone && start.elapsed() < WRITTEN_DOWN {
        if settle(hub, entry, None).await? {
            return Ok(());
        }
        sleep(TURN).await;
    }
    settle(hub, entry, Some(ended)).await.map(|_| ())
}

/// Settles a call whose waiting process is about to end, as long as the hub may come back.
pub(super) async fn settle_in_the_end(hub: &dyn Hub, entry: &Entry, ended: Ended) {
    let start = Instant::now();
    while settle_when_written(hub, entry, ended).await.is_err() && start.elapsed() < LAST_PATIENCE {
        sleep(PATIENCE).await;
    }
}

/// A turn has ended: none of its calls is under way any more.
pub(super) async fn turn_ended(input: &Input, around: &Surroundings<'_>) -> Result<(), String> {
    all_ended(input, around, Ended::TurnOver).await
}

/// A session has ended, and with it all of its calls.
pub(super) async fn session_ended(input: &Input, around: &Surroundings<'_>) -> Result<(), String> {
    let ended = all_ended(input, around, Ended::SessionOver).await;
    around.book.session(&input.session_id).close();
    ended
}

async fn all_ended(input: &Input, around: &Surroundings<'_>, ended: Ended) -> Result<(), String> {
    let session = around.book.session(&input.session_id);
    session.forget_notes(around.claude.as_ref());
    // Whoever still waits for an answer settles it; and what another Claude Code has asked in the same
    // session is under way as long as that one is.
    let left = |entry: &Entry| {
        let mine = entry.call.claude == around.claude;
        let waits = entry.call.waiting.as_ref().is_some_and(Process::lives);
        mine && !waits
    };
    for entry in session.asked().into_iter().filter(left) {
        let settled = timeout(PATIENCE, settle_when_written(around.hub, &entry, ended)).await;
        settled.map_err(|_| "the hub is too slow")?.map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Settles the calls of sessions whose Claude Code is gone, and with it whoever waited for them. Whether
/// no call is under way any more.
pub async fn settle_the_dead(hub: &dyn Hub, book: &Book) -> bool {
    let mut all = true;
    for session in book.sessions() {
        for entry in session.asked() {
            if entry.call.claude.as_ref().is_none_or(Process::lives) {
                continue;
            }
            // If the hub cannot be reached there is a next time.
            let _ = timeout(PATIENCE, settle(hub, &entry, Some(Ended::Gone))).await;
        }
        if session.is_abandoned() {
            session.close();
        }
        all &= session.asked().is_empty();
    }
    all
}

/// The ask a call became. A hub that was too slow to say so knows it by its key.
pub(super) async fn ask_of(hub: &dyn Hub, entry: &Entry) -> Result<Option<AskId>, HubError> {
    if entry.call.ask.is_some() {
        return Ok(entry.call.ask);
    }
    let Some(key) = &entry.call.key else { return Ok(None) };
    let (session, _) = key.split_once('/').unwrap_or((key, ""));
    let query = Query {
        states: vec![State::Open],
        session: Some(session.to_owned()),
        limit: 500,
        ..Query::default()
    };
    let mut open = hub.list(query).await?;
    open.retain(|record| record.opened.key.as_deref() == Some(key.as_str()));
    Ok(own_first(open).map(|record| record.id))
}

/// One of several asks that look alike: keys count for each agent by itself, so another agent may have
/// asked under the same one.
pub(crate) fn own_first(asks: Vec<Arc<Record>>) -> Option<Arc<Record>> {
    asks.into_iter().min_by_key(|record| match record.opened.owner.as_deref() {
        Some(CLAUDE_CODE) => 0,
        None => 1,
        Some(_) => 2,
    })
}
