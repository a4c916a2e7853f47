//! Telling the hub that somebody looks at what waits.
//!
//! Only a key or the terminal's own word is evidence. An inbox left open on a screen nobody looks at
//! must not keep notifications from being sent.

use std::time::{Duration, Instant};

use handraise_broker::{Hub, Look};
use handraise_client::RemoteHub;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;

/// How long a key counts, and how often it is told.
const LOOKS_FOR: u64 = 60;
const TOLD_EVERY: Duration = Duration::from_secs(20);
/// How long somebody who leaves is kept for it.
const A_MOMENT: Duration = Duration::from_secs(1);

pub(super) struct Presence {
    hub: RemoteHub,
    view: String,
    seconds: watch::Sender<u64>,
    told: Option<Instant>,
}

impl Presence {
    pub(super) fn new(hub: RemoteHub, runtime: &Handle) -> Self {
        let view: String = format!("inbox-{}", hub.deliverer().as_str());
        let view: String = view.chars().take(Look::LONGEST_VIEW).collect();
        let (seconds, mut changes) = watch::channel(0);
        let (telling, name) = (hub.clone(), view.clone());
        runtime.spawn(async move {
            while changes.changed().await.is_ok() {
                let seconds = *changes.borrow_and_update();
                // A hub that is away disturbs nobody.
                let _ = telling.look(Look { view: name.clone(), ask: None, seconds }).await;
            }
        });
        Self { hub, view, seconds, told: None }
    }

    pub(super) fn note(&mut self, looks: bool) {
        if !looks {
            self.told = None;
            self.seconds.send_replace(0);
        } else if self.told.is_none_or(|told| told.elapsed() >= TOLD_EVERY) {
            self.told = Some(Instant::now());
            self.seconds.send_replace(LOOKS_FOR);
        }
    }

    /// Nobody looks here any more.
    pub(super) async fn leave(self) {
        if self.told.is_some() {
            let look = self.hub.look(Look { view: self.view, ask: None, seconds: 0 });
            // It ends by itself within a minute.
            let _ = timeout(A_MOMENT, look).await;
        }
    }
}
