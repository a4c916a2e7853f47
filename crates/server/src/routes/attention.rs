//! Whether a person looks at what waits.

use axum::http::StatusCode;
use handraise_broker::Hub;
use handraise_wire::v1::{LookParams, Problem};

use crate::authenticated::Person;
use crate::body::Body;
use crate::problem::Failure;

/// Say that a person looks at what waits
///
/// Nobody is notified of what they look at already. It is not stored, and ends by itself: a surface
/// says it again for as long as somebody is there.
#[utoipa::path(
    put, path = "/api/v1/attention", tag = "person", request_body = LookParams,
    responses(
        (status = 204, description = "heard"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn put(
    Person(caller): Person,
    Body(look): Body<LookParams>,
) -> Result<StatusCode, Failure> {
    caller.seat.look(look.into()).await?;
    Ok(StatusCode::NO_CONTENT)
}
