//! The description of the API, made from the code that serves it.

use axum::Json;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Content, OpenApi as Document, Ref};
use utoipa::{Modify, OpenApi};

use crate::routes;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Handraise",
        description = "Carries a coding agent's questions to a person and the person's answer back.",
        license(name = "Apache-2.0 OR MIT"),
    ),
    paths(
        routes::ask::ask,
        routes::ask::list,
        routes::ask::get,
        routes::ask::history,
        routes::resolution::wait,
        routes::reply::answer,
        routes::reply::decline,
        routes::reply::discuss,
        routes::reply::extend,
        routes::delivery::withdraw,
        routes::delivery::receipt,
        routes::draft::get,
        routes::draft::put,
        routes::draft::delete,
        routes::attention::put,
        routes::previews::make,
        routes::previews::show,
        routes::events::follow,
        routes::sessions::list,
        routes::sessions::open,
        routes::sessions::start,
        routes::sessions::get,
        routes::sessions::messages,
        routes::sessions::say,
        routes::sessions::interrupt,
        routes::sessions::end,
        routes::sessions::progress,
        routes::sessions::text,
        routes::devices::login,
        routes::devices::link,
        routes::devices::add_agent,
        routes::devices::list,
        routes::devices::revoke,
        routes::devices::inside_agent,
        routes::times::get,
        routes::health::status,
        routes::health::healthz,
        routes::health::metrics,
    ),
    security(("token" = [])),
    modifiers(&Token, &AnyProblem),
    tags(
        (name = "agent", description = "with an agent's token"),
        (name = "person", description = "with a person's token"),
        (name = "both", description = "with either"),
        (name = "open", description = "without a token"),
    )
)]
struct Api;

struct Token;

impl Modify for Token {
    fn modify(&self, document: &mut Document) {
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(bearer));
    }
}

/// What any request may be answered with: no token, too large, too often, nowhere to store it.
struct AnyProblem;

impl Modify for AnyProblem {
    fn modify(&self, document: &mut Document) {
        let problem = Content::new(Some(Ref::from_schema_name("Problem")));
        let response = ResponseBuilder::new()
            .description("any other problem, with its `code`")
            .content("application/problem+json", problem)
            .build();
        for path in document.paths.paths.values_mut() {
            let operations = [&mut path.get, &mut path.put, &mut path.post, &mut path.delete];
            for operation in operations.into_iter().flatten() {
                let responses = &mut operation.responses.responses;
                responses.insert("default".into(), response.clone().into());
            }
        }
    }
}

/// The description of the API.
#[must_use]
pub fn document() -> Document {
    Api::openapi()
}

pub(crate) async fn serve() -> Json<Document> {
    Json(document())
}
