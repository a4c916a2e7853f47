//! The addresses of API version 1.

pub(crate) mod ask;
pub(crate) mod attention;
pub(crate) mod delivery;
pub(crate) mod devices;
pub(crate) mod draft;
pub(crate) mod events;
pub(crate) mod health;
pub(crate) mod panopticon;
pub(crate) mod previews;
pub(crate) mod reply;
pub(crate) mod resolution;
pub(crate) mod sessions;
pub(crate) mod times;

use axum::Router;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::middleware;
use axum::routing::{delete, get, post, put};
use handraise_broker::{AskId, MOST_LISTED};
use handraise_question::{Violation, Violations};

use crate::app::App;
use crate::problem::Failure;
use crate::watch::watch;
use crate::{dashboard, dialects};

pub(crate) fn router(app: App) -> Router {
    Router::new()
        .route("/api/v1/asks", get(ask::list).post(ask::ask))
        .route("/api/v1/asks/{id}", get(ask::get))
        .route("/api/v1/asks/{id}/resolution", get(resolution::wait))
        .route("/api/v1/asks/{id}/answer", post(reply::answer))
        .route("/api/v1/asks/{id}/decline", post(reply::decline))
        .route("/api/v1/asks/{id}/discuss", post(reply::discuss))
        .route("/api/v1/asks/{id}/extend", post(reply::extend))
        .route("/api/v1/asks/{id}/withdraw", post(delivery::withdraw))
        .route("/api/v1/asks/{id}/receipt", post(delivery::receipt))
        .route("/api/v1/asks/{id}/draft", get(draft::get).put(draft::put).delete(draft::delete))
        .route("/api/v1/asks/{id}/previews", post(previews::make))
        .route("/api/v1/attention", put(attention::put))
        .route("/api/v1/history", get(ask::history))
        .route("/api/v1/events", get(events::follow))
        .route("/api/v1/sessions", get(sessions::list).post(sessions::open))
        .route("/api/v1/sessions/start", post(sessions::start))
        .route("/api/v1/sessions/{id}", get(sessions::get))
        .route("/api/v1/sessions/{id}/messages", get(sessions::messages).post(sessions::say))
        .route("/api/v1/sessions/{id}/interrupt", post(sessions::interrupt))
        .route("/api/v1/sessions/{id}/end", post(sessions::end))
        .route("/api/v1/sessions/{id}/progress", post(sessions::progress))
        .route("/api/v1/sessions/{id}/text", post(sessions::text))
        .route("/api/v1/login", post(devices::login))
        .route("/api/v1/links", post(devices::link))
        .route("/api/v1/devices", get(devices::list).post(devices::add_agent))
        .route("/api/v1/devices/{id}", delete(devices::revoke))
        .route("/api/v1/refusals", post(devices::inside_agent))
        .route("/api/v1/status", get(health::status))
        .route("/api/v1/times", get(times::get))
        .route("/api/v1/openapi.json", get(crate::openapi::serve))
        .route("/dialects/{dialect}", get(dialects::connect))
        .route("/dialects/{dialect}/{session}", get(dialects::connect))
        .route("/api/agents/{id}/pending-questions", get(panopticon::pending))
        .route("/api/agents/{id}/answer-question", post(panopticon::answer))
        .route("/", get(dashboard::front))
        .route("/previews/{secret}", get(previews::show))
        .route("/healthz", get(health::healthz))
        .route("/metrics", get(health::metrics))
        .fallback(dashboard::file)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(app.clone(), watch))
        .with_state(app)
}

async fn wrong_method() -> Failure {
    Failure::new(405, "wrong_method", "this address takes other methods")
}

/// How many are wanted in one page.
pub(crate) fn limit(wanted: Option<u32>) -> Result<u32, Violations> {
    match wanted.unwrap_or(100) {
        limit @ 1..=MOST_LISTED => Ok(limit),
        other => Err(Violation::new("limit", other.to_string(), format!("1–{MOST_LISTED}")).into()),
    }
}

/// The ask an address names. What is no id names no ask.
pub(crate) struct Named(pub(crate) AskId);

impl FromRequestParts<App> for Named {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let id = Path::<AskId>::from_request_parts(parts, app).await;
        id.map(|Path(id)| Self(id))
            .map_err(|_| Failure::new(404, "no_such_ask", "there is no such ask"))
    }
}
