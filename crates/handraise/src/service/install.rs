//! `handraise service install`.

use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::Power;
use handraise_client::{Home, RemoteHub};
use handraise_question::Surface;

use super::check_ours;
use super::manager::Manager;
use super::outside::Outside;
use super::plan::Plan;
use crate::cli::ServiceInstallArgs;
use crate::connect::file::SettingsFile;
use crate::failure::{self, Exit, Failure};
use crate::home::data_option;
use crate::{inside_agent, output, runtime};

/// How long a hub may take to come up: it may have a large database to bring up to date.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);

pub(super) fn run(home: &Home, args: ServiceInstallArgs) -> Result<Exit, Failure> {
    if !args.print {
        inside_agent::refuse("service install", home)?;
    }
    let manager = Manager::here();
    let plan = Plan::of(home)?;
    let (name, text) = (manager.file()?, manager.text(&plan));
    if args.print {
        failure::say(&format!("This would be written to {}:", name.display()));
        output::show(text.trim_end())?;
        return Ok(Exit::Answered);
    }
    manager.check_plan(&plan)?;
    manager.check(&name)?;
    let file = SettingsFile::read(&name)?;
    if !args.force {
        check_ours(home, manager, &file, "install")?;
    }
    file.check_writable()?;
    let running = manager.activity().ok().and_then(|activity| activity.pid);
    let outside = Outside::find(home, running)?;
    let is_new = file.text() != Some(&text);
    if is_new {
        write(manager, &file, &text)?;
        output::show(&format!("Wrote {}.", file.name()))?;
    } else {
        output::show(&format!("{} is as it should be.", file.name()))?;
    }
    if let Some(outside) = outside {
        failure::say(&format!(
            "A hub ran for this home already, as process {}: it is asked to stop, and the service \
             takes over. Nothing is lost.",
            outside.pid()
        ));
        outside.stop(home)?;
    }
    if running.is_some() {
        output::show("The hub starts anew.")?;
    }
    let started = manager.start_for_good(&name).and_then(|()| answers(home));
    let (url, version) = started.map_err(|why| {
        let error = anyhow::anyhow!("the service is installed, but its hub does not answer");
        Failure::new(Exit::Internal, error).detail(why).hint(format!(
            "look at its log: {}; to undo it all: handraise service remove{}",
            manager.log(&plan),
            data_option(home)
        ))
    })?;
    output::show(&done(home, manager, &plan, &url, &version))?;
    Ok(Exit::Answered)
}

/// Writes the file and has the manager read it, or leaves everything as it was.
fn write(manager: Manager, file: &SettingsFile, text: &str) -> Result<(), Failure> {
    let made = file.missing_directories();
    file.replace(text)?;
    manager.reload().map_err(|why| {
        let undone = SettingsFile::read(file.named()).and_then(|now| match file.text() {
            Some(before) => now.replace(before),
            None => now.remove(&made),
        });
        let error = anyhow::anyhow!("the service manager does not take {}", file.name());
        let failure = Failure::new(Exit::Internal, error).detail(why);
        match undone {
            Ok(()) => failure.hint("nothing was changed"),
            Err(trouble) => failure.detail(trouble.to_string()),
        }
    })
}

/// Waits until the hub answers; where, and which version it is.
fn answers(home: &Home) -> Result<(String, String), String> {
    let runtime = runtime::single().map_err(|error| error.to_string())?;
    let hub = RemoteHub::new(home.clone(), Power::Agent, Surface::Api);
    let start = Instant::now();
    loop {
        let place = home.hub();
        let said = runtime.block_on(hub.status());
        match (place, said) {
            (Some(place), Ok(status)) => return Ok((place.url, status.version)),
            (_, Err(error)) if start.elapsed() > PATIENCE => return Err(error.to_string()),
            (None, Ok(_)) | (_, Err(_)) => thread::sleep(PAUSE),
        }
    }
}

fn done(home: &Home, manager: Manager, plan: &Plan, url: &str, version: &str) -> String {
    let data = data_option(home);
    let after_logout = match manager.after_logout() {
        Some(command) => format!("\n  {command:<36} keeps it running after you log out"),
        None => String::new(),
    };
    let (link, remove) =
        (format!("handraise link{data}"), format!("handraise service remove{data}"));
    let log = manager.log(plan);
    format!(
        "\
Handraise {version} is up at {url}. It starts with your login, and again whenever it ends.

  {link:<36} opens the dashboard
  {log:<36} shows its log{after_logout}
  {remove:<36} undoes this

After an upgrade, run this again: the hub starts anew, with the new program."
    )
}
