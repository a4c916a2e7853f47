//! `handraise inbox`: all that waits, over all agents, on one screen.

mod attending;
mod board;
mod browser;
mod drafts;
mod entry;
mod following;
mod history;
mod presence;
mod replying;
mod ring;

use std::sync::Arc;

use handraise_client::Home;
use handraise_question::Surface;
use handraise_terminal::{Desk, Manner};

use crate::ask::{manner, terminal_failure};
use crate::cli::InboxArgs;
use crate::failure::{Exit, Failure};
use crate::home::hub;
use crate::{autostart, inside_agent, runtime};
use attending::{Attending, Departure};
use board::Board;
use ring::Ringing;

pub(crate) fn run(home: &Home, args: &InboxArgs) -> Result<Exit, Failure> {
    inside_agent::refuse("inbox", home)?;
    autostart::ensure(home)?;
    let hub = hub(home, Surface::Terminal)?;
    let manner = manner(false, args.theme);
    if manner == Manner::Plain {
        let error = anyhow::anyhow!("this terminal cannot draw a whole screen");
        let hint = "see what waits with `handraise list`, and answer with `handraise answer`";
        return Err(Failure::new(Exit::NowhereToAsk, error).hint(hint));
    }
    let runtime = runtime::background().map_err(|error| Failure::new(Exit::Internal, error))?;
    let mut desk = Desk::open(manner).map_err(terminal_failure)?;
    let board = Arc::new(Board::new(desk.inbox_remote(), args.project.as_deref()));
    let following = runtime.spawn(following::follow(hub.clone(), board.clone()));
    let departure = Attending::new(hub, runtime.handle(), board, Ringing::of(home)).run(&mut desk);
    following.abort();
    // Whoever leaves waits for nothing that is still under way.
    runtime.shutdown_background();
    match departure? {
        Departure::Left => Ok(Exit::Answered),
        Departure::Signalled(signal) => handraise_terminal::end_by(signal),
    }
}
