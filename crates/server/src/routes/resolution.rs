//! Waiting for the end of an ask.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use handraise_broker::{Hub, Record};
use handraise_question::{Violation, Violations};
use handraise_wire::v1::{Problem, resolution_json};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::App;
use crate::authenticated::{Agent, Deliverer};
use crate::body::Params;
use crate::problem::Failure;
use crate::routes::Named;

const LONGEST_WAIT: u64 = 60;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct WaitParams {
    /// How many seconds to wait for it: 0 to 60, 0 when absent.
    #[param(minimum = 0, maximum = 60)]
    wait: Option<u64>,
}

/// The resolution of an ask, waited for if need be
#[utoipa::path(
    get, path = "/api/v1/asks/{id}/resolution", tag = "agent",
    params(("id" = String, Path, description = "the ask"), WaitParams,
        ("handraise-deliverer" = Option<String>, Header, description = "names the process that brings the resolution to the agent")),
    responses(
        (status = 200, description = "the resolution, with who gave it and when. An end that only an agent's receipt claims is `withdrawn` here: the program that waits acts on answers that came through the hub; what was claimed is in the ask", body = Object),
        (status = 204, description = "still open: ask again"),
        (status = 403, description = "`not_yours`: with `handraise-deliverer`, and another agent's token opened it; noted", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`no_such_ask`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`another_delivers`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn wait(
    State(app): State<App>,
    Agent(caller): Agent,
    Deliverer(deliverer): Deliverer,
    Named(id): Named,
    Params(params): Params<WaitParams>,
) -> Result<Response, Failure> {
    let wait = params.wait.unwrap_or(0);
    if wait > LONGEST_WAIT {
        let violation = Violation::new("wait", wait.to_string(), format!("0–{LONGEST_WAIT}"));
        return Err(Violations::from(violation).into());
    }
    let waiting = caller.seat.wait(id, deliverer, Duration::from_secs(wait));
    let record = tokio::select! {
        record = waiting => record?,
        // It is still open as far as anybody knows; whoever waits comes back to the next hub.
        () = app.stopping.cancelled() => None,
    };
    let record = record.map(Record::for_waiting_program);
    let resolved = record.as_ref().and_then(|record| record.resolved());
    Ok(match resolved {
        Some(resolved) => Json(resolution_json(resolved)).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    })
}
