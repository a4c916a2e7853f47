//! What every WebSocket of a hub has in common with the others: how it begins and how it ends.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use futures_util::SinkExt;
use handraise_broker::{Caller, Token};
use handraise_question::Surface;
use handraise_wire::v1::{ChallengeFrame, Problem, ProofFrame, TokenFrame};
use tokio::time::Instant;
use tokio::time::error::Elapsed;

use crate::app::{App, Peer};
use crate::authenticated::{DeviceSlot, authenticate, internal};
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
        let deadline = Instant::now() + app.config.limits.patience.min(PATIENCE);
        let slot = DeviceSlot::default();
        let refused = match self.hear(app, socket, deadline).await? {
            Ok(Some(Ok(Message::Text(text)))) => match self.prove(app, &text) {
                None => self.let_in(app, &text, surface, &slot),
                Some(Ok(proof)) => {
                    if !in_time(socket.send(Message::Text(proof.into()))).await {
                        return None;
                    }
                    match self.hear(app, socket, deadline).await? {
                        Ok(Some(Ok(Message::Text(text)))) => {
                            self.let_in(app, &text, surface, &slot)
                        }
                        other => refusal(socket, other).await,
                    }
                }
                Some(Err(Failure(problem))) => Err(Some(problem)),
            },
            other => refusal(socket, other).await,
        };
        match refused {
            Ok(caller) => return Some(caller),
            Err(None) => return None,
            Err(Some(problem)) => {
                self.turn_away(app, socket, &problem, slot.0.get().cloned()).await;
            }
        }
        None
    }

    /// The next frame; `None` when there is no place for this connection any more.
    async fn hear(&self, app: &App, socket: &mut WebSocket, deadline: Instant) -> Option<Heard> {
        tokio::select! {
            heard = tokio::time::timeout_at(deadline, socket.recv()) => Some(heard),
            () = self.connection.has_to_go() => {
                let address = Some(self.peer.0.to_string());
                app.refusals.note(TOO_MANY_CONNECTIONS, "a connection", address, None).await;
                close(socket, TRY_AGAIN_LATER, "too many connections").await;
                None
            }
            () = app.stopping.cancelled() => None,
        }
    }

    /// Answers a page that wants to know who listens before it shows its token; `None` when the frame asks
    /// for nothing like that.
    ///
    /// Whoever names no known token gets an answer of the same form, though not too often. That a known one is
    /// not held up by others tells nobody anything: names of tokens cannot be guessed.
    fn prove(&self, app: &App, frame: &str) -> Option<Result<String, Failure>> {
        let challenge: ChallengeFrame = serde_json::from_str(frame).ok()?;
        let origin = self.origin?;
        let proof = match app.broker.prove(&challenge.fingerprint, origin, &challenge.nonce) {
            Some(proof) => proof,
            None => {
                if let Err(problem) = app.rates.stranger(self.peer.0, app.broker.world().elapsed())
                {
                    return Some(Err(problem.into()));
                }
                app.nobody.proof(origin, &challenge.nonce)
            }
        };
        Some(
            serde_json::to_string(&ProofFrame { proof })
                .map_err(|_| internal("a proof without JSON")),
        )
    }

    /// Takes the token from a frame.
    fn let_in(
        &self,
        app: &App,
        frame: &str,
        surface: Surface,
        slot: &DeviceSlot,
    ) -> Result<Caller, Option<Problem>> {
        let Ok(frame) = serde_json::from_str::<TokenFrame>(frame) else {
            let problem = Problem::new(401, "no_token", "the first frame must be {\"token\": …}");
            return Err(Some(problem));
        };
        let token = Token::presented(&frame.token);
        let admitted = authenticate(app, self.peer, &token, surface, slot).and_then(|caller| {
            self.connection.admit(caller.device.power)?;
            Ok(caller)
        });
        admitted.map_err(|Failure(problem)| Some(problem))
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

/// What came over a WebSocket, if anything did in time.
type Heard = Result<Option<Result<Message, axum::Error>>, Elapsed>;

/// Why somebody is shown out whose frame holds no text; nothing to say to one that has gone.
async fn refusal(socket: &mut WebSocket, heard: Heard) -> Result<Caller, Option<Problem>> {
    Err(match heard {
        Ok(None | Some(Err(_))) => None,
        Ok(Some(Ok(bye @ Message::Close(_)))) => {
            reply_to(socket, &bye).await;
            None
        }
        Ok(Some(Ok(_))) => Some(Problem::new(401, "no_token", "the first frame must be text")),
        // A page that slept may have a token all the same.
        Err(_) => Some(Problem::new(408, "no_token", "no token came in time")),
    })
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
