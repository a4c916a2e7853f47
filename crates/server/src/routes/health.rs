//! How the hub is.

use std::fmt::Write;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use handraise_broker::ANSWER_TIMES;
use handraise_wire::v1::{Problem, StatusResponse};
use serde_json::{Value, json};

use crate::app::App;
use crate::authenticated::Authenticated;
use crate::problem::Failure;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Whether the hub is up and its store is in place
#[utoipa::path(get, path = "/healthz", tag = "open", security(()),
    responses((status = 200, description = "it is", body = Object),
        (status = 503, description = "`unavailable`: it can keep nothing, and why", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn healthz(State(app): State<App>) -> Result<Json<Value>, Failure> {
    app.broker.probe().await.map_err(|error| {
        Problem::new(503, "unavailable", "the hub can keep nothing").detail(error.to_string())
    })?;
    Ok(Json(json!({"status": "ok", "version": VERSION})))
}

/// How the hub is
#[utoipa::path(get, path = "/api/v1/status", tag = "both",
    responses((status = 200, description = "version, end of the log, what waits", body = StatusResponse)))]
pub(crate) async fn status(State(app): State<App>, _: Authenticated) -> Json<StatusResponse> {
    let (open, waiting_seconds) = app.broker.waiting();
    Json(StatusResponse {
        version: VERSION.into(),
        since: app.since,
        head: app.broker.head().to_string(),
        open: open as u64,
        waiting_seconds,
        watch: Some(app.config.watch.borrow().clone()),
    })
}

/// Counts for Prometheus
#[utoipa::path(get, path = "/metrics", tag = "both",
    responses((status = 200, description = "the text format", body = String, content_type = "text/plain")))]
pub(crate) async fn metrics(
    State(app): State<App>,
    _: Authenticated,
) -> Result<impl IntoResponse, Failure> {
    let text = text(&app).unwrap_or_default();
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text))
}

fn text(app: &App) -> Result<String, std::fmt::Error> {
    let counts = app.broker.counts();
    let (open, waiting) = app.broker.waiting();
    let mut out = String::new();
    let mut metric = |name: &str, kind: &str, help: &str, values: &[(String, f64)]| {
        writeln!(out, "# HELP handraise_{name} {help}\n# TYPE handraise_{name} {kind}")?;
        for (labels, value) in values {
            writeln!(out, "handraise_{name}{labels} {value}")?;
        }
        Ok(())
    };
    #[expect(clippy::cast_precision_loss, reason = "counts this large are not reached")]
    let float = |count: u64| count as f64;
    let one = |value: f64| vec![(String::new(), value)];
    metric("open_asks", "gauge", "Asks that wait for a person.", &one(float(open as u64)))?;
    metric("asks_total", "counter", "Asks since the hub was started.", &one(float(counts.asked)))?;
    let kinds: Vec<_> = counts
        .resolved
        .iter()
        .map(|(kind, count)| (format!("{{kind=\"{kind}\"}}"), float(*count)))
        .collect();
    metric("resolutions_total", "counter", "Ends of asks, by kind.", &kinds)?;
    metric(
        "agent_wait_minutes_total",
        "counter",
        "Minutes agents spent waiting, for asks that have ended and those still open.",
        &one((counts.waited_seconds + waiting) / 60.0),
    )?;
    let total: u64 = counts.answer_times.iter().sum();
    let mut below = 0;
    let mut times: Vec<_> = ANSWER_TIMES
        .iter()
        .zip(counts.answer_times)
        .map(|(end, count)| {
            below += count;
            (format!("_bucket{{le=\"{end}\"}}"), float(below))
        })
        .collect();
    times.push(("_bucket{le=\"+Inf\"}".into(), float(total)));
    times.push(("_sum".into(), counts.answer_seconds));
    times.push(("_count".into(), float(total)));
    metric("answer_seconds", "histogram", "How long people took to answer.", &times)?;
    for (name, help, count) in [
        ("undelivered_total", "Resolutions that no agent was seen to take.", counts.undelivered),
        ("overruled_total", "Resolutions the agent took another answer than.", counts.overruled),
        ("refused_total", "Attempts that were refused.", counts.refused),
    ] {
        metric(name, "counter", help, &one(float(count)))?;
    }
    Ok(out)
}
