//! What the process log says of events: ids and kinds. Words of agents and people stay in the store.

use crate::{Entry, Event};

/// Logs an event that was stored.
pub(crate) fn log(entry: &Entry) {
    let (seq, name) = (entry.seq, entry.event.name());
    let ask = entry.ask.map(tracing::field::display);
    match &entry.event {
        Event::Opened(opened) => tracing::info!(seq, ask, kind = opened.matter.kind(), "{name}"),
        Event::Resolved(resolved) => {
            let surface = resolved.responder.as_ref().map(|by| tracing::field::debug(&by.surface));
            tracing::info!(seq, ask, kind = resolved.kind(), surface, "{name}");
        }
        Event::Extended(_)
        | Event::Delivered(_)
        | Event::Overruled(_)
        | Event::Undelivered(_)
        | Event::Pruned(_) => tracing::info!(seq, ask, "{name}"),
        Event::DeviceChanged(changed) => {
            let (device, change) = (changed.device.id, changed.change);
            tracing::info!(seq, %device, ?change, "{name}");
        }
        Event::AccessRefused(refused) => {
            tracing::info!(seq, code = refused.code, tried = refused.tried, "{name}");
        }
        Event::SessionChanged(changed) => {
            let (session, state) = (changed.session.id, changed.session.state);
            // What is said in a session changes it several times a second.
            if changed.messages.is_empty() {
                tracing::info!(seq, %session, ?state, "{name}");
            } else {
                tracing::debug!(seq, %session, ?state, messages = changed.messages.len(), "{name}");
            }
        }
    }
}
