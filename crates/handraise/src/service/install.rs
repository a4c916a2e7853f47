//! `handraise service install`.

use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::CLI;
use handraise_client::{Home, RemoteHub};

use super::manager::Manager;
use super::outside::Outside;
use super::plan::Plan;
use super::{beforehand, check_ours};
use crate::cli::ServiceInstallArgs;
use crate::connect::file::SettingsFile;
use crate::failure::{self, Exit, Failure};
use crate::home::data_option;
use crate::serve::last_words;
use crate::{inside_agent, output, runtime};

/// How long a hub may take to come up: it may have a large database to bring up to date.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks, each of which costs the manager a word.
const PAUSE: Duration = Duration::from_millis(50);

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
    manager.check_allowed(&name)?;
    let file = SettingsFile::read(&name)?;
    if !args.force {
        check_ours(home, manager, &file, "install")?;
    }
    file.check_writable()?;
    beforehand::check(home)?;
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
    // What is there afterwards is of this start.
    last_words::forget(home);
    // One that has ended already may be no start to the manager.
    let started = manager.start_for_good(&name).map_err(|why| match why_it_ended(home) {
        words if words.is_empty() => NotUp::Silent(why),
        words => NotUp::Ended(words),
    });
    let started = started.and_then(|()| answers(home, manager));
    let (url, version) = started.map_err(|not_up| not_up.explain(home, &manager.log(&plan)))?;
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

/// Why a service that was started has no hub.
enum NotUp {
    /// It has ended, and left word of why.
    Ended(Vec<String>),
    /// Nothing is heard of it but this.
    Silent(String),
}

impl NotUp {
    fn explain(self, home: &Home, log: &str) -> Failure {
        let undo = format!("to undo it all: handraise service remove{}", data_option(home));
        let (problem, words, hint) = match self {
            Self::Ended(words) if !words.is_empty() => {
                let hint = "put that right, and run this again";
                ("its hub ended at once", words, hint.to_owned())
            }
            Self::Ended(words) => {
                ("its hub ended at once", words, format!("look at its log: {log}"))
            }
            Self::Silent(why) => {
                ("its hub does not answer", vec![why], format!("look at its log: {log}"))
            }
        };
        let error = anyhow::anyhow!("the service is installed, but {problem}");
        let failure = Failure::new(Exit::Internal, error);
        words.into_iter().fold(failure, Failure::detail).hint(format!("{hint}; {undo}"))
    }
}

/// Waits until the hub answers, or has ended; where it is, and which version.
fn answers(home: &Home, manager: Manager) -> Result<(String, String), NotUp> {
    let runtime = runtime::single().map_err(|error| NotUp::Silent(error.to_string()))?;
    let hub = RemoteHub::agent(home.clone(), CLI);
    let start = Instant::now();
    loop {
        // Looked at first: a hub that answers then may be another one, to which ours has left the home.
        if manager.activity().is_ok_and(|activity| activity.has_ended) {
            return Err(NotUp::Ended(why_it_ended(home)));
        }
        let place = home.hub();
        let said = runtime.block_on(hub.status());
        match (place, said) {
            (Some(place), Ok(status)) => return Ok((place.url, status.version)),
            (_, Err(error)) if start.elapsed() > PATIENCE => {
                return Err(NotUp::Silent(error.to_string()));
            }
            (None, Ok(_)) | (_, Err(_)) => thread::sleep(PAUSE),
        }
    }
}

fn why_it_ended(home: &Home) -> Vec<String> {
    let words = last_words::of(home);
    match home.hub() {
        Some(hub) if words.is_empty() => {
            vec![format!("another hub has come up for this home meanwhile: process {}", hub.pid)]
        }
        Some(_) | None => words,
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
