//! What every WebSocket of a hub has in common with the others: how it begins and how it ends.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use futures_util::SinkExt;
use handraise_broker::{Caller, Token};
use handraise_question::Surface;
use handraise_wire::v1::{Problem, TokenFrame};

use crate::app::{App, Peer};
use crate::authenticated::{DeviceSlot, authenticate};
use crate::connection::{Connection, TOO_MANY_CONNECTIONS};
use crate::problem::Failure;

/// How long a browser may take to show its token, and a client to take one frame.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often somebody at the other end hears something, at least.
pub(crate) const BEAT: Duration = Duration::from_secs(20);
/// Close codes of our own: the private range begins at 4000.
pub(crate) const NOT_ALLOWED: u16 = 4401;
pub(crate) const GOING_AWAY: u16 = 1001;
pub(crate) const FAILED: u16 = 1011;
const TRY_AGAIN_LATER: u16 = 1013;
/// Every WebSocket keeps a buffer of this size from the start, also one nobody has shown a token on.
const READ_BUFFER: usize = 4096;

/// Bounds what one WebSocket can hold: its read buffer, and the largest message that is taken.
pub(crate) fn bound(upgrade: WebSocketUpgrade, largest: usize) -> WebSocketUpgrade {
    upgrade.read_buffer_size(READ_BUFFER).max_message_size(largest).max_frame_size(largest)
}

/// Somebody whose handshake carried no token.
pub(crate) struct Stranger<'a> {
    pub(crate) peer: Peer,
    pub(crate) connection: &'a Connection,
    /// What is noted when they are refused.
    pub(crate) tried: &'a str,
}

impl Stranger<'_> {
    /// Takes the token from a browser's first frame: it cannot set headers on a WebSocket.
    pub(crate) async fn introduce(
        &self,
        app: &App,
        socket: &mut WebSocket,
        surface: Surface,
    ) -> Option<Caller> {
        let patience = app.config.limits.patience.min(PATIENCE);
        let first = tokio::select! {
            first = tokio::time::timeout(patience, socket.recv()) => first,
            () = self.connection.has_to_go() => {
                let address = Some(self.peer.0.to_string());
                app.refusals.note(TOO_MANY_CONNECTIONS, "a connection", address, None).await;
                close(socket, TRY_AGAIN_LATER, "too many connections").await;
                return None;
            }
            () = app.stopping.cancelled() => return None,
        };
        let slot = DeviceSlot::default();
        let refused = match first {
            Ok(Some(Ok(Message::Text(text)))) => match serde_json::from_str::<TokenFrame>(&text) {
                Ok(frame) => {
                    let token = Token::presented(&frame.token);
                    let known = authenticate(app, self.peer, &token, surface, &slot);
                    match known.and_then(|caller| {
                        self.connection.admit(caller.device.power)?;
                        Ok(caller)
                    }) {
                        Ok(caller) => return Some(caller),
                        Err(Failure(problem)) => problem,
                    }
                }
                Err(_) => Problem::new(401, "no_token", "the first frame must be {\"token\": …}"),
            },
            Ok(None | Some(Err(_))) => return None,
            Ok(Some(Ok(bye @ Message::Close(_)))) => {
                reply_to(socket, &bye).await;
                return None;
            }
            Ok(Some(Ok(_))) => Problem::new(401, "no_token", "the first frame must be text"),
            // A page that slept may have a token all the same.
            Err(_) => Problem::new(408, "no_token", "no token came in time"),
        };
        self.turn_away(app, socket, &refused, slot.0.get().cloned()).await;
        None
    }

    /// Ends the WebSocket of somebody who may not come in.
    pub(crate) async fn turn_away(
        &self,
        app: &App,
        socket: &mut WebSocket,
        refused: &Problem,
        device: Option<String>,
    ) {
        let address = Some(self.peer.0.to_string());
        app.refusals.note(&refused.code, self.tried, address, device).await;
        let forbidden = matches!(refused.status, 401 | 403);
        let code = if forbidden { NOT_ALLOWED } else { TRY_AGAIN_LATER };
        close(socket, code, &refused.title).await;
    }
}

/// Whether it was sent. Whoever does not take a frame in time is gone, or as good as.
pub(crate) async fn in_time(sent: impl Future<Output = Result<(), axum::Error>>) -> bool {
    matches!(tokio::time::timeout(PATIENCE, sent).await, Ok(Ok(())))
}

/// Sends the reply a ping or a close asks for, before anything else is read: replies nobody takes would
/// pile up. Whether it was sent in time.
pub(crate) async fn reply_to(socket: &mut WebSocket, heard: &Message) -> bool {
    match heard {
        Message::Ping(_) | Message::Close(_) => in_time(socket.flush()).await,
        Message::Text(_) | Message::Binary(_) | Message::Pong(_) => true,
    }
}

pub(crate) async fn close(socket: &mut WebSocket, code: u16, reason: &str) {
    let frame = CloseFrame { code, reason: reason.into() };
    // It may be gone already, which is what we want.
    in_time(socket.send(Message::Close(Some(frame)))).await;
}
