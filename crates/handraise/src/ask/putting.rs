//! Where questions are put: at this terminal, at the hub, or at both.

use std::time::Duration;

use handraise_broker::{AskId, NewAsk};
use handraise_client::Home;
use handraise_question::Ask;
use handraise_terminal::{Desk, Manner};

use super::through_hub::AtHub;
use super::{Ending, at_terminal, terminal_failure};
use crate::cli::Via;
use crate::failure::Failure;
use crate::inside_agent;

/// How an ask ended where it was put, and which one it is at the hub, if it is there.
pub(crate) enum Put {
    /// It has its resolution.
    Ended { ending: Ending, id: Option<AskId> },
    /// Ctrl-C.
    Interrupted { id: Option<AskId> },
    /// This signal asks the process to end.
    Signalled { signal: i32, id: Option<AskId> },
}

/// The places that are there.
pub(crate) enum Places {
    Terminal(Box<Desk>),
    Hub(AtHub),
    Both(Box<Desk>, AtHub),
}

impl Places {
    pub(crate) fn open(
        via: Via,
        home: impl Fn() -> Result<Home, Failure>,
        manner: Manner,
    ) -> Result<Self, Failure> {
        let desk = || Desk::open(manner).map(Box::new).map_err(terminal_failure);
        // A home that cannot be named holds no hub either.
        let running = || home().ok().filter(|home| home.hub().is_some());
        Ok(match via {
            Via::Terminal => Self::Terminal(desk()?),
            Via::Hub => Self::Hub(AtHub::open(&home()?)?),
            Via::Auto => match running() {
                None => Self::Terminal(desk()?),
                Some(home) => {
                    let hub = AtHub::open(&home)?;
                    // An agent must not answer at a terminal of its own making.
                    let there = inside_agent::sign().is_none();
                    match there.then(desk) {
                        Some(Ok(desk)) => Self::Both(desk, hub),
                        Some(Err(_)) | None => Self::Hub(hub),
                    }
                }
            },
        })
    }

    /// Puts an ask and waits for its end.
    pub(crate) fn put(
        &mut self,
        ask: &Ask,
        new: NewAsk,
        wait: Option<Duration>,
    ) -> Result<Put, Failure> {
        match self {
            Self::Terminal(desk) => at_terminal::put(desk, ask, wait),
            Self::Hub(hub) => hub.put(ask, new, None, wait),
            Self::Both(desk, hub) => hub.put(ask, new, Some(desk), wait),
        }
    }

    /// Tells the hub, if it is there, that the asker has its answer.
    pub(crate) fn handed(&self, id: Option<AskId>, text: String) {
        if let (Some(hub), Some(id)) = (self.hub(), id) {
            hub.handed(id, text);
        }
    }

    /// Takes an ask back, if it is at the hub.
    pub(crate) fn withdraw(&self, id: Option<AskId>, reason: &str) {
        if let (Some(hub), Some(id)) = (self.hub(), id) {
            hub.withdraw(id, reason);
        }
    }

    fn hub(&self) -> Option<&AtHub> {
        match self {
            Self::Terminal(_) => None,
            Self::Hub(hub) | Self::Both(_, hub) => Some(hub),
        }
    }
}
