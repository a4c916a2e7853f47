//! Who may come in.

use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use handraise_broker::{Device, DeviceId, Hub, HubError, Rejection, Token};
use handraise_wire::v1::{
    AgentParams, DeviceJson, DevicesResponse, InsideAgentParams, LinkParams, LinkResponse,
    LoginParams, LoginResponse, Problem,
};

use crate::app::{App, Peer};
use crate::authenticated::{Authenticated, Invited, Person};
use crate::body::Body;
use crate::links::Invitation;
use crate::problem::Failure;

const LONGEST_NAME: usize = 100;

/// A new one-time login link
#[utoipa::path(
    post, path = "/api/v1/links", tag = "person", request_body = Option<LinkParams>,
    responses(
        (status = 201, description = "works once, for ten minutes", body = LinkResponse),
        (status = 404, description = "`no_such_ask`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn link(
    State(app): State<App>,
    Person(caller): Person,
    headers: HeaderMap,
    params: Option<Body<LinkParams>>,
) -> Result<(StatusCode, Json<LinkResponse>), Failure> {
    let to = params.and_then(|Body(params)| params.ask);
    if let Some(ask) = to {
        // A link that leads nowhere is a mistake of whoever makes it.
        caller.seat.get(ask).await?;
    }
    // It has passed the gate: whoever made the link from a page reaches the hub there.
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    let invitation = Invitation { by: caller.seat.device().id, to };
    Ok((StatusCode::CREATED, Json(app.new_link(invitation, origin))))
}

/// Exchange the secret of a login link for a token
#[utoipa::path(
    post, path = "/api/v1/login", tag = "open", request_body = LoginParams, security(()),
    responses(
        (status = 201, description = "a new device", body = LoginResponse),
        (status = 401, description = "`link_used`: unknown, used or too old", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn login(
    State(app): State<App>,
    _: Invited,
    Body(params): Body<LoginParams>,
) -> Result<(StatusCode, Json<LoginResponse>), Failure> {
    let now = app.broker.world().elapsed();
    let secret = Token::presented(&params.secret);
    let Some(Invitation { by, to: ask }) = app.links.redeem(&secret, now) else {
        return Err(link_used());
    };
    let name: String = params.name.as_deref().unwrap_or("a browser").trim().to_owned();
    let name: String = name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    let name = if name.is_empty() { "a browser" } else { &name };
    let _naming = app.naming.lock().await;
    let name = &distinct(name, &app.broker.devices());
    let person = Some(app.config.person.clone());
    let paired = app.broker.pair_device(by, name, person).await;
    let (device, token) = paired.map_err(|error| {
        let is_revoked = error == HubError::Rejected(Rejection::Revoked);
        if is_revoked { link_used() } else { error.into() }
    })?;
    let device = DeviceJson::from(&device);
    let token = token.reveal().to_owned();
    Ok((StatusCode::CREATED, Json(LoginResponse { token, device, ask })))
}

fn link_used() -> Failure {
    Failure(
        Problem::new(401, "link_used", "this link is unknown, was used, or is too old")
            .detail("get a new one with: handraise link"),
    )
}

/// A name no other device has: it is what an answer is signed with, and by what people tell them apart.
fn distinct(name: &str, devices: &[Device]) -> String {
    let is_free = |name: &String| devices.iter().all(|device| device.name != *name);
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

/// A token for an agent
#[utoipa::path(
    post, path = "/api/v1/devices", tag = "person", request_body = AgentParams,
    responses(
        (status = 201, description = "the token, shown once", body = LoginResponse),
        (status = 409, description = "`name_taken`: another agent goes by this name", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn add_agent(
    Person(caller): Person,
    Body(params): Body<AgentParams>,
) -> Result<(StatusCode, Json<LoginResponse>), Failure> {
    let (device, token) = caller.seat.add_agent(&params.agent).await?;
    let (device, token) = (DeviceJson::from(&device), token.reveal().to_owned());
    Ok((StatusCode::CREATED, Json(LoginResponse { token, device, ask: None })))
}

/// The devices whose tokens count
#[utoipa::path(
    get, path = "/api/v1/devices", tag = "person",
    responses((status = 200, description = "all of them", body = DevicesResponse))
)]
pub(crate) async fn list(State(app): State<App>, _: Person) -> Json<DevicesResponse> {
    let devices = app.broker.devices();
    Json(DevicesResponse { devices: devices.iter().map(DeviceJson::from).collect() })
}

/// Make a device's token count no more
#[utoipa::path(
    delete, path = "/api/v1/devices/{id}", tag = "person",
    params(("id" = String, Path, description = "the device")),
    responses(
        (status = 200, description = "revoked, at once", body = DeviceJson),
        (status = 404, description = "`no_such_device`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn revoke(
    State(app): State<App>,
    _: Person,
    Path(id): Path<String>,
) -> Result<Json<DeviceJson>, Failure> {
    let unknown = || Failure::new(404, "no_such_device", "there is no such device");
    let id: DeviceId = id.parse().map_err(|_| unknown())?;
    Ok(Json(DeviceJson::from(&app.broker.revoke_device(id).await?)))
}

/// Note that a command which acts as a person refused to run inside an agent
#[utoipa::path(
    post, path = "/api/v1/refusals", tag = "both", request_body = InsideAgentParams,
    responses((status = 204, description = "noted"))
)]
pub(crate) async fn inside_agent(
    State(app): State<App>,
    Extension(peer): Extension<Peer>,
    caller: Authenticated,
    Body(params): Body<InsideAgentParams>,
) -> Result<StatusCode, Failure> {
    let short = |text: &str| -> String {
        text.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect()
    };
    let tried = format!("handraise {} ({})", short(&params.command), short(&params.sign));
    let (peer, device) = (Some(peer.0.to_string()), Some(caller.seat.device().name.clone()));
    app.refusals.note("inside_agent", &tried, peer, device).await;
    Ok(StatusCode::NO_CONTENT)
}
