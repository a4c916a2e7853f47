//! What a request carries.

use std::pin::pin;

use axum::extract::{FromRequest, FromRequestParts, OptionalFromRequest, Query, Request};
use axum::http::header;
use axum::http::request::Parts;
use handraise_wire::v1::{Object, Problem};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Bytes};
use serde::de::DeserializeOwned;
use tokio::sync::OwnedSemaphorePermit;

use crate::app::App;
use crate::connection::Connection;
use crate::mismatch;
use crate::problem::Failure;
use crate::room::SMALL_BYTES;

/// A JSON body.
pub(crate) struct Body<T>(pub(crate) T);

/// What is read and thrown away of a body that is too large, so that its sender gets to read why.
pub(crate) const MOST_DRAINED: usize = 64 * 1024 * 1024;

impl<T: DeserializeOwned> FromRequest<App> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or("");
        let kind = kind.split(';').next().unwrap_or("").trim();
        let is_json = kind.eq_ignore_ascii_case("application/json")
            || kind.to_ascii_lowercase().ends_with("+json");
        let limits = app.config.limits;
        let power = request.extensions().get::<Connection>().and_then(Connection::power);
        let room = app.room.for_body(power);
        let reading = read(request.into_body(), limits.body_bytes, room);
        let bytes = tokio::time::timeout(limits.patience, reading)
            .await
            .map_err(|_| Failure::new(408, "too_slow", "the body took too long"))??;
        if !is_json {
            return Err(Failure(
                Problem::new(415, "not_json", "the body must be JSON")
                    .detail("send the header content-type: application/json"),
            ));
        }
        parse(&bytes).map(Self)
    }
}

/// A body that may be left out.
impl<T: DeserializeOwned> OptionalFromRequest<App> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Option<Self>, Failure> {
        if request.body().is_end_stream() {
            return Ok(None);
        }
        <Self as FromRequest<App>>::from_request(request, app).await.map(Some)
    }
}

/// Reads a body; what is not small waits for room first.
async fn read(
    mut body: axum::body::Body,
    most: usize,
    room: impl Future<Output = Option<OwnedSemaphorePermit>>,
) -> Result<Bytes, Failure> {
    let mut room = pin!(room);
    let mut held = None;
    let mut kept = Vec::new();
    let mut seen = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Failure::new(400, "cut_off", "the body was cut off"))?;
        let Ok(data) = frame.into_data() else { continue };
        seen += data.len();
        if seen <= most {
            if kept.is_empty() && body.is_end_stream() {
                // Most come in one piece.
                return Ok(data);
            }
            if held.is_none() && kept.len() + data.len() > SMALL_BYTES {
                held = Some(room.as_mut().await);
            }
            kept.extend_from_slice(&data);
        } else if seen > MOST_DRAINED {
            break;
        }
    }
    if seen > most {
        return Err(Failure(
            Problem::new(413, "too_large", "the body is too large")
                .detail(format!("{most} bytes are taken at most")),
        ));
    }
    Ok(kept.into())
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    // Keeping track of where it is takes longer, and only what is wrong has to be found.
    let parsed = serde_json::from_slice(bytes);
    parsed.map(|Object(value)| value).or_else(|_| parse_with_path(bytes))
}

fn parse_with_path<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let parsed = serde_path_to_error::deserialize(&mut json);
    let Object(value) = parsed.map_err(|error| {
        let inner = error.inner();
        if inner.is_data() {
            let violation = mismatch::violation(&error.path().to_string(), &inner.to_string());
            Failure(Problem::invalid(&[violation]))
        } else {
            let title = format!("the body is not JSON: {inner}");
            Failure(Problem::new(400, "not_json", title))
        }
    })?;
    json.end().map_err(|error| {
        Failure(Problem::new(400, "not_json", format!("the body is not JSON: {error}")))
    })?;
    Ok(value)
}

/// What stands behind the question mark.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<App> for Params<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Failure> {
        let Query(params) = Query::try_from_uri(&parts.uri).map_err(|error| {
            // `Failed to deserialize query string: limit: invalid digit found in string`
            let text = error.body_text();
            let (_, about) = text.split_once(": ").unwrap_or(("", &text));
            let (path, message) = about.split_once(": ").unwrap_or(("query", about));
            Failure(Problem::invalid(&[mismatch::violation(path, message)]))
        })?;
        Ok(Self(params))
    }
}
