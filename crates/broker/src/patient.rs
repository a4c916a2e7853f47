//! Waiting for as long as it takes.

use std::sync::Arc;
use std::time::Duration;

use crate::{AskId, DelivererId, Hub, HubError, Record};

/// Whether the hub is there, for whoever waits to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Away {
    /// It has gone; it is waited for.
    Gone,
    /// It is back.
    Back,
}

const AT_A_TIME: Duration = Duration::from_secs(55);
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Waits for the answer to an ask like [`until_resolved`], for the program that acts on it: an end that
/// only an agent claims counts as withdrawn.
///
/// # Errors
///
/// Those of [`until_resolved`].
pub async fn wait_for_answer(
    hub: &dyn Hub,
    id: AskId,
    deliverer: Option<DelivererId>,
    notice: impl FnMut(Away),
) -> Result<Arc<Record>, HubError> {
    until_resolved(hub, id, deliverer, notice).await.map(Record::for_waiting_program)
}

/// Waits for the end of an ask, through restarts of the hub and however long it takes.
///
/// # Errors
///
/// When the hub refuses: there is no such ask, or another process delivers it.
pub async fn until_resolved(
    hub: &dyn Hub,
    id: AskId,
    deliverer: Option<DelivererId>,
    mut notice: impl FnMut(Away),
) -> Result<Arc<Record>, HubError> {
    let mut away = false;
    let mut pause = FIRST_PAUSE;
    loop {
        // A hub that was away is not asked to wait, so that it shows at once that it is back.
        let patience = if away { Duration::ZERO } else { AT_A_TIME };
        match hub.wait(id, deliverer.clone(), patience).await {
            Ok(end) => {
                if std::mem::take(&mut away) {
                    notice(Away::Back);
                }
                pause = FIRST_PAUSE;
                if let Some(record) = end {
                    return Ok(record);
                }
            }
            Err(HubError::Unreachable(_) | HubError::Closed | HubError::Store(_)) => {
                if !std::mem::replace(&mut away, true) {
                    notice(Away::Gone);
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            Err(error) => return Err(error),
        }
    }
}
