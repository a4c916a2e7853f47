//! Whoever runs services for a person.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::plan::Plan;
use super::{launchd, systemd};
use crate::failure::Failure;

/// The service manager of this system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manager {
    Systemd,
    Launchd,
}

/// How a service is.
#[derive(Debug)]
pub(super) struct Activity {
    /// Whether it starts with every login.
    pub(super) enabled: bool,
    /// In the manager's own word.
    pub(super) state: String,
    /// The process of the hub, if it runs.
    pub(super) pid: Option<u32>,
    /// Whether it has ended by itself since it was started.
    pub(super) has_ended: bool,
}

impl Manager {
    pub(super) fn here() -> Self {
        if cfg!(target_os = "macos") { Self::Launchd } else { Self::Systemd }
    }

    /// Where it looks for the service.
    pub(super) fn file(self) -> Result<PathBuf, Failure> {
        match self {
            Self::Systemd => systemd::file(),
            Self::Launchd => launchd::file(),
        }
    }

    /// What is written there.
    pub(super) fn text(self, plan: &Plan) -> String {
        match self {
            Self::Systemd => systemd::text(plan),
            Self::Launchd => launchd::text(plan),
        }
    }

    /// What a file there runs, if we have written it.
    pub(super) fn read(self, text: &str) -> Option<Plan> {
        match self {
            Self::Systemd => systemd::read(text),
            Self::Launchd => launchd::read(text),
        }
    }

    /// Whether it would run this.
    pub(super) fn check_plan(self, plan: &Plan) -> Result<(), Failure> {
        match self {
            Self::Systemd => systemd::check_plan(plan),
            Self::Launchd => Ok(()),
        }
    }

    /// Refuses what a person has forbidden to start.
    pub(super) fn check_allowed(self, file: &Path) -> Result<(), Failure> {
        match self {
            Self::Systemd => systemd::check_unmasked(file),
            Self::Launchd => Ok(()),
        }
    }

    /// Whether it is there, and would find that file.
    pub(super) fn check(self, file: &Path) -> Result<(), Failure> {
        match self {
            Self::Systemd => systemd::check(file),
            Self::Launchd => launchd::check(),
        }
    }

    /// Has it read what was written, or is gone.
    pub(super) fn reload(self) -> Result<(), String> {
        match self {
            Self::Systemd => systemd::reload(),
            Self::Launchd => Ok(()),
        }
    }

    /// Starts the service anew, and with every login.
    pub(super) fn start_for_good(self, file: &Path) -> Result<(), String> {
        match self {
            Self::Systemd => systemd::start_for_good(),
            Self::Launchd => launchd::start_for_good(file),
        }
    }

    /// Starts the service if it does not run.
    pub(super) fn start(self) -> Result<(), String> {
        match self {
            Self::Systemd => systemd::start(),
            Self::Launchd => launchd::start(),
        }
    }

    /// Stops the service, for good.
    pub(super) fn stop_for_good(self) -> Result<(), String> {
        match self {
            Self::Systemd => systemd::stop_for_good(),
            Self::Launchd => launchd::stop_for_good(),
        }
    }

    pub(super) fn activity(self) -> Result<Activity, String> {
        match self {
            Self::Systemd => systemd::activity(),
            Self::Launchd => launchd::activity(),
        }
    }

    /// What makes it go on after a logout, if there is such a thing and it is not done yet.
    pub(super) fn after_logout(self) -> Option<&'static str> {
        match self {
            Self::Systemd => (!systemd::lingers()).then_some("loginctl enable-linger"),
            Self::Launchd => None,
        }
    }

    /// Where to look when the hub does not come up.
    pub(super) fn log(self, plan: &Plan) -> String {
        match self {
            Self::Systemd => "journalctl --user -u handraise -n 20".to_owned(),
            Self::Launchd => format!("tail {}/hub.log", plan.home),
        }
    }
}

/// Runs a program of the manager's to its end; what it said, or what it complained about.
pub(super) fn ask(program: &str, args: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{program} cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(if said.is_empty() { format!("{program} failed ({})", output.status) } else { said })
}
