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
    /// What the hub is to know. One after the other: what is told last must be heard last.
    to_tell: watch::Sender<Word>,
    /// Which word was told last.
    told: watch::Receiver<u64>,
    /// When it was said last that somebody looks, if that still holds.
    looked: Option<Instant>,
}

/// For how long somebody looks; numbered, so that it is known when it was told.
#[derive(Debug, Clone, Copy, Default)]
struct Word {
    number: u64,
    seconds: u64,
}

impl Presence {
    pub(super) fn new(hub: RemoteHub, runtime: &Handle) -> Self {
        let view: String = format!("inbox-{}", hub.deliverer().as_str());
        let view: String = view.chars().take(Look::LONGEST_VIEW).collect();
        let (to_tell, mut words) = watch::channel(Word::default());
        let (telling, told) = watch::channel(0);
        runtime.spawn(async move {
            while words.changed().await.is_ok() {
                let Word { number, seconds } = *words.borrow_and_update();
                // A hub that is away disturbs nobody.
                let _ = hub.look(Look { view: view.clone(), ask: None, seconds }).await;
                telling.send_replace(number);
            }
        });
        Self { to_tell, told, looked: None }
    }

    pub(super) fn note(&mut self, looks: bool) {
        if !looks {
            self.looked = None;
            self.tell(0);
        } else if self.looked.is_none_or(|looked| looked.elapsed() >= TOLD_EVERY) {
            self.looked = Some(Instant::now());
            self.tell(LOOKS_FOR);
        }
    }

    /// Nobody looks here any more, and the hub knows when this returns; or else it finds out by itself, within a
    /// minute.
    pub(super) async fn end(&mut self) {
        if self.looked.take().is_some() {
            let number = self.tell(0);
            let told = self.told.wait_for(|told| *told >= number);
            // A hub that does not answer keeps nobody.
            let _ = timeout(A_MOMENT, told).await;
        }
    }

    fn tell(&self, seconds: u64) -> u64 {
        let number = self.to_tell.borrow().number + 1;
        self.to_tell.send_replace(Word { number, seconds });
        number
    }
}
