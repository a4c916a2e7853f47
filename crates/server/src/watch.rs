//! What happens to every request: the gate before it, the note of a refusal after it.

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::{App, Peer};
use crate::authenticated::DeviceSlot;
use crate::problem::{Failure, Refused};

pub(crate) async fn watch(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>();
    // The route, not the address: addresses are anybody's text.
    let path = path.map_or("an unknown address", MatchedPath::as_str);
    let tried = format!("{} {path}", request.method());
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0.to_string());
    let slot = DeviceSlot::default();
    request.extensions_mut().insert(slot.clone());
    let mut response = match app.gate.check(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(problem) => Failure(problem).into_response(),
    };
    if let Some(Refused(code)) = response.extensions_mut().remove() {
        app.refusals.note(&code, &tried, peer, slot.0.get().cloned()).await;
    }
    if slot.0.get().is_none() && response.status() != StatusCode::SWITCHING_PROTOCOLS {
        // Whoever shows no token keeps no connection either.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    ] {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    let no_store = HeaderValue::from_static("no-store");
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(no_store);
    response
}
