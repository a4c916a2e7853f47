//! `handraise serve`: the hub.

mod descriptors;
pub(crate) mod last_words;
mod leftovers;
mod lock;
mod log;
mod notifying;
mod retention;
mod sessions;
mod start;
mod tokens;
mod watcher;
mod workspaces;

use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use handraise_client::Home;
use handraise_server::has_dashboard;
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::ServeArgs;
use crate::config::Config;
use crate::failure::{self, Exit, Failure};
use crate::home::data_option;
use crate::output;
use crate::{environment, inside_agent, runtime};

use log::LogFile;

pub(crate) use lock::{Lock, lock_of_database};
pub(crate) use start::{Running, check_address, database_file, start, store_failure};

pub(crate) fn run(home: &Home, args: &ServeArgs) -> Result<Exit, Failure> {
    let ended = match Lock::of_free_home(home) {
        Ok(Some(lock)) => hold(home, lock, args),
        // Somebody else has started one at the same time.
        Ok(None) if args.log_to_home => return Ok(Exit::Answered),
        Ok(None) => return Err(Lock::is_held(home)),
        Err(failure) => Err(failure),
    };
    if let Err(failure) = &ended {
        last_words::leave(home, failure);
    }
    ended
}

/// Runs the hub of a home that is ours.
fn hold(home: &Home, lock: Lock, args: &ServeArgs) -> Result<Exit, Failure> {
    let config = Config::read(home)?;
    log(args.log_to_home.then(|| home.log()).as_deref());
    descriptors::raise();
    let internal = |error| Failure::new(Exit::Internal, error);
    runtime::parallel().map_err(internal)?.block_on(async {
        let mut terminate = signal(SignalKind::terminate()).map_err(internal)?;
        let mut hang_up = signal(SignalKind::hangup()).map_err(internal)?;
        outlive_signals().map_err(internal)?;
        let mut running = start(home, lock, &config, args.listen, args.database.as_deref()).await?;
        last_words::forget(home);
        tracing::info!(url = running.url, "listening");
        let is_watching = config.watch.enabled.unwrap_or(args.watch);
        let watched = is_watching.then(|| watcher::directory(&config.watch)).flatten();
        if !args.log_to_home {
            output::print(&greeting(home, &running, watched.as_deref(), args.json))?;
        }
        running.notify(home, &config.notify);
        if is_watching {
            running.watch(home, &config.watch);
        }
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
        if !args.json && !args.log_to_home {
            failure::say("Stopping …");
        }
        tracing::info!("stopping");
        running.stop(Duration::from_secs(10)).await;
        Ok(Exit::Answered)
    })
}

/// Ignores signals that would end the hub without being meant to: those that programs use among
/// themselves, stray timers', and those of limits on files and processor time. A write beyond the size
/// limit of a file then fails like one on a full disk.
///
/// Children get the usual ones: what is handled, unlike what is ignored, is not inherited.
fn outlive_signals() -> std::io::Result<()> {
    use rustix::process::Signal;
    let limits = [Signal::XFSZ, Signal::XCPU, Signal::VTALARM, Signal::PROF];
    let kinds = [SignalKind::user_defined1(), SignalKind::user_defined2(), SignalKind::alarm()];
    let limits = limits.map(|limit| SignalKind::from_raw(limit.as_raw()));
    // The handler stays installed after its receiver is dropped.
    kinds
        .into_iter()
        .chain(limits)
        .chain([SignalKind::io()])
        .try_for_each(|kind| signal(kind).map(drop))
}

fn greeting(home: &Home, running: &Running, watched: Option<&Path>, as_json: bool) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let directory = home.directory().display();
    if as_json {
        return json!({
            "url": running.url,
            "pid": std::process::id(),
            "home": directory.to_string(),
            "version": version,
            "open": running.open,
        })
        .to_string();
    }
    let waiting = match running.open {
        0 => "nothing".to_owned(),
        1 => "1 ask".to_owned(),
        open => format!("{open} asks"),
    };
    let watched = watched.map(|directory| {
        format!("\n  watched  the Claude Code sessions of {}", directory.display())
    });
    let watched = watched.unwrap_or_default();
    let data = data_option(home);
    let dashboard = dashboard(running, &data);
    let url = &running.url;
    format!(
        "\
Handraise {version} is up.

  address  {url}
  home     {directory}
  waiting  {waiting}{watched}

  dashboard  {dashboard}

In another terminal:
  handraise list{data}                     what waits
  handraise ask{data} --via hub FILE       ask something
  handraise answer{data} ID --choose LABEL

Ctrl-C stops it. Nothing is lost."
    )
}

/// How to get to the dashboard.
fn dashboard(running: &Running, data: &str) -> String {
    if !has_dashboard() {
        return "not in this program: npm was missing or failed when it was built".to_owned();
    }
    // A secret does not belong into a log file, nor before an agent.
    let to_a_person = std::io::stdout().is_terminal() && inside_agent::sign().is_none();
    match to_a_person.then(|| running.login_link()).flatten() {
        Some(link) => format!("{link}\n             works once, within ten minutes"),
        None => format!("handraise link{data} makes a link that opens it"),
    }
}

/// Logs to standard error, or into a file that stays small.
fn log(file: Option<&Path>) {
    let filter = environment::log_filter().unwrap_or_else(|| "warn".into());
    let filter = tracing_subscriber::EnvFilter::try_new(&filter).unwrap_or_else(|error| {
        failure::say(&format!(
            "warning: HANDRAISE_LOG cannot be read ({error}); it is passed over"
        ));
        tracing_subscriber::EnvFilter::new("warn")
    });
    let colours = file.is_none() && std::io::stderr().is_terminal();
    // A line that cannot be written, because its reader has ended, must not panic where it is logged.
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(colours)
        .log_internal_errors(false);
    match file.map(LogFile::open) {
        Some(Ok(file)) => lines.with_writer(move || file.clone()).init(),
        // One that cannot be written is no reason not to start.
        Some(Err(_)) | None => lines.with_writer(std::io::stderr).init(),
    }
}
