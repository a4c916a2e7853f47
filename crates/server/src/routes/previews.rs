//! What choosing an option would look like, when the agent wrote it as a page.
//!
//! It is shown in a frame where nothing runs. The frame needs an address of its own: a page that is
//! written into another one would inherit that one's policy, and lose its styles.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use handraise_broker::{Hub, Token};
use handraise_question::{Question, QuestionOption};
use handraise_wire::v1::{PreviewParams, PreviewResponse, Problem};

use crate::app::App;
use crate::authenticated::Person;
use crate::body::Body;
use crate::problem::Failure;
use crate::routes::Named;

/// Styles and images of its own, and nothing else: no script, no form, no request.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
                      font-src data:; sandbox; frame-ancestors 'self'";

/// An address under which an option's preview can be shown once
#[utoipa::path(
    post, path = "/api/v1/asks/{id}/previews", tag = "person", request_body = PreviewParams,
    params(("id" = String, Path, description = "the ask")),
    responses(
        (status = 201, description = "works once, for a minute", body = PreviewResponse),
        (status = 404, description = "`no_such_ask`, `no_such_preview`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn make(
    State(app): State<App>,
    Person(caller): Person,
    Named(id): Named,
    Body(params): Body<PreviewParams>,
) -> Result<(StatusCode, Json<PreviewResponse>), Failure> {
    let record = caller.seat.get(id).await?;
    let ask = record.matter().ask().map_err(|_| unknown())?;
    let option = ask
        .questions()
        .get(params.question as usize)
        .map(Question::options)
        .and_then(|options| options.get(params.option as usize));
    let preview = option.and_then(QuestionOption::preview).ok_or_else(unknown)?;
    let world = app.broker.world();
    let secret = app.previews.promise(world.random(), world.elapsed(), preview.to_owned());
    let url = format!("/previews/{}", secret.reveal());
    Ok((StatusCode::CREATED, Json(PreviewResponse { url })))
}

/// The preview itself, for a frame
#[utoipa::path(
    get, path = "/previews/{secret}", tag = "open", security(()),
    params(("secret" = String, Path, description = "from the address that was given out")),
    responses(
        (status = 200, description = "what the agent wrote", body = String, content_type = "text/html"),
        (status = 404, description = "`no_such_preview`: unknown, used or too old", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn show(
    State(app): State<App>,
    Path(secret): Path<String>,
) -> Result<impl IntoResponse, Failure> {
    let now = app.broker.world().elapsed();
    let preview = app.previews.redeem(&Token::presented(&secret), now).ok_or_else(unknown)?;
    let about = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
    ];
    Ok((about, preview))
}

fn unknown() -> Failure {
    Failure::new(404, "no_such_preview", "there is no such preview")
}
