//! What happens to every request: the gate before it, the note of a refusal after it.

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::{App, Peer};
use crate::authenticated::DeviceSlot;
use crate::problem::{Failure, Refused};

pub(crate) async fn watch(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>().cloned();
    let method = request.method().clone();
    let peer = request.extensions().get::<Peer>().copied();
    let slot = DeviceSlot::default();
    request.extensions_mut().insert(slot.clone());
    let admitted = app.gate.check(request.uri(), request.headers());
    let origin = request.headers().get(header::ORIGIN).cloned().filter(|_| admitted.is_ok());
    let mut response = match admitted {
        Ok(()) if method == Method::OPTIONS => preflight(),
        Ok(()) => next.run(request).await,
        Err(problem) => Failure(problem).into_response(),
    };
    if let Some(Refused(code)) = response.extensions_mut().remove() {
        // The route, not the address, and no method of their own making: both are anybody's text, as
        // long as they like, and every new one would be an event of its own.
        let path = path.as_ref().map_or("an unknown address", MatchedPath::as_str);
        let tried = format!("{} {path}", known(&method));
        let peer = peer.map(|peer| peer.0.to_string());
        app.refusals.note(&code, &tried, peer, slot.0.get().cloned()).await;
    }
    let headers = response.headers_mut();
    if let Some(origin) = origin {
        // It passed the gate, so its page may read the answer.
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.append(header::VARY, HeaderValue::from_static("origin"));
    }
    for (name, value) in ALWAYS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if slot.0.get().is_none() && response.status() != StatusCode::SWITCHING_PROTOCOLS {
        // Whoever shows no token keeps no connection either.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

fn known(method: &Method) -> &str {
    match method.as_str() {
        method @ ("GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "HEAD" | "OPTIONS") => method,
        _ => "another method on",
    }
}

/// What every answer carries, unless it says something else itself.
const ALWAYS: [(HeaderName, &str); 5] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
];

/// What a browser asks before it lets a page from elsewhere call.
fn preflight() -> Response {
    let allowed = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT, DELETE"),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, content-type, handraise-surface, handraise-deliverer",
        ),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    (StatusCode::NO_CONTENT, allowed).into_response()
}
