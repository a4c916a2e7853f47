//! How much of large requests and answers is in memory at once, and how an answer goes out.
//!
//! Agents, people and callers without a token have room of their own, so that none takes that of another.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Extension;
use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use handraise_broker::{MAX_PAGE_BYTES, Power};
use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::connection::Connection;

/// What is no larger needs no room of its own.
pub(crate) const SMALL_BYTES: usize = 16 * 1024;
/// So much of an answer is handed to the connection at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// Pages of a list are read and on their way for as many callers of one power.
const MAX_PAGES: usize = 4;
/// Larger bodies are received from as many callers of one power.
const MAX_BODIES: usize = 256;
const UNIT_BYTES: usize = 1024 * 1024;
const UNITS_OF_PAGE: usize = MAX_PAGE_BYTES / UNIT_BYTES + 1;

#[derive(Debug, Default)]
pub(crate) struct Room {
    agents: Places,
    people: Places,
    strangers: Places,
}

#[derive(Debug)]
struct Places {
    pages: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
}

impl Default for Places {
    fn default() -> Self {
        let places = |most| Arc::new(Semaphore::new(most));
        Self { pages: places(MAX_PAGES * UNITS_OF_PAGE), bodies: places(MAX_BODIES) }
    }
}

/// Room for one page; as an extension of its response, until that is on its way.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    _room: Option<Arc<OwnedSemaphorePermit>>,
}

impl Room {
    fn of(&self, power: Option<Power>) -> &Places {
        match power {
            Some(Power::Agent) => &self.agents,
            Some(Power::Person) => &self.people,
            None => &self.strangers,
        }
    }

    /// Waits until a page may be read for a caller of this power.
    pub(crate) async fn for_page(&self, power: Power) -> PageRoom {
        let units = u32::try_from(UNITS_OF_PAGE).unwrap_or(u32::MAX);
        PageRoom(self.of(Some(power)).pages.clone().acquire_many_owned(units).await.ok())
    }

    /// Waits until the rest of a large body may be received.
    pub(crate) async fn for_body(&self, power: Option<Power>) -> Option<OwnedSemaphorePermit> {
        self.of(power).bodies.clone().acquire_owned().await.ok()
    }
}

/// Room for the largest page.
pub(crate) struct PageRoom(Option<OwnedSemaphorePermit>);

impl PageRoom {
    /// A response of this JSON, which keeps the room it needs until it is on its way.
    pub(crate) fn respond(self, json: Vec<u8>) -> Response {
        let units = json.len().div_ceil(UNIT_BYTES).min(UNITS_OF_PAGE);
        let held = self.0.filter(|_| json.len() > SMALL_BYTES);
        let held = Held { _room: held.and_then(|mut all| all.split(units)).map(Arc::new) };
        (Extension(held), [(header::CONTENT_TYPE, "application/json")], json).into_response()
    }
}

/// Has a large answer go out in pieces, so that it shows whether the other side takes it.
pub(crate) fn in_pieces(response: Response, connection: Connection) -> Response {
    let is_small = response.body().size_hint().exact().is_none_or(|all| all <= SMALL_BYTES as u64);
    if is_small {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let held = parts.extensions.remove::<Held>();
    connection.sends(true);
    let pieces = Pieces { body, rest: Bytes::new(), connection, _held: held };
    Response::from_parts(parts, Body::new(pieces))
}

struct Pieces {
    body: Body,
    rest: Bytes,
    connection: Connection,
    _held: Option<Held>,
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        // Asked for when the connection has room for more.
        self.connection.sends(true);
        if self.rest.is_empty() {
            match std::task::ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                end => return Poll::Ready(end),
            }
        }
        let next = CHUNK_BYTES.min(self.rest.len());
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(next)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.body.size_hint();
        let rest = self.rest.len() as u64;
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        self.connection.sends(false);
    }
}
