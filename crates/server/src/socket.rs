//! What every WebSocket of a hub has in common with the others: how it begins and how it ends.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use futures_util::SinkExt;
use handraise_broker::{Caller, Token};
use handraise_question::Surface;
use handraise_wire::v1::{ChallengeFrame, Problem, ProofFrame, TicketFrame, TokenFrame};
use serde::Serialize;
use tokio::time::Instant;

use crate::app::{App, Peer};
use crate::authenticated::{DeviceSlot, UNKNOWN_TOKEN, authenticate, internal};
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
    /// The page it is from, if it is one of ours.
    pub(crate) origin: Option<&'a str>,
}

impl Stranger<'_> {
    /// Takes the token from a browser's first frame: it cannot set headers on a WebSocket.
    pub(crate) async fn introduce(
        &self,
        app: &App,
        socket: &mut WebSocket,
        surface: Surface,
    ) -> Option<Caller> {
        let slot = DeviceSlot::default();
        match self.receive_token(app, socket, surface, &slot).await {
            Ok(caller) => Some(caller),
            Err(Refusal::Gone) => None,
            Err(Refusal::Problem(problem)) => {
                self.turn_away(app, socket, &problem, slot.0.get().cloned()).await;
                None
            }
        }
    }

    async fn receive_token(
        &self,
        app: &App,
        socket: &mut WebSocket,
        surface: Surface,
        slot: &DeviceSlot,
    ) -> Result<Caller, Refusal> {
        let deadline = Instant::now() + app.config.limits.patience.min(PATIENCE);
        let mut text = self.receive(app, socket, deadline).await?;
        let proof = self.prove(app, &text)?;
        if let Some(proof) = &proof {
            send(socket, proof).await?;
            text = self.receive(app, socket, deadline).await?;
        }
        let Ok(frame) = serde_json::from_str::<TokenFrame>(&text) else {
            let wrong = "the first frame must be {\"token\": …}";
            return Err(Problem::new(401, "no_token", wrong).into());
        };
        let token = Token::presented(&frame.token);
        let caller = authenticate(app, self.peer, &token, surface, slot)?;
        self.connection.admit(&caller.device)?;
        if proof.is_some() {
            let ticket = app.broker.ticket(caller.device.id).reveal().to_owned();
            send(socket, &TicketFrame { ticket }).await?;
        }
        Ok(caller)
    }

    /// The next frame of text.
    async fn receive(
        &self,
        app: &App,
        socket: &mut WebSocket,
        deadline: Instant,
    ) -> Result<Utf8Bytes, Refusal> {
        let frame = tokio::select! {
            frame = tokio::time::timeout_at(deadline, socket.recv()) => frame,
            () = self.connection.has_to_go() => {
                let address = Some(self.peer.0.to_string());
                app.refusals.note(TOO_MANY_CONNECTIONS, "a connection", address, None).await;
                close(socket, TRY_AGAIN_LATER, "too many connections").await;
                return Err(Refusal::Gone);
            }
            () = app.stopping.cancelled() => return Err(Refusal::Gone),
        };
        match frame {
            Ok(Some(Ok(Message::Text(text)))) => Ok(text),
            Ok(None | Some(Err(_))) => Err(Refusal::Gone),
            Ok(Some(Ok(bye @ Message::Close(_)))) => {
                reply_to(socket, &bye).await;
                Err(Refusal::Gone)
            }
            Ok(Some(Ok(_))) => {
                Err(Problem::new(401, "no_token", "the first frame must be text").into())
            }
            // A page that slept may have a token all the same.
            Err(_) => Err(Problem::new(408, "no_token", "no token came in time").into()),
        }
    }

    /// Answers a page that wants to know who listens before it sends its token; `None` when the frame is not
    /// a challenge, or not from a page.
    fn prove(&self, app: &App, frame: &str) -> Result<Option<ProofFrame>, Refusal> {
        let Ok(challenge) = serde_json::from_str::<ChallengeFrame>(frame) else { return Ok(None) };
        let Some(origin) = self.origin else { return Ok(None) };
        let now = app.broker.world().elapsed();
        let up = now.saturating_sub(app.listens_since);
        let proof = app.broker.prove(&challenge.fingerprint, origin, &challenge.nonce, up);
        let Some(proof) = proof else {
            app.rates.stranger(self.peer.0, now)?;
            return Err(Problem::new(401, "bad_token", UNKNOWN_TOKEN).into());
        };
        let up_milliseconds = u64::try_from(up.as_millis()).unwrap_or(u64::MAX);
        Ok(Some(ProofFrame { proof, up_milliseconds }))
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

/// Why a WebSocket is refused.
enum Refusal {
    /// The other end has closed.
    Gone,
    Problem(Problem),
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<Failure> for Refusal {
    fn from(Failure(problem): Failure) -> Self {
        Self::Problem(problem)
    }
}

async fn send(socket: &mut WebSocket, frame: &impl Serialize) -> Result<(), Refusal> {
    let text = serde_json::to_string(frame).map_err(|_| internal("a frame without JSON"))?;
    let is_sent = in_time(socket.send(Message::Text(text.into()))).await;
    is_sent.then_some(()).ok_or(Refusal::Gone)
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
