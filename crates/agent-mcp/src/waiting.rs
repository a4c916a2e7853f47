//! Waiting for an answer for as long as the client does, and telling it so.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::asks::{End, Waiter};

const BETWEEN_PROGRESS: Duration = Duration::from_secs(10);

/// One call of a tool.
pub(crate) struct Call {
    pub(crate) context: RequestContext<RoleServer>,
    /// The name by which the agent knows the tool that asks.
    pub(crate) ask_name: &'static str,
    pub(crate) began: Instant,
    /// How long the client will wait, and a bit less.
    pub(crate) patience: Duration,
    /// Cancelled when the client is gone.
    pub(crate) gone: CancellationToken,
}

/// What a call waited for.
pub(crate) enum Waited {
    /// The ask ended, or nobody can say how.
    Ended(End),
    /// The client's patience ended first.
    NotYet,
    /// The client took the call back.
    Cancelled,
    /// The client is gone.
    Gone,
}

impl Call {
    /// Waits for the end of an ask.
    pub(crate) async fn wait(&self, waiter: &mut Waiter) -> Waited {
        tokio::select! {
            biased;
            () = self.context.ct.cancelled() => Waited::Cancelled,
            end = waiter.end() => Waited::Ended(end),
            () = self.gone.cancelled() => Waited::Gone,
            () = tokio::time::sleep_until(self.began + self.patience) => Waited::NotYet,
            () = self.tell_progress() => Waited::NotYet,
        }
    }

    /// Tells the client now and then that it is being waited. Never ends.
    async fn tell_progress(&self) {
        let Some(token) = self.context.meta.get_progress_token() else {
            return std::future::pending().await;
        };
        // Where little is waited, it is still told a few times.
        let between = BETWEEN_PROGRESS.min(self.patience / 4).max(Duration::from_millis(100));
        loop {
            tokio::time::sleep(between).await;
            let waited = self.began.elapsed();
            let progress = ProgressNotificationParam::new(token.clone(), waited.as_secs_f64())
                .with_message(format!("Waiting for the person ({} s)", waited.as_secs()));
            // That nobody listens is noticed elsewhere.
            let _ = self.context.peer.notify_progress(progress).await;
        }
    }
}
