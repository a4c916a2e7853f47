//! A person's word on an ask, on its way to the hub: it waits for one that is away.

use std::sync::Arc;

use handraise_broker::{AskId, Hub, HubError, Matter, Rejection, Reply};
use handraise_client::RemoteHub;
use handraise_question::Resolution;
use handraise_terminal::Sent;

use super::board::Board;
use crate::approval;
use crate::ask::{AS_LONG_AS_IT_TAKES, reply_of};

/// What the resolution of an ask says to the hub; silence says nothing.
pub(super) fn reply(matter: &Matter, resolution: Resolution) -> Option<Reply> {
    match matter {
        Matter::Questions(_) => reply_of(resolution),
        Matter::Approval(_) => approval::reply(resolution),
    }
}

/// Sends it, however long that takes. With its key it counts once, however often it is sent.
pub(super) async fn send(hub: RemoteHub, board: Arc<Board>, id: AskId, reply: Reply, key: String) {
    let hub = hub.patient(AS_LONG_AS_IT_TAKES);
    match hub.reply(id, reply, Some(key)).await {
        // First that it has ended, so that it takes no key in between.
        Ok(record) => {
            board.take(&[record], false);
            board.sent(id, Sent::Taken);
        }
        Err(HubError::Rejected(Rejection::AlreadyResolved(record))) => {
            board.take(&[Arc::from(record)], false);
            board.sent(id, Sent::Late);
        }
        Err(HubError::Rejected(Rejection::NoSuchAsk(_))) => {
            board.gone(id);
            board.sent(id, Sent::Late);
        }
        Err(error) => board.sent(id, Sent::Refused(error.to_string())),
    }
}
