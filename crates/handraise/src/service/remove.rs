//! `handraise service remove`.

use handraise_client::Home;

use super::check_ours;
use super::manager::Manager;
use crate::cli::ServiceRemoveArgs;
use crate::connect::file::SettingsFile;
use crate::failure::{self, Exit, Failure};
use crate::{inside_agent, output};

pub(super) fn run(home: &Home, args: ServiceRemoveArgs) -> Result<Exit, Failure> {
    inside_agent::refuse("service remove", home)?;
    let manager = Manager::here();
    let name = manager.file()?;
    manager.check_allowed(&name)?;
    let file = SettingsFile::read(&name)?;
    if file.text().is_none() {
        output::show("No service is installed.")?;
        return Ok(Exit::Answered);
    }
    if !args.force {
        check_ours(home, manager, &file, "remove")?;
    }
    file.check_writable()?;
    manager.check(&name)?;
    manager.stop_for_good().map_err(|why| {
        let error = anyhow::anyhow!("the service could not be stopped");
        Failure::new(Exit::Internal, error).detail(why).hint("it is still installed")
    })?;
    file.remove(&[])?;
    if let Err(why) = manager.reload() {
        failure::say(&format!("warning: the service manager still knows it: {why}"));
    }
    output::show(&format!(
        "Removed {}. The hub is stopped; what it keeps stays in {}.",
        file.name(),
        home.directory().display()
    ))?;
    Ok(Exit::Answered)
}
