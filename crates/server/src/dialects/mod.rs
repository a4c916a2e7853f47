//! Front ends of other systems, each in its own wire form.
//!
//! `handraise-wire` has the forms; here is what all of them share: who may come in, which asks they see,
//! and what happens when they leave. Nothing here knows any dialect in particular.

mod address;
mod crowd;
#[cfg(test)]
mod fixtures;
mod line;
mod sight;
mod view;
mod visit;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;

pub(crate) use crowd::Crowd;
pub(crate) use sight::{Sight, is_answerable};

use crate::problem::Failure;
use crate::socket::bound;
use visit::Visit;

/// How many times what is taken may come before the line is cut: up to that it is answered.
const DRAINED: usize = 8;

/// The largest message on a connection whose handshake showed no token: anybody can open as many as there
/// is room for.
const LARGEST_OF_STRANGERS: usize = 256 * 1024;

/// A front end connects.
pub(crate) async fn connect(
    mut visit: Visit,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Failure> {
    let upgrade = upgrade
        .map_err(|_| Failure::new(426, "not_a_websocket", "this address speaks WebSocket"))?;
    let most = if visit.is_known() {
        visit.app.config.limits.body_bytes * DRAINED
    } else {
        LARGEST_OF_STRANGERS
    };
    visit.join();
    Ok(bound(upgrade, most).on_upgrade(|socket| async move {
        // As a task of its own that is waited for when the hub stops.
        let tasks = visit.app.tasks.clone();
        let _ = tasks.spawn(visit.receive(socket)).await;
    }))
}
