//! What happens, over a WebSocket.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::Response;
use futures_util::SinkExt;
use handraise_broker::{Caller, Feed, Hub, HubError, News, Rejection, Seq, Token};
use handraise_question::Surface;
use handraise_wire::v1::{EventFrame, Problem, TokenFrame};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::{App, Peer};
use crate::authenticated::{DeviceSlot, authenticate, bearer, deliverer};
use crate::body::Params;
use crate::connection::Connection;
use crate::problem::Failure;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FollowParams {
    /// The last event the client knows; from now on, when absent.
    after: Option<Seq>,
}

/// How long a browser may take to show its token, and a client to take one frame.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a page hears that it is live, at least.
const BEAT: Duration = Duration::from_secs(20);
const LARGEST_FRAME: usize = 4096;
/// So many bytes of frames are written together.
const AT_ONCE: usize = 64 * 1024;
/// Close codes of our own: the private range begins at 4000.
const NOT_ALLOWED: u16 = 4401;
const GOING_AWAY: u16 = 1001;
const FAILED: u16 = 1011;
const TRY_AGAIN_LATER: u16 = 1013;

/// Follow what happens
#[utoipa::path(
    get, path = "/api/v1/events", tag = "both", params(FollowParams),
    responses(
        (status = 101, description = "a WebSocket of frames; a browser's first frame is {\"token\": …}", body = EventFrame),
        (status = 401, description = "`bad_token`", body = Problem, content_type = "application/problem+json"),
        (status = 426, description = "`not_a_websocket`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn follow(
    State(app): State<App>,
    Extension(peer): Extension<Peer>,
    Extension(connection): Extension<Connection>,
    Extension(slot): Extension<DeviceSlot>,
    headers: HeaderMap,
    Params(params): Params<FollowParams>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, Failure> {
    let caller = match bearer(&headers) {
        Some(token) => Some(authenticate(&app, peer, &token, Surface::Api, &slot)?),
        None => None,
    };
    if caller.is_some() {
        connection.is_known();
        // Whoever runs an agent listens all the while, and is noticed when it is gone.
        if let Some(id) = deliverer(&headers)? {
            connection.host(&app.broker, &id);
        }
    }
    let upgrade = upgrade
        .map_err(|_| Failure::new(426, "not_a_websocket", "this address speaks WebSocket"))?;
    let upgrade = upgrade.max_message_size(LARGEST_FRAME).max_frame_size(LARGEST_FRAME);
    Ok(upgrade.on_upgrade(move |mut socket| async move {
        let tasks = app.tasks.clone();
        // As a task of its own that is waited for when the hub stops.
        let _ = tasks
            .spawn(async move {
                let caller = match caller {
                    Some(caller) => Some(caller),
                    None => introduce(&app, peer, &connection, &mut socket).await,
                };
                if let Some(caller) = caller {
                    // It is kept all the while: an open WebSocket is a connection like any other.
                    connection.is_known();
                    tell(&app, caller, params.after, socket).await;
                }
            })
            .await;
    }))
}

/// Takes the token from a browser's first frame.
async fn introduce(
    app: &App,
    peer: Peer,
    connection: &Connection,
    socket: &mut WebSocket,
) -> Option<Caller> {
    let address = Some(peer.0.to_string());
    let patience = app.config.limits.patience.min(PATIENCE);
    let first = tokio::select! {
        first = tokio::time::timeout(patience, socket.recv()) => first,
        () = connection.has_to_go() => {
            app.refusals.note("too_many_connections", "a connection", address, None).await;
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
                match authenticate(app, peer, &token, Surface::Web, &slot) {
                    Ok(caller) => return Some(caller),
                    Err(Failure(problem)) => problem,
                }
            }
            Err(_) => Problem::new(401, "no_token", "the first frame must be {\"token\": …}"),
        },
        Ok(None | Some(Err(_))) => return None,
        Ok(Some(Ok(_))) => Problem::new(401, "no_token", "the first frame must be text"),
        // A page that slept may have a token all the same.
        Err(_) => Problem::new(408, "no_token", "no token came in time"),
    };
    let tried = "GET /api/v1/events";
    app.refusals.note(&refused.code, tried, address, slot.0.get().cloned()).await;
    let code = if refused.status == 401 { NOT_ALLOWED } else { TRY_AGAIN_LATER };
    close(socket, code, &refused.title).await;
    None
}

async fn tell(app: &App, caller: Caller, after: Option<Seq>, mut socket: WebSocket) {
    // A page cannot see pings, and must know whether silence is silence; proxies cut quiet lines, too.
    let is_page = caller.surface == Surface::Web;
    let beat = app.config.limits.patience.min(BEAT);
    let mut told = None;
    let mut feed: Box<dyn Feed> = match app.broker.seat(caller).follow(after).await {
        Ok(feed) => feed,
        Err(_) => return close(&mut socket, FAILED, "the hub failed").await,
    };
    loop {
        let mut news = tokio::select! {
            news = feed.next() => Some(news),
            () = tokio::time::sleep(beat), if is_page && told.is_some() => {
                told.map(|seq| Ok(News::Live(seq)))
            }
            // Clients have nothing to say; reading shows when they are gone.
            heard = socket.recv() => match heard {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => continue,
            },
            () = app.stopping.cancelled() => {
                return close(&mut socket, GOING_AWAY, "the hub is shutting down").await;
            }
        };
        // Whatever is there already goes out with it, in one write.
        let mut length = 0;
        while let Some(next) = news.take() {
            if let Ok(News::Live(seq) | News::Reset(seq)) = &next {
                told = Some(*seq);
            } else if let Ok(News::Event(event)) = &next {
                told = told.map(|_| event.seq);
            }
            let frame = match frame(next) {
                Ok(frame) => frame,
                Err((code, reason)) => return close(&mut socket, code, reason).await,
            };
            length += frame.len();
            if !in_time(socket.feed(Message::Text(frame.into()))).await {
                return;
            }
            if length < AT_ONCE {
                news = feed.ready().map(Ok);
            }
        }
        if !in_time(socket.flush()).await {
            return;
        }
    }
}

/// A piece of news as it goes out, or how the WebSocket is to end.
fn frame(news: Result<News, HubError>) -> Result<String, (u16, &'static str)> {
    match news {
        Ok(news) => {
            serde_json::to_string(&EventFrame::from(news)).map_err(|_| (FAILED, "the hub failed"))
        }
        Err(HubError::Rejected(Rejection::Revoked)) => {
            Err((NOT_ALLOWED, "this device was revoked"))
        }
        Err(HubError::Closed) => Err((GOING_AWAY, "closed")),
        Err(error) => {
            tracing::error!(%error, "a feed failed");
            Err((FAILED, "the hub failed"))
        }
    }
}

/// Whether it was sent. Whoever does not take a frame in time is gone, or as good as.
async fn in_time(sent: impl Future<Output = Result<(), axum::Error>>) -> bool {
    matches!(tokio::time::timeout(PATIENCE, sent).await, Ok(Ok(())))
}

async fn close(socket: &mut WebSocket, code: u16, reason: &str) {
    let frame = CloseFrame { code, reason: reason.into() };
    // It may be gone already, which is what we want.
    in_time(socket.send(Message::Close(Some(frame)))).await;
}
