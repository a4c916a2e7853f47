//! `handraise service`: a hub that is always there.

mod beforehand;
mod by_hand;
mod install;
mod launchd;
mod manager;
mod outside;
mod plan;
mod remove;
mod status;
mod systemd;

use handraise_client::Home;

use crate::cli::ServiceCommand;
use crate::connect::file::SettingsFile;
use crate::failure::{Exit, Failure};
use crate::home::data_option;
use manager::Manager;

pub(crate) use by_hand::{by_hand, by_hand_if_it_runs};
pub(crate) use status::report;

pub(crate) fn run(home: &Home, command: &ServiceCommand) -> Result<Exit, Failure> {
    match command {
        ServiceCommand::Install(args) => install::run(home, *args),
        ServiceCommand::Remove(args) => remove::run(home, *args),
        ServiceCommand::Status(args) => status::run(home, *args),
    }
}

/// Starts the hub of this home through the service manager; nothing when no service of ours is for it.
pub(crate) fn start(home: &Home) -> Option<Result<(), String>> {
    let manager = Manager::here();
    let text = std::fs::read_to_string(manager.file().ok()?).ok()?;
    manager.read(&text)?.serves(home).then(|| manager.start())
}

/// Refuses to touch what somebody else wrote, or what is for another home.
fn check_ours(
    home: &Home,
    manager: Manager,
    file: &SettingsFile,
    command: &str,
) -> Result<(), Failure> {
    let Some(text) = file.text() else { return Ok(()) };
    match manager.read(text) {
        Some(plan) if plan.serves(home) => Ok(()),
        Some(plan) => {
            let other = Home::new(&plan.home);
            let error = anyhow::anyhow!("the service is for another home: {}", plan.home);
            let data = data_option(&other);
            Err(Failure::new(Exit::BadInput, error).hint(format!(
                "remove it first: handraise service remove{data}; or name it: handraise service \
                 {command}{data}; --force {command}s in any case"
            )))
        }
        None => {
            let error = anyhow::anyhow!("{} was not written by Handraise", file.name());
            Err(Failure::new(Exit::BadInput, error).hint(format!(
                "look at it; handraise service {command} --force {command}s in any case"
            )))
        }
    }
}
