//! Who is calling.

use std::sync::{Arc, OnceLock};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use handraise_broker::{Caller, DelivererId, Device, HubError, Power, Rejection, Seat, Token};
use handraise_question::Surface;
use handraise_wire::v1::{DELIVERER_HEADER, SURFACE_HEADER};

use crate::app::{App, Peer};
use crate::connection::Connection;
use crate::problem::Failure;

pub(crate) const UNKNOWN_TOKEN: &str = "this token counts for nothing here";

/// A caller whose token was found good, in front of the hub.
pub(crate) struct Authenticated {
    pub(crate) seat: Seat,
}

/// Where the device of a request is noted once it is known, for the log of refusals.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeviceSlot(pub(crate) Arc<OnceLock<String>>);

impl DeviceSlot {
    fn note(&self, device: &Device) {
        // Set once per request; a second extractor finds the same.
        let _ = self.0.set(device.name.clone());
    }
}

impl FromRequestParts<App> for Authenticated {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let peer = *parts.extensions.get::<Peer>().ok_or_else(|| internal("no peer"))?;
        let Some(token) = bearer(&parts.headers) else {
            app.rates.stranger(peer.0, app.broker.world().elapsed())?;
            return Err(Failure::new(401, "no_token", "this needs a token"));
        };
        let slot = parts.extensions.get::<DeviceSlot>().cloned().unwrap_or_default();
        let caller = authenticate(app, peer, &token, surface(&parts.headers)?, &slot)?;
        if let Some(connection) = parts.extensions.get::<Connection>() {
            connection.admit(&caller.device)?;
        }
        Ok(Self { seat: app.broker.seat(caller) })
    }
}

/// A caller with an agent's token. It comes before everything else a handler takes: whoever may not
/// do a thing is told that, and not what is wrong with how they tried.
pub(crate) struct Agent(pub(crate) Authenticated);

/// A caller with a person's token; the same holds.
pub(crate) struct Person(pub(crate) Authenticated);

impl FromRequestParts<App> for Agent {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        Authenticated::from_request_parts(parts, app).await?.only(Power::Agent).map(Self)
    }
}

impl FromRequestParts<App> for Person {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        Authenticated::from_request_parts(parts, app).await?.only(Power::Person).map(Self)
    }
}

impl Authenticated {
    fn only(self, power: Power) -> Result<Self, Failure> {
        if self.seat.device().power == power {
            return Ok(self);
        }
        Err(Failure::from(HubError::from(Rejection::NotAllowed(power))))
    }
}

/// A caller with a login link in the place of a token.
pub(crate) struct Invited;

impl FromRequestParts<App> for Invited {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let peer = parts.extensions.get::<Peer>().ok_or_else(|| internal("no peer"))?;
        app.rates.login(peer.0, app.broker.world().elapsed())?;
        Ok(Self)
    }
}

/// Finds out whose token it is, and notes it in the slot.
pub(crate) fn authenticate(
    app: &App,
    peer: Peer,
    token: &Token,
    surface: Surface,
    slot: &DeviceSlot,
) -> Result<Caller, Failure> {
    let now = app.broker.world().elapsed();
    let Some(device) = app.broker.authenticate(token) else {
        app.rates.stranger(peer.0, now)?;
        return Err(Failure::new(401, "bad_token", UNKNOWN_TOKEN));
    };
    slot.note(&device);
    app.rates.known(device.id, now)?;
    Ok(Caller { device, surface })
}

/// The token of an `Authorization: Bearer …` header.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<Token> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| Token::presented(token))
}

fn surface(headers: &HeaderMap) -> Result<Surface, Failure> {
    match headers.get(SURFACE_HEADER).map(HeaderValue::as_bytes) {
        None | Some(b"api") => Ok(Surface::Api),
        Some(b"terminal") => Ok(Surface::Terminal),
        Some(b"web") => Ok(Surface::Web),
        Some(_) => Err(Failure::new(422, "invalid", "handraise-surface: terminal, web or api")),
    }
}

/// The deliverer a process says it is, noted as present for as long as its connection lives. It comes
/// after the extractor that finds out whose token it is.
pub(crate) struct Deliverer(pub(crate) Option<DelivererId>);

impl FromRequestParts<App> for Deliverer {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let id = deliverer(&parts.headers)?;
        let owner = parts.extensions.get::<DeviceSlot>().and_then(|slot| slot.0.get());
        let connection = parts.extensions.get::<Connection>();
        if let (Some(id), Some(owner), Some(connection)) = (&id, owner, connection) {
            connection.host(&app.broker, owner, id);
        }
        Ok(Self(id))
    }
}

/// The deliverer a request names.
pub(crate) fn deliverer(headers: &HeaderMap) -> Result<Option<DelivererId>, Failure> {
    let Some(value) = headers.get(DELIVERER_HEADER) else { return Ok(None) };
    let id = value.to_str().ok().and_then(DelivererId::new);
    let wrong = "handraise-deliverer: up to 100 plain characters";
    id.map(Some).ok_or_else(|| Failure::new(422, "invalid", wrong))
}

pub(crate) fn internal(what: &'static str) -> Failure {
    tracing::error!(what, "a request lacks what every request has");
    Failure::new(500, "internal", "something is wrong with this hub")
}
