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

enum Call {
    /// The tool is at work.
    UnderWay,
    /// The client took it back, and may have said why.
    TakenBack(Option<String>),
    /// Its result will carry the end of this ask, in this text.
    Carries(AskId, String),
}

impl Calls {
    pub(crate) fn new(asks: Arc<Asks>) -> Self {
        Self { asks, book: Mutex::default() }
    }

    fn book(&self) -> MutexGuard<'_, HashMap<RequestId, Call>> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call came; false when another one has its id and is not over.
    pub(crate) fn came(&self, id: RequestId) -> bool {
        let mut book = self.book();
        let is_free = matches!(book.get(&id), None | Some(Call::TakenBack(_)));
        if is_free {
            book.insert(id, Call::UnderWay);
        }
        is_free
    }

    /// The client took a call back: a result that has not been written will never be.
    pub(crate) fn taken_back(&self, id: &RequestId, reason: Option<String>) {
        let before = self.book().get_mut(id).map(|call| {
            let taken_back = Call::TakenBack(reason);
            std::mem::replace(call, taken_back)
        });
        if let Some(Call::Carries(ask, _)) = before {
            self.lose(id, ask);
        }
    }

    /// Why the client took it back. The call is over.
    pub(crate) fn why_taken_back(&self, id: &RequestId) -> Option<String> {
        match self.book().remove(id)? {
            Call::TakenBack(reason) => reason,
            Call::UnderWay | Call::Carries(..) => None,
        }
    }

    /// The call's result will carry the end of an ask.
    pub(crate) fn carries(&self, id: &RequestId, ask: AskId, text: String) {
        let taken_back = {
            let mut book = self.book();
            match book.get_mut(id) {
                Some(Call::TakenBack(_)) => true,
                Some(call) => {
                    *call = Call::Carries(ask, text);
                    false
                }
                None => false,
            }
        };
        if taken_back {
            self.lose(id, ask);
        }
    }

    /// The call's result is about to be written. Its id is free again, and what it carries is returned.
    pub(crate) fn over(&self, id: &RequestId) -> Option<(AskId, String)> {
        match self.book().remove(id)? {
            Call::Carries(ask, text) => Some((ask, text)),
            Call::UnderWay | Call::TakenBack(_) => None,
        }
    }

    /// The result that carries this has been written.
    pub(crate) fn handed(&self, (ask, text): (AskId, String)) {
        self.asks.handed(ask, text);
    }

    /// Somebody answered, and the client did not wait for it.
    fn lose(&self, id: &RequestId, ask: AskId) {
        self.book().remove(id);
        self.asks.abandon(ask, "the agent's client took the call back".into());
    }
}
