//! What agents asked that are gone, together with whoever waited for them.

use std::time::Duration;

use super::sessions::Runners;
use handraise_agent_claude::hook::{Book, settle_the_dead};
use handraise_broker::{Broker, CLAUDE_CODE};
use handraise_client::Home;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// So long after its deliverer an agent may be about to end.
const A_MOMENT: Duration = Duration::from_secs(1);
const A_WHILE: Duration = Duration::from_secs(10);

/// Takes back what the dead have asked: when the hub starts, and whenever a deliverer has left. A hub
/// where nothing happens does nothing.
pub(super) async fn settle(
    home: Home,
    broker: Broker,
    runners: Runners,
    stopping: CancellationToken,
) {
    tokio::select! {
        () = settle_again_and_again(&home, &broker, &runners) => {}
        () = stopping.cancelled() => {}
    }
}

async fn settle_again_and_again(home: &Home, broker: &Broker, runners: &Runners) {
    let book = Book::new(home.directory());
    let hub = broker.agent_seat(CLAUDE_CODE);
    loop {
        for pause in [A_MOMENT, A_WHILE] {
            let looked_after = runners.look_after().await;
            if let Err(error) = &looked_after {
                tracing::warn!(%error, "sessions could not be looked after");
            }
            if settle_the_dead(&hub, &book).await && looked_after.is_ok() {
                break;
            }
            sleep(pause).await;
        }
        broker.deliverer_left().await;
        sleep(A_MOMENT).await;
    }
}
