//! A hub that may be away at any moment: whoever has something to say says it again.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use handraise_broker::{Hub, HubError};
use tokio::time::sleep;

/// What a hub says to one attempt.
type Attempt<'a, T> = Pin<Box<dyn Future<Output = Result<T, HubError>> + Send + 'a>>;

/// The hub, and whether it is there.
pub(super) struct Insisting {
    hub: Arc<dyn Hub>,
    away: AtomicBool,
    /// Whether one attempt is all there is.
    once: bool,
    tell: Box<dyn Fn(bool) + Send + Sync>,
}

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

impl Insisting {
    /// `tell` hears when it goes away (`true`), and when it is back.
    pub(super) fn new(
        hub: Arc<dyn Hub>,
        once: bool,
        tell: impl Fn(bool) + Send + Sync + 'static,
    ) -> Self {
        Self { hub, away: AtomicBool::new(false), once, tell: Box::new(tell) }
    }

    /// The hub, for whoever waits out its absence by other means.
    pub(super) fn plain(&self) -> &dyn Hub {
        &*self.hub
    }

    /// Notes whether it is there.
    pub(super) fn note(&self, away: bool) {
        if self.away.swap(away, Ordering::Relaxed) != away {
            (self.tell)(away);
        }
    }

    /// Tries until the hub has heard it, with growing pauses and for as long as it takes.
    ///
    /// # Errors
    ///
    /// When the hub refuses.
    pub(super) async fn insist<'a, T>(
        &'a self,
        attempt: impl Fn(&'a dyn Hub) -> Attempt<'a, T>,
    ) -> Result<T, HubError> {
        let mut pause = FIRST_PAUSE;
        loop {
            match attempt(&*self.hub).await {
                Err(error) if !self.once && is_away(&error) => {
                    self.note(true);
                    sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                heard => {
                    self.note(false);
                    return heard;
                }
            }
        }
    }
}

/// Whether it may be different next time. A hub that is set up anew has new tokens, a moment before or
/// after its address.
fn is_away(error: &HubError) -> bool {
    match error {
        HubError::Rejected(_) => false,
        HubError::Store(_) | HubError::Denied(_) | HubError::Unreachable(_) | HubError::Closed => {
            true
        }
    }
}
