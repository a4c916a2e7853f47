//! The agent's side of the end of an ask.

use axum::Json;
use handraise_broker::Hub;
use handraise_wire::v1::{AskResponse, Problem, ReceiptParams, WithdrawParams};

use crate::authenticated::Agent;
use crate::body::Body;
use crate::problem::Failure;
use crate::routes::Named;

/// Take an ask back, or say that its agent is gone
#[utoipa::path(
    post, path = "/api/v1/asks/{id}/withdraw", tag = "agent", request_body = WithdrawParams,
    params(("id" = String, Path, description = "the ask")),
    responses(
        (status = 200, description = "withdrawn, or undelivered if it was resolved already", body = AskResponse),
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
        (status = 404, description = "`no_such_ask`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`still_open`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn receipt(
    Agent(caller): Agent,
    Named(id): Named,
    Body(params): Body<ReceiptParams>,
) -> Result<Json<AskResponse>, Failure> {
    let record = caller.seat.receipt(id, params.into()).await?;
    Ok(Json(AskResponse::from(&*record)))
}
