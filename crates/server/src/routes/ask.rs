//! Asking, and looking at what was asked.

use axum::http::StatusCode;
use axum::response::Response;
use axum::{Json, extract};
use handraise_broker::{AskId, Hub, MAX_PAGE_BYTES, Order, Page, Query, Resolved, Sought, State};
use handraise_question::{Surface, Violation, Violations};
use handraise_wire::v1::{AskParams, AskResponse, AsksResponse, Problem};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::App;
use crate::authenticated::{Agent, Authenticated, Deliverer, internal};
use crate::body::{Body, Params};
use crate::problem::Failure;
use crate::routes::{Named, limit};

/// Ask, or find the ask that was asked before with the same key
#[utoipa::path(
    post, path = "/api/v1/asks", tag = "agent", request_body = AskParams,
    params(("handraise-deliverer" = Option<String>, Header, description = "names the process that brings the resolution to the agent")),
    responses(
        (status = 201, description = "a new ask, stored", body = AskResponse),
        (status = 200, description = "the ask that was asked before with this key", body = AskResponse),
        (status = 409, description = "`key_reused`: the key names other questions", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`: everything that is wrong", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn ask(
    Agent(caller): Agent,
    Deliverer(deliverer): Deliverer,
    Body(params): Body<AskParams>,
) -> Result<(StatusCode, Json<AskResponse>), Failure> {
    let asked = caller.seat.ask(params.into_new_ask(deliverer)?).await?;
    let status = if asked.new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(AskResponse::from(&asked))))
}

/// One ask as it stands
#[utoipa::path(
    get, path = "/api/v1/asks/{id}", tag = "both",
    params(("id" = String, Path, description = "the ask")),
    responses(
        (status = 200, description = "the ask", body = AskResponse),
        (status = 404, description = "`no_such_ask`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(
    caller: Authenticated,
    Named(id): Named,
) -> Result<Json<AskResponse>, Failure> {
    let record = caller.seat.get(id).await?;
    Ok(Json(AskResponse::from(&*record)))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListParams {
    /// `open` when absent; or `resolved`, `delivered`, `overruled`, `undelivered`, or `all`.
    state: Option<String>,
    /// Only those of this kind of agent.
    agent: Option<String>,
    /// Only those of this session.
    session: Option<String>,
    /// Only those of agents whose directory has this in it, in capitals or not.
    project: Option<String>,
    /// Only those in which a person reads this: in what was asked, said before, or answered.
    text: Option<String>,
    /// The `next` of the page before.
    #[param(value_type = Option<String>)]
    after: Option<AskId>,
    /// At most this many: 1 to 500, 100 when absent.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
}

/// Asks, oldest first
#[utoipa::path(
    get, path = "/api/v1/asks", tag = "both", params(ListParams),
    responses((status = 200, description = "a page of asks", body = AsksResponse),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"))
)]
pub(crate) async fn list(
    extract::State(app): extract::State<App>,
    caller: Authenticated,
    Params(params): Params<ListParams>,
) -> Result<Response, Failure> {
    let states = match params.state.as_deref() {
        None => vec![State::Open],
        Some("all") => vec![],
        Some(name) => vec![state(name)?],
    };
    let query = Query {
        states,
        agent: params.agent,
        session: params.session,
        sought: Sought {
            project: given(params.project),
            text: given(params.text),
            ..Sought::default()
        },
        after: params.after,
        limit: limit(params.limit)?,
        ..Query::default()
    };
    page(&app, &caller, query).await
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct HistoryParams {
    /// Only those that ended like this: `answered`, `declined`, `discuss`, `no_answer`, `withdrawn`.
    kind: Option<String>,
    /// Only those that this person ended.
    person: Option<String>,
    /// Only those that were ended here: `terminal`, `web`, `dialog`, `api`, `dialect:NAME` or `rule`.
    surface: Option<String>,
    /// With `true`, only those whose agent went on with an answer that no person gave.
    doubted: Option<bool>,
    /// Only those of this kind of agent.
    agent: Option<String>,
    /// Only those of this session.
    session: Option<String>,
    /// Only those of agents whose directory has this in it, in capitals or not.
    project: Option<String>,
    /// Only those in which a person reads this: in what was asked, said before, or answered.
    text: Option<String>,
    /// The `next` of the page before.
    #[param(value_type = Option<String>)]
    after: Option<AskId>,
    /// At most this many: 1 to 500, 100 when absent.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
}

/// Asks that have ended, the last one first
#[utoipa::path(
    get, path = "/api/v1/history", tag = "both", params(HistoryParams),
    responses((status = 200, description = "a page of asks", body = AsksResponse),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"))
)]
pub(crate) async fn history(
    extract::State(app): extract::State<App>,
    caller: Authenticated,
    Params(params): Params<HistoryParams>,
) -> Result<Response, Failure> {
    let ended = State::ALL.into_iter().filter(|state| *state != State::Open);
    let query = Query {
        states: ended.collect(),
        agent: params.agent,
        session: params.session,
        kind: params.kind.map(kind).transpose()?,
        sought: Sought {
            project: given(params.project),
            text: given(params.text),
            person: given(params.person),
            surface: given(params.surface).as_deref().map(surface).transpose()?,
        },
        doubted: params.doubted == Some(true),
        order: Order::LastEndedFirst,
        after: params.after,
        limit: limit(params.limit)?,
    };
    page(&app, &caller, query).await
}

/// An [`AsksResponse`], written as it goes so that it is known how large it is.
async fn page(app: &App, caller: &Authenticated, query: Query) -> Result<Response, Failure> {
    let room = app.room.for_page(caller.seat.device().power).await;
    let Page { asks, mut next } = caller.seat.search(query).await?;
    let unwritable = |_| internal("an ask cannot be written");
    let mut body = b"{\"asks\":[".to_vec();
    let mut last = None;
    for record in asks {
        if body.len() > MAX_PAGE_BYTES {
            next = last;
            break;
        }
        if last.replace(record.id).is_some() {
            body.push(b',');
        }
        serde_json::to_writer(&mut body, &AskResponse::from(&*record)).map_err(unwritable)?;
    }
    body.extend(b"],\"next\":");
    serde_json::to_writer(&mut body, &next).map_err(unwritable)?;
    body.push(b'}');
    Ok(room.respond(body))
}

fn state(name: &str) -> Result<State, Violations> {
    let found = State::ALL.into_iter().find(|state| state.name() == name);
    found.ok_or_else(|| {
        let names = State::ALL.map(State::name).join(", ");
        Violation::new("state", "unknown", format!("{names} or all")).into()
    })
}

fn kind(name: String) -> Result<String, Violations> {
    if Resolved::KINDS.contains(&name.as_str()) {
        return Ok(name);
    }
    let names = Resolved::KINDS.join(", ");
    Err(Violation::new("kind", "unknown", format!("one of {names}")).into())
}

fn surface(name: &str) -> Result<Surface, Violations> {
    let known = serde_json::from_value(name.into());
    let names = "terminal, web, dialog, api, dialect:NAME or rule";
    known.map_err(|_| Violation::new("surface", "unknown", names).into())
}

/// What stands behind a name, if something does.
fn given(wanted: Option<String>) -> Option<String> {
    wanted.filter(|text| !text.is_empty())
}
