//! Calls that are under way, as both ends of the line see them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use handraise_broker::AskId;
use rmcp::model::RequestId;

use crate::asks::Asks;

/// What the line hears and what the tools return, call by call.
pub(crate) struct Calls {
    asks: Arc<Asks>,
    book: Mutex<HashMap<RequestId, Call>>,
}

#[derive(Default)]
struct Call {
    /// Why the client took it back, if it says so.
    cancelled: Option<String>,
    /// The ask whose end its result carries, and the text.
    carries: Option<(AskId, String)>,
}

impl Calls {
    pub(crate) fn new(asks: Arc<Asks>) -> Self {
        Self { asks, book: Mutex::default() }
    }

    fn book(&self) -> MutexGuard<'_, HashMap<RequestId, Call>> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call came; whatever had its id before is over.
    pub(crate) fn came(&self, id: RequestId) {
        self.book().insert(id, Call::default());
    }

    /// The client took a call back.
    pub(crate) fn cancelled(&self, id: &RequestId, reason: Option<String>) {
        if let Some(call) = self.book().get_mut(id) {
            call.cancelled = reason;
            call.carries = None;
        }
    }

    /// Why the client took it back. The call is over.
    pub(crate) fn why_cancelled(&self, id: &RequestId) -> Option<String> {
        self.book().remove(id)?.cancelled
    }

    /// The call's result will carry the end of an ask.
    pub(crate) fn carries(&self, id: &RequestId, ask: AskId, text: String) {
        if let Some(call) = self.book().get_mut(id) {
            call.carries = Some((ask, text));
        }
    }

    /// The call's result has been written.
    pub(crate) fn written(&self, id: &RequestId) {
        let carried = self.book().remove(id).and_then(|call| call.carries);
        if let Some((ask, text)) = carried {
            self.asks.handed(ask, text);
        }
    }
}
