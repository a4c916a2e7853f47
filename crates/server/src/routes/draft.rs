//! A person's unfinished answer.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use handraise_broker::Hub;
use handraise_wire::v1::{DraftJson, Problem};

use crate::authenticated::Person;
use crate::body::Body;
use crate::problem::Failure;
use crate::routes::Named;

/// The caller's own draft
#[utoipa::path(
    get, path = "/api/v1/asks/{id}/draft", tag = "person",
    params(("id" = String, Path, description = "the ask")),
    responses(
        (status = 200, description = "the draft", body = DraftJson),
        (status = 204, description = "there is none"),
        (status = 404, description = "`no_such_ask`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(Person(caller): Person, Named(id): Named) -> Result<Response, Failure> {
    Ok(match caller.seat.draft(id).await? {
        Some(draft) => Json(DraftJson::from(draft)).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

/// Keep a draft
#[utoipa::path(
    put, path = "/api/v1/asks/{id}/draft", tag = "person", request_body = DraftJson,
    params(("id" = String, Path, description = "the ask")),
    responses(
        (status = 204, description = "kept"),
        (status = 404, description = "`no_such_ask`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`older_draft`, with the newer one", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn put(
    Person(caller): Person,
    Named(id): Named,
    Body(draft): Body<DraftJson>,
) -> Result<StatusCode, Failure> {
    caller.seat.keep_draft(id, draft.into()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Throw the draft away
#[utoipa::path(
    delete, path = "/api/v1/asks/{id}/draft", tag = "person",
    params(("id" = String, Path, description = "the ask")),
    responses(
        (status = 204, description = "gone"),
        (status = 404, description = "`no_such_ask`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn delete(
    Person(caller): Person,
    Named(id): Named,
) -> Result<StatusCode, Failure> {
    caller.seat.drop_draft(id).await?;
    Ok(StatusCode::NO_CONTENT)
}
