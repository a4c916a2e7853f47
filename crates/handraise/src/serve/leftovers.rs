//! What agents asked that are gone, together with whoever waited for them.

use std::time::Duration;

use handraise_agent_claude::hook::{Book, settle_the_dead};
use handraise_broker::{Broker, Power};
use handraise_client::{Home, RemoteHub};
use handraise_question::Surface;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// So long after its deliverer an agent may be about to end.
const A_MOMENT: Duration = Duration::from_secs(1);
const A_WHILE: Duration = Duration::from_secs(10);

/// Takes back what the dead have asked: when the hub starts, and whenever a deliverer has left. A hub
/// where nothing happens does nothing.
pub(super) async fn settle(home: Home, broker: Broker, stopping: CancellationToken) {
    tokio::select! {
        () = settle_again_and_again(home, &broker) => {}
        () = stopping.cancelled() => {}
    }
}

async fn settle_again_and_again(home: Home, broker: &Broker) {
    let book = Book::new(home.directory());
    let hub = RemoteHub::new(home, Power::Agent, Surface::Api);
    loop {
        for pause in [A_MOMENT, A_WHILE] {
            if settle_the_dead(&hub, &book).await {
                break;
            }
            sleep(pause).await;
        }
        broker.deliverer_left().await;
        sleep(A_MOMENT).await;
    }
}
