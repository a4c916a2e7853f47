//! `handraise chat`: talks to the agent of a session, at this terminal.

mod asks;
mod attending;
mod board;
mod following;
mod sending;
mod sought;
mod transcript;

use std::sync::Arc;

use handraise_broker::{Power, SessionId};
use handraise_client::{Home, RemoteHub};
use handraise_question::Surface;
use handraise_terminal::Desk;
use tokio::runtime::Handle;

use crate::ask::{manner, terminal_failure};
use crate::cli::ChatArgs;
use crate::failure::{Exit, Failure};
use crate::home::hub;
use crate::{inside_agent, output, runtime};
use attending::Attending;
use board::Board;

/// How somebody parted from a session.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Departure {
    /// They left. The session goes on.
    Left,
    /// The session ended, and why if that was not to be expected.
    Ended { trouble: Option<String> },
    /// This signal asked the process to end.
    Signalled(i32),
}

pub(crate) fn run(home: &Home, args: &ChatArgs) -> Result<Exit, Failure> {
    inside_agent::refuse("chat", home)?;
    let hub = hub(home, Surface::Terminal)?;
    let runtime = runtime::background().map_err(|error| Failure::new(Exit::Internal, error))?;
    let session = runtime.block_on(sought::session(&hub, args.session.as_deref()))?;
    let desk = Desk::open(manner(args.plain, args.theme)).map_err(terminal_failure)?;
    match attend(home, session.id, desk, runtime.handle())? {
        Departure::Left => Ok(Exit::Answered),
        Departure::Ended { trouble: None } => {
            output::print("The session has ended.")?;
            Ok(Exit::Answered)
        }
        Departure::Ended { trouble: Some(trouble) } => {
            let error = anyhow::anyhow!("the session has ended: {trouble}");
            Err(Failure::new(Exit::Internal, error))
        }
        Departure::Signalled(signal) => handraise_terminal::end_by(signal),
    }
}

/// Lets the person at `desk` follow a session and talk to it, until they leave or it ends. Its
/// questions are put right there, and may be answered elsewhere as well.
pub(crate) fn attend(
    home: &Home,
    session: SessionId,
    desk: Desk,
    runtime: &Handle,
) -> Result<Departure, Failure> {
    let hub = RemoteHub::new(home.clone(), Power::Person, Surface::Terminal);
    let board = Arc::new(Board::new(desk.chat_remote(), hub.deliverer().as_str()));
    let following = runtime.spawn(following::follow(hub.clone(), session, board.clone()));
    let sending = runtime.spawn(sending::send(hub.clone(), session, board.clone()));
    let departure = Attending { home, hub, session, runtime, board }.run(desk);
    following.abort();
    sending.abort();
    departure
}
