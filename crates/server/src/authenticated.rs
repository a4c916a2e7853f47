//! Who is calling.

use std::sync::{Arc, OnceLock};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use handraise_broker::{Caller, DelivererId, Device, Power, Seat, Token};
use handraise_question::Surface;
use handraise_wire::v1::{DELIVERER_HEADER, SURFACE_HEADER};

use crate::app::{App, Peer};
use crate::connection::Connection;
use crate::problem::Failure;

/// A caller whose token was found good, in front of the hub.
pub(crate) struct Authenticated {
    pub(crate) device: Device,
    pub(crate) seat: Seat,
}

/// Where the device of a request is noted once it is known, for the log of refusals.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeviceSlot(pub(crate) Arc<OnceLock<String>>);

impl FromRequestParts<App> for Authenticated {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let peer = *parts.extensions.get::<Peer>().ok_or_else(|| internal("no peer"))?;
        let Some(token) = bearer(&parts.headers) else {
            app.rates.stranger(peer.0, app.broker.world().elapsed())?;
            return Err(Failure::new(401, "no_token", "this needs a token"));
        };
        let caller = authenticate(app, peer, &token, surface(&parts.headers)?)?;
        if let Some(slot) = parts.extensions.get::<DeviceSlot>() {
            // Set once per request; a second extractor finds the same.
            let _ = slot.0.set(caller.device.name.clone());
        }
        if let Some(connection) = parts.extensions.get::<Connection>() {
            connection.is_known();
        }
        Ok(Self { device: caller.device.clone(), seat: app.broker.seat(caller) })
    }
}

impl Authenticated {
    /// Demands a power for what concerns no ask.
    pub(crate) fn only(&self, power: Power) -> Result<(), Failure> {
        if self.device.power == power {
            return Ok(());
        }
        Err(Failure::from(handraise_broker::HubError::from(
            handraise_broker::Rejection::NotAllowed(power),
        )))
    }
}

/// Finds out whose token it is.
pub(crate) fn authenticate(
    app: &App,
    peer: Peer,
    token: &Token,
    surface: Surface,
) -> Result<Caller, Failure> {
    let now = app.broker.world().elapsed();
    let Some(device) = app.broker.authenticate(token) else {
        app.rates.stranger(peer.0, now)?;
        return Err(Failure::new(401, "bad_token", "this token counts for nothing here"));
    };
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

/// The deliverer a process says it is, noted as present for as long as its connection lives.
pub(crate) struct Deliverer(pub(crate) Option<DelivererId>);

impl FromRequestParts<App> for Deliverer {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let Some(value) = parts.headers.get(DELIVERER_HEADER) else { return Ok(Self(None)) };
        let id = value.to_str().ok().and_then(DelivererId::new);
        let id = id.ok_or_else(|| {
            Failure::new(422, "invalid", "handraise-deliverer: up to 100 plain characters")
        })?;
        if let Some(connection) = parts.extensions.get::<Connection>() {
            connection.host(&app.broker, &id);
        }
        Ok(Self(Some(id)))
    }
}

pub(crate) fn internal(what: &'static str) -> Failure {
    tracing::error!(what, "a request lacks what every request has");
    Failure::new(500, "internal", "something is wrong with this hub")
}
