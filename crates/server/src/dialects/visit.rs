//! A front end of another system, from its coming to its leaving.

use axum::extract::FromRequestParts;
use axum::extract::ws::WebSocket;
use axum::http::request::Parts;
use handraise_broker::{Caller, HubError, Power, Record, Rejection, Token};
use handraise_question::Surface;
use handraise_wire::dialects::Dialect;
use serde::Deserialize;

use super::address::Address;
use super::crowd::Guest;
use super::line::Line;
use super::sight::Sight;
use super::view::View;
use crate::app::{App, Peer};
use crate::authenticated::{DeviceSlot, authenticate, bearer, internal};
use crate::body::Params;
use crate::connection::Connection;
use crate::problem::Failure;
use crate::socket::Stranger;

const TRIED: &str = "GET /dialects/{dialect}/{session}";

/// A front end that has come.
pub(crate) struct Visit {
    pub(super) app: App,
    peer: Peer,
    connection: Connection,
    address: Address,
    /// Whose it is, if it has shown a token already.
    caller: Option<Caller>,
    /// Its place among the connected, and what it is about, if it has one already.
    guest: Option<(Guest, Sight)>,
}

#[derive(Deserialize)]
struct Shown {
    /// A page cannot set headers on a WebSocket, and one of another system does not know our first
    /// frame: its address is all that can be set.
    token: Option<String>,
}

impl FromRequestParts<App> for Visit {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let address = Address::from_request_parts(parts, app).await?;
        let Params(Shown { token }) = Params::from_request_parts(parts, app).await?;
        let peer = *parts.extensions.get::<Peer>().ok_or_else(|| internal("no peer"))?;
        let connection = parts.extensions.get::<Connection>().cloned();
        let connection = connection.ok_or_else(|| internal("no connection"))?;
        let slot = parts.extensions.get::<DeviceSlot>().cloned().unwrap_or_default();
        let token = bearer(&parts.headers).or_else(|| token.as_deref().map(Token::presented));
        let caller = match token {
            Some(token) => {
                let surface = surface(address.dialect);
                Some(person(authenticate(app, peer, &token, surface, &slot)?)?)
            }
            None => None,
        };
        if let Some(caller) = &caller {
            connection.admit(&caller.device)?;
        }
        Ok(Self { app: app.clone(), peer, connection, address, caller, guest: None })
    }
}

fn surface(dialect: &dyn Dialect) -> Surface {
    Surface::Dialect(dialect.name().to_owned())
}

/// Front ends are for people: an agent cannot answer.
fn person(caller: Caller) -> Result<Caller, Failure> {
    match caller.device.power {
        Power::Person => Ok(caller),
        Power::Agent => Err(HubError::from(Rejection::NotAllowed(Power::Person)).into()),
    }
}

impl Visit {
    /// Whether it is known whose it is.
    pub(super) fn is_known(&self) -> bool {
        self.caller.is_some()
    }

    /// Counts as connected from now on, if it is known whose it is: before the front end hears that it
    /// is, so that no other one leaves a session alone in between.
    pub(super) fn join(&mut self) {
        if self.is_known() {
            self.guest = Some(self.new_guest());
        }
    }

    fn new_guest(&self) -> (Guest, Sight) {
        let sessions = self.app.broker.live_sessions();
        let sight = Sight::new(self.address.session.clone(), &sessions);
        (self.app.crowd.join(self.address.dialect, sight.clone()), sight)
    }

    pub(super) async fn receive(mut self, mut socket: WebSocket) {
        let caller = match self.caller.take() {
            Some(caller) => Some(caller),
            None => self.introduce(&mut socket).await,
        };
        let Some(caller) = caller else { return };
        let (guest, sight) = self.guest.take().unwrap_or_else(|| self.new_guest());
        let dialect = self.address.dialect;
        let line = Line {
            app: &self.app,
            dialect,
            seat: self.app.broker.seat(caller),
            guest,
            view: View::new(dialect, sight),
        };
        let parting = line.talk(&mut socket).await;
        if parting.has_left && dialect.manners().missed_when_gone {
            self.leave(&parting.sight).await;
        }
    }

    async fn introduce(&self, socket: &mut WebSocket) -> Option<Caller> {
        let connection = &self.connection;
        let stranger = Stranger { peer: self.peer, connection, tried: TRIED, origin: None };
        let surface = surface(self.address.dialect);
        let caller = stranger.introduce(&self.app, socket, surface).await?;
        let device = caller.device.name.clone();
        match person(caller) {
            Ok(caller) => Some(caller),
            Err(Failure(problem)) => {
                stranger.turn_away(&self.app, socket, &problem, Some(device)).await;
                None
            }
        }
    }

    /// Has the asks hear of it that nobody of this dialect sees any more. A hub that stops sends
    /// everybody away: that is nobody's leaving.
    async fn leave(&self, sight: &Sight) {
        let (broker, dialect) = (&self.app.broker, self.address.dialect.name());
        let now = broker.world().now();
        let is_concerned =
            |ask: &Record| sight.covers(ask) && !ask.disconnect(dialect, now).is_empty();
        for ask in broker.open_asks(is_concerned) {
            let app = self.app.clone();
            let is_missed =
                move |ask: &Record| !app.stopping.is_cancelled() && !app.crowd.sees(dialect, ask);
            if let Err(error) = broker.disconnected(ask.id, dialect, is_missed).await {
                tracing::warn!(%error, ask = %ask.id, "an ask did not hear that its page is gone");
            }
        }
    }
}
