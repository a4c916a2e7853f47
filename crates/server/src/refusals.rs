//! Every refusal is noted, without letting anybody fill the log.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use handraise_broker::{AccessRefused, Broker};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The first refusal of a kind is in the log before it is answered; more of the same within a moment
/// become one event with their number.
#[derive(Clone)]
pub(crate) struct Refusals {
    broker: Broker,
    tasks: TaskTracker,
    stopping: CancellationToken,
    more: Arc<Mutex<HashMap<Kind, u64>>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Kind {
    code: String,
    tried: String,
    peer: Option<String>,
    device: Option<String>,
}

const MOMENT: Duration = Duration::from_secs(10);
/// So many kinds at once are an attack, and are counted together by code.
const MOST_KINDS: usize = 100;

impl Refusals {
    pub(crate) fn new(broker: Broker, tasks: TaskTracker, stopping: CancellationToken) -> Self {
        Self { broker, tasks, stopping, more: Arc::default() }
    }

    /// Notes one refusal.
    pub(crate) async fn note(
        &self,
        code: &str,
        tried: &str,
        peer: Option<String>,
        device: Option<String>,
    ) {
        let mut kind = Kind { code: code.into(), tried: tried.into(), peer, device };
        {
            let mut more = self.more.lock().unwrap_or_else(PoisonError::into_inner);
            if more.len() >= MOST_KINDS && !more.contains_key(&kind) {
                kind = Kind { tried: "many things".into(), peer: None, device: None, ..kind };
            }
            if let Some(times) = more.get_mut(&kind) {
                *times += 1;
                return;
            }
            more.insert(kind.clone(), 0);
        }
        self.write(&kind, 1).await;
        let this = self.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                () = tokio::time::sleep(MOMENT) => {}
                () = this.stopping.cancelled() => {}
            }
            let times = {
                let mut more = this.more.lock().unwrap_or_else(PoisonError::into_inner);
                more.remove(&kind).unwrap_or(0)
            };
            if times > 0 {
                this.write(&kind, times).await;
            }
        });
    }

    async fn write(&self, kind: &Kind, times: u64) {
        let Kind { code, tried, peer, device } = kind.clone();
        tracing::warn!(code, tried, peer, device, times, "refused");
        let refused = AccessRefused { code, tried, peer, device, times };
        if let Err(error) = self.broker.note_refusal(refused).await {
            tracing::error!(%error, "a refusal could not be noted");
        }
    }
}
