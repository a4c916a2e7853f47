//! What can go wrong between a model and whoever listens to it.

use std::convert::Infallible;
use std::io;

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::json;

/// Something that goes wrong instead of a turn, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The request is refused.
    Status {
        /// With this number.
        code: u16,
        /// With these headers.
        headers: Vec<(String, String)>,
        /// And these words.
        message: String,
    },
    /// The connection breaks in the middle of the stream.
    Broken {
        /// So many events come before.
        after: usize,
    },
    /// The stream ends as if that was all.
    Ended {
        /// So many events come before.
        after: usize,
    },
    /// One event is lost.
    Lost {
        /// So many events come before.
        after: usize,
    },
    /// Nothing comes any more, and the connection stays.
    Silent {
        /// So many events come before.
        after: usize,
    },
    /// Something comes that nobody can read, and then the rest.
    Garbage {
        /// So many events come before.
        after: usize,
    },
    /// The model says itself that it cannot go on.
    ErrorEvent {
        /// So many events come before.
        after: usize,
        /// Its name for the reason, e.g. `overloaded_error`.
        kind: String,
    },
}

impl Fault {
    /// A refusal without anything beside it.
    #[must_use]
    pub fn status(code: u16) -> Self {
        Self::Status { code, headers: vec![], message: format!("scripted {code}") }
    }

    /// A refusal that may be tried again after so many seconds.
    #[must_use]
    pub fn retry_after(code: u16, seconds: &str) -> Self {
        let headers = vec![("retry-after".to_owned(), seconds.to_owned())];
        Self::Status { code, headers, message: format!("scripted {code}") }
    }

    fn event(kind: &str) -> Event {
        let error = json!({ "type": kind, "message": "scripted to break off" });
        Event::default().event("error").data(json!({ "type": "error", "error": error }).to_string())
    }
}

/// The events of a reply, or what goes wrong instead.
pub(super) fn respond(events: Vec<Event>, fault: Option<Fault>) -> Response {
    let first = |n: usize, events: Vec<Event>| stream::iter(events.into_iter().take(n).map(Ok));
    let stream: BoxStream<'static, Result<Event, io::Error>> = match fault {
        None => {
            return Sse::new(stream::iter(events.into_iter().map(Ok::<_, Infallible>)))
                .into_response();
        }
        Some(Fault::Status { code, headers, message }) => return refuse(code, &headers, &message),
        Some(Fault::Broken { after }) => {
            let broken = io::Error::other("scripted to break");
            first(after, events).chain(stream::iter([Err(broken)])).boxed()
        }
        Some(Fault::Ended { after }) => first(after, events).boxed(),
        Some(Fault::Lost { after }) => {
            let others = events.into_iter().enumerate().filter(move |(i, _)| *i != after);
            stream::iter(others.map(|(_, event)| Ok(event))).boxed()
        }
        Some(Fault::Silent { after }) => first(after, events).chain(stream::pending()).boxed(),
        Some(Fault::Garbage { after }) => {
            let mut events: Vec<_> = events;
            // Under the name of an event that is always read.
            let garbage =
                Event::default().event("content_block_delta").data("{\"type\": \u{1F4A5}");
            events.insert(after.min(events.len()), garbage);
            stream::iter(events.into_iter().map(Ok)).boxed()
        }
        Some(Fault::ErrorEvent { after, kind }) => {
            first(after, events).chain(stream::iter([Ok(Fault::event(&kind))])).boxed()
        }
    };
    Sse::new(stream).into_response()
}

fn refuse(code: u16, headers: &[(String, String)], message: &str) -> Response {
    let status = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let error = json!({ "type": "scripted_error", "message": message });
    let mut response = (status, Json(json!({ "type": "error", "error": error }))).into_response();
    for (name, value) in headers {
        let header = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value));
        if let (Ok(name), Ok(value)) = header {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
