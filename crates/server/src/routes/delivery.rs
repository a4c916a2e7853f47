//! The agent's side of the end of an ask.

use axum::Json;
use axum::response::{IntoResponse, Response};
use handraise_broker::{Hub, HubError, Rejection};
use handraise_wire::v1::{AskResponse, Problem, ReceiptParams, WithdrawParams};

use crate::authenticated::Agent;
use crate::body::Body;
use crate::problem::{Failure, Noted};
use crate::routes::Named;

/// Take an ask back, or say that its agent is gone
#[utoipa::path(
    post, path = "/api/v1/asks/{id}/withdraw", tag = "agent", request_body = WithdrawParams,
    params(("id" = String, Path, description = "the ask")),
    responses(
        (status = 200, description = "withdrawn, or undelivered if it was resolved already", body = AskResponse),
        (status = 403, description = "`not_yours`: another agent's token opened it; noted", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`no_such_ask`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn withdraw(
    Agent(caller): Agent,
    Named(id): Named,
    Body(params): Body<WithdrawParams>,
) -> Result<Json<AskResponse>, Failure> {
    let record = caller.seat.withdraw(id, params.reason).await?;
    Ok(Json(AskResponse::from(&*record)))
}

/// Say that the agent has its answer
#[utoipa::path(
    post, path = "/api/v1/asks/{id}/receipt", tag = "agent", request_body = ReceiptParams,
    params(("id" = String, Path, description = "the ask")),
    responses(
        (status = 200, description = "noted: delivered, or overruled", body = AskResponse),
        (status = 403, description = "`not_yours`: another agent's token opened it; noted", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "`no_such_ask`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`still_open`: nobody has answered, and the ask has no `rivalDialog` whose answer `took` could be; with `took` it is noted as `access.refused`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn receipt(
    Agent(caller): Agent,
    Named(id): Named,
    Body(params): Body<ReceiptParams>,
) -> Response {
    let is_claim = params.took.is_some();
    match caller.seat.receipt(id, params.into()).await {
        Ok(record) => Json(AskResponse::from(&*record)).into_response(),
        // An agent's token tried to answer.
        Err(error @ HubError::Rejected(Rejection::StillOpen)) if is_claim => {
            Noted(Failure::from(error)).into_response()
        }
        Err(error) => Failure::from(error).into_response(),
    }
}
