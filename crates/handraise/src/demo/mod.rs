//! `handraise demo`: the newcomer's minute.

mod agent;
mod ink;
mod play;
mod script;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use handraise_client::Home;
use handraise_terminal::{Desk, TerminalError};

use crate::ask::manner;
use crate::cli::DemoArgs;
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::runtime;
use crate::serve::{Lock, start};
use play::{Curtain, Play};

pub(crate) fn run(args: &DemoArgs, data: Option<&Path>) -> Result<Exit, Failure> {
    if data.is_some() {
        let error = anyhow::anyhow!("the demo has a home of its own, which goes when it ends");
        return Err(Failure::new(Exit::BadInput, error).hint("leave --data out"));
    }
    let desk = if args.auto { None } else { Some(open_desk(args)?) };
    let internal = |error: anyhow::Error| Failure::new(Exit::Internal, error);
    let for_its_owner = Permissions::from_mode(0o700);
    let directory =
        tempfile::Builder::new().prefix("handraise-demo-").permissions(for_its_owner).tempdir();
    let directory = directory.context("cannot make a temporary directory").map_err(internal)?;
    let home = Home::new(directory.path());
    let runtime = runtime::parallel().map_err(|error| internal(error.into()))?;
    let anywhere = ([127, 0, 0, 1], 0).into();
    let hub = runtime.block_on(start(
        &home,
        Lock::of_home(&home)?,
        &Config::default(),
        Some(anywhere),
        None,
    ))?;
    let link = desk.as_ref().and_then(|_| hub.login_link());
    let played = Play::new(&home, runtime.handle().clone(), link).run(desk);
    runtime.block_on(hub.stop(Duration::from_secs(2)));
    // Goes away with everything in it, whatever happened.
    drop(directory);
    match played {
        Ok(Curtain::Fell(exit)) => Ok(exit),
        Ok(Curtain::Signalled(signal)) => handraise_terminal::end_by(signal),
        Err(failure) if failure.is_closed_pipe() => Ok(Exit::Answered),
        Err(failure) => Err(failure),
    }
}

fn open_desk(args: &DemoArgs) -> Result<Desk, Failure> {
    Desk::open(manner(args.plain, args.theme)).map_err(|error| match error {
        TerminalError::None(_) => Failure::new(Exit::NowhereToAsk, error)
            .hint("run it in a terminal, or let it answer by itself: handraise demo --auto"),
        TerminalError::Lost(_) => Failure::new(Exit::Internal, error),
    })
}
