//! What a person says, on its way to the hub: one after the other, each once.

use std::sync::Arc;

use handraise_broker::{SessionId, Sessions};
use handraise_client::RemoteHub;

use super::board::{Board, Outgoing};
use crate::ask::AS_LONG_AS_IT_TAKES;

/// Sends whatever is said, and waits for a hub that is away.
pub(super) async fn send(hub: RemoteHub, session: SessionId, board: Arc<Board>) {
    let hub = hub.patient(AS_LONG_AS_IT_TAKES);
    loop {
        while let Some(Outgoing { key, text }) = board.to_send() {
            board.sent(&hub.say(session, text, Some(key)).await);
        }
        board.to_send.notified().await;
    }
}
