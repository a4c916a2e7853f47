//! What a person says to an ask.

use axum::Json;
use handraise_broker::{AskId, Hub, Reply};
use handraise_wire::v1::{
    AnswerParams, AskResponse, DeclineParams, DiscussParams, ExtendParams, Problem,
};

use crate::authenticated::{Authenticated, Person};
use crate::body::Body;
use crate::problem::Failure;
use crate::routes::Named;

/// Answer the questions, or decide on the approval; the first valid answer counts
///
/// Allow only what a person was shown: the tool, the description, the plan and every field of the input;
/// and remember only suggestions that were shown. What you cannot show whole can be denied, or opened elsewhere.
#[utoipa::path(
    post, path = "/api/v1/asks/{id}/answer", tag = "person", request_body = AnswerParams,
    params(("id" = String, Path, description = "the ask"),
        ("handraise-surface" = Option<String>, Header, description = "where the person is: terminal, web or api")),
    responses(
        (status = 200, description = "this answer stands", body = AskResponse),
        (status = 404, description = "`no_such_ask`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`already_resolved` with the resolution that stands, `only_in_dialog`, or `key_reused`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`: everything that is wrong", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn answer(
    Person(caller): Person,
    Named(id): Named,
    Body(params): Body<AnswerParams>,
) -> Result<Json<AskResponse>, Failure> {
    let (reply, key) = params.into_reply()?;
    say(&caller, id, reply, key).await
}

/// Decline to answer
#[utoipa::path(
    post, path = "/api/v1/asks/{id}/decline", tag = "person", request_body = DeclineParams,
    params(("id" = String, Path, description = "the ask")),
    responses(
        (status = 200, description = "declined", body = AskResponse),
        (status = 404, description = "`no_such_ask`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`already_resolved`, `only_in_dialog` or `key_reused`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn decline(
    Person(caller): Person,
    Named(id): Named,
    Body(params): Body<DeclineParams>,
) -> Result<Json<AskResponse>, Failure> {
    say(&caller, id, Reply::Decline(params.reason), params.idempotency_key).await
}

/// Ask to talk first
#[utoipa::path(
    post, path = "/api/v1/asks/{id}/discuss", tag = "person", request_body = DiscussParams,
    params(("id" = String, Path, description = "the ask")),
    responses(
        (status = 200, description = "to be discussed", body = AskResponse),
        (status = 404, description = "`no_such_ask`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`already_resolved`, `only_in_dialog` or `key_reused`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn discuss(
    Person(caller): Person,
    Named(id): Named,
    Body(params): Body<DiscussParams>,
) -> Result<Json<AskResponse>, Failure> {
    say(&caller, id, Reply::Discuss(params.words), params.idempotency_key).await
}

/// Move the deadline
#[utoipa::path(
    post, path = "/api/v1/asks/{id}/extend", tag = "person", request_body = ExtendParams,
    params(("id" = String, Path, description = "the ask")),
    responses(
        (status = 200, description = "with its new deadline", body = AskResponse),
        (status = 404, description = "`no_such_ask`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`already_resolved`, `no_deadline` or `key_reused`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn extend(
    Person(caller): Person,
    Named(id): Named,
    Body(params): Body<ExtendParams>,
) -> Result<Json<AskResponse>, Failure> {
    let record = caller.seat.extend(id, params.seconds, params.idempotency_key).await?;
    Ok(Json(AskResponse::from(&*record)))
}

async fn say(
    caller: &Authenticated,
    id: AskId,
    reply: Reply,
    key: Option<String>,
) -> Result<Json<AskResponse>, Failure> {
    let record = caller.seat.reply(id, reply, key).await?;
    Ok(Json(AskResponse::from(&*record)))
}
