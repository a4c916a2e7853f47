//! What happens, over a WebSocket.

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use futures_util::SinkExt;
use handraise_broker::{Caller, Feed, Hub, HubError, News, Power, Rejection, Seq};
use handraise_question::Surface;
use handraise_wire::v1::{EventFrame, Problem};
use serde::Deserialize;
use tokio::sync::Semaphore;
use utoipa::IntoParams;

use crate::app::{App, Peer};
use crate::authenticated::{DeviceSlot, authenticate, bearer, deliverer};
use crate::body::Params;
use crate::connection::Connection;
use crate::problem::Failure;
use crate::socket::{
    BEAT, FAILED, GOING_AWAY, NOT_ALLOWED, Stranger, bound, close, in_time, reply_to,
};

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FollowParams {
    /// The last event the client knows; from now on, when absent.
    after: Option<Seq>,
}

const TRIED: &str = "GET /api/v1/events";
const LARGEST_FRAME: usize = 4096;
/// So many bytes of frames are written together. A larger frame is written alone, in its turn.
const AT_ONCE: usize = 64 * 1024;
/// So many larger frames are on their way at once to clients of one power, however slowly they read.
const MAX_LARGE_FRAMES: usize = 16;
static LARGE_FRAMES_TO_AGENTS: Semaphore = Semaphore::const_new(MAX_LARGE_FRAMES);
static LARGE_FRAMES_TO_PEOPLE: Semaphore = Semaphore::const_new(MAX_LARGE_FRAMES);

/// Follow what happens
#[utoipa::path(
    get, path = "/api/v1/events", tag = "both", params(FollowParams),
    responses(
        (status = 101, description = "a WebSocket of frames; a browser's first frame is {\"token\": …}; a page sends {\"fingerprint\": …, \"nonce\": …} before it, is answered with {\"proof\": …, \"upMilliseconds\": …}, and gets {\"ticket\": …} for its token", body = EventFrame),
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
    if let Some(caller) = &caller {
        connection.admit(&caller.device)?;
        // Whoever runs an agent listens all the while, and is noticed when it is gone.
        if let Some(id) = deliverer(&headers)? {
            connection.host(&app.broker, &caller.device.name, &id);
        }
    }
    // The gate has looked at it.
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    let origin = origin.map(str::to_owned);
    let upgrade = upgrade
        .map_err(|_| Failure::new(426, "not_a_websocket", "this address speaks WebSocket"))?;
    Ok(bound(upgrade, LARGEST_FRAME).on_upgrade(move |mut socket| async move {
        let tasks = app.tasks.clone();
        // As a task of its own that is waited for when the hub stops.
        let _ = tasks
            .spawn(async move {
                let origin = origin.as_deref();
                let stranger = Stranger { peer, connection: &connection, tried: TRIED, origin };
                let caller = match caller {
                    Some(caller) => Some(caller),
                    None => stranger.introduce(&app, &mut socket, Surface::Web).await,
                };
                if let Some(caller) = caller {
                    tell(&app, caller, params.after, socket).await;
                }
            })
            .await;
    }))
}

async fn tell(app: &App, caller: Caller, after: Option<Seq>, mut socket: WebSocket) {
    // A page cannot see pings, and must know whether silence is silence; proxies cut quiet lines, too.
    let is_page = caller.surface == Surface::Web;
    let beat = app.config.limits.patience.min(BEAT);
    let mut told = None;
    let large_frames = match caller.device.power {
        Power::Agent => &LARGE_FRAMES_TO_AGENTS,
        Power::Person => &LARGE_FRAMES_TO_PEOPLE,
    };
    // Who is told that all is live relies on it: without a store nothing would be kept.
    if is_page && app.broker.probe().await.is_err() {
        return close(&mut socket, FAILED, "the hub can keep nothing").await;
    }
    let mut feed: Box<dyn Feed> = match app.broker.seat(caller).follow(after).await {
        Ok(feed) => feed,
        Err(_) => return close(&mut socket, FAILED, "the hub failed").await,
    };
    loop {
        let mut news = tokio::select! {
            news = feed.next() => Some(news),
            () = tokio::time::sleep(beat), if is_page && told.is_some() => {
                if app.broker.probe().await.is_err() {
                    return close(&mut socket, FAILED, "the hub can keep nothing").await;
                }
                told.map(|seq| Ok(News::Live(seq)))
            }
            // Clients have nothing to say; reading shows when they are gone.
            heard = socket.recv() => match heard {
                None | Some(Err(_)) => return,
                Some(Ok(message)) => {
                    let is_sent = reply_to(&mut socket, &message).await;
                    if is_sent && !matches!(message, Message::Close(_)) {
                        continue;
                    }
                    return;
                }
            },
            () = app.stopping.cancelled() => {
                return close(&mut socket, GOING_AWAY, "the hub is shutting down").await;
            }
        };
        // Whatever is there already goes out with it, in one write.
        let mut length = 0;
        let mut turn = None;
        while let Some(next) = news.take() {
            if turn.is_none() && is_large(&next) {
                turn = tokio::select! {
                    turn = large_frames.acquire() => turn.ok(),
                    () = app.stopping.cancelled() => None,
                };
            }
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
        drop(turn);
    }
}

fn is_large(news: &Result<News, HubError>) -> bool {
    let length = match news {
        Ok(News::Event(event)) => {
            let asked = event.ask.as_ref().map_or(0, |ask| ask.matter().as_sent().get().len());
            let said = event.session.iter().flat_map(|changed| &changed.messages);
            asked + said.map(|message| message.text.len()).sum::<usize>()
        }
        Ok(News::Speaking { streamed, .. }) => streamed.text.len(),
        Ok(News::Typing { .. } | News::Live(_) | News::Reset(_)) | Err(_) => 0,
    };
    length > AT_ONCE
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
