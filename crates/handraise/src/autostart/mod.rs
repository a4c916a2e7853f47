//! A hub that is started by whoever needs it, where the configuration says so.
//!
//! It has nothing to do with whoever started it: not their environment, directory, terminal or open
//! files, and it stays when they go. Two that start one at once get one: of two hubs of a home the
//! second ends by itself.

mod detached;

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use handraise_client::Home;

use crate::config::Config;
use crate::failure::Failure;
use crate::home::no_hub;
use crate::{connect, environment, service};

pub(crate) use detached::run as detached;

/// How long a hub may take to come up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);

/// Makes sure that a hub runs for this home, or says that none does.
pub(crate) fn ensure(home: &Home) -> Result<(), Failure> {
    if home.hub().is_some() {
        return Ok(());
    }
    if !Config::read(home)?.hub.autostart {
        return Err(no_hub(home));
    }
    let started = program().and_then(|program| start(home, program));
    started.map_err(|why| no_hub(home).detail(format!("it was to be started: {why}")))
}

/// This program, by a path that leads to its successor after an upgrade.
pub(crate) fn program() -> Result<PathBuf, String> {
    connect::program().map_err(|error| format!("cannot tell where this program is: {error}"))
}

/// Starts a hub, and waits until it is up.
pub(crate) fn start(home: &Home, program: PathBuf) -> Result<(), String> {
    begin(home, program)?;
    let start = Instant::now();
    while home.hub().is_none() {
        if start.elapsed() > PATIENCE {
            let log = home.log().display().to_string();
            return Err(format!("it did not come up; its log may say why: {log}"));
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}

/// Starts a hub, and does not wait.
pub(crate) fn begin(home: &Home, program: PathBuf) -> Result<(), String> {
    // Where a service manager looks after the hub, it does so from the beginning.
    if let Some(started) = service::start(home) {
        return started;
    }
    home.create().map_err(|error| format!("{}: {error}", home.directory().display()))?;
    // For its last words; what it logs goes through a hand that keeps the file small.
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(home.log());
    let log = log.map_err(|error| format!("{}: {error}", home.log().display()))?;
    let status = Command::new(&program)
        .args(["detached", "--"])
        .arg(&program)
        .arg("--data")
        .arg(home.directory())
        .args(["serve", "--log-to-home"])
        .env_clear()
        .envs(environment::for_a_hub())
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{} ended: {status}", program.display())),
        Err(error) => Err(format!("{} cannot be run: {error}", program.display())),
    }
}
