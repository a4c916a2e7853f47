//! A hub that is started by whoever needs it, where the configuration says so.
//!
//! It has nothing to do with whoever started it: not their environment, directory, terminal or open
//! files, and it stays when they go. Two that start one at once get one: of two hubs of a home the
//! second ends by itself.

mod detached;

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use handraise_client::Home;
use rustix::process::Pid;

use crate::config::Config;
use crate::failure::Failure;
use crate::home::no_hub;
use crate::serve::{Lock, last_words};
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
    let started = program().and_then(|program| start(home, &program));
    started.map_err(|why| no_hub(home).detail(format!("it was to be started: {why}")))
}

/// This program, by a path that leads to its successor after an upgrade.
pub(crate) fn program() -> Result<PathBuf, String> {
    connect::program().map_err(|error| format!("cannot tell where this program is: {error}"))
}

/// Starts a hub, and waits until it is up.
pub(crate) fn start(home: &Home, program: &Path) -> Result<(), String> {
    last_words::forget(home);
    let begun = begin(home, program)?;
    let start = Instant::now();
    while home.hub().is_none() {
        // One that has ended may have left it to another one, which holds the home then.
        let gave_up = begun.is_some_and(|pid| !lives(pid)) && Lock::is_free(home);
        if let Some(why) = last_words::of(home).first() {
            let why = why.strip_prefix("error: ").unwrap_or(why);
            return Err(format!("it did not come up: {why}"));
        }
        if (gave_up && home.hub().is_none()) || start.elapsed() > PATIENCE {
            let log = home.log().display().to_string();
            return Err(format!("it did not come up; its log may say why: {log}"));
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}

fn lives(pid: Pid) -> bool {
    rustix::process::test_kill_process(pid).is_ok()
}

/// Starts a hub, and does not wait; its process, where it is not another's.
pub(crate) fn begin(home: &Home, program: &Path) -> Result<Option<Pid>, String> {
    // Where a service manager looks after the hub, it does so from the beginning.
    if let Some(started) = service::start(home) {
        return started.map(|()| None);
    }
    home.create().map_err(|error| format!("{}: {error}", home.directory().display()))?;
    // For its last words; what it logs goes through a hand that keeps the file small.
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(home.log());
    let log = log.map_err(|error| format!("{}: {error}", home.log().display()))?;
    let detached = Command::new(program)
        .args(["detached", "--"])
        .arg(program)
        .arg("--data")
        .arg(home.directory())
        .args(["serve", "--log-to-home"])
        .env_clear()
        .envs(environment::for_a_hub())
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(log)
        .output();
    match detached {
        Ok(said) if said.status.success() => {
            let pid = String::from_utf8_lossy(&said.stdout).trim().parse().ok();
            Ok(pid.and_then(Pid::from_raw))
        }
        Ok(said) => Err(format!("{} ended: {}", program.display(), said.status)),
        Err(error) => Err(format!("{} cannot be run: {error}", program.display())),
    }
}
