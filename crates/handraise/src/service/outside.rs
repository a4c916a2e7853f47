//! A hub of the same home that the service manager has not started.

use std::thread;
use std::time::{Duration, Instant};

use handraise_client::{Home, HubFile};
use rustix::process::{Pid, Signal, kill_process};

use crate::failure::{Exit, Failure};
use crate::home::keeps_elsewhere;
use crate::inside_agent::command_line;
use crate::serve::Lock;

/// A hub stores everything and ends within ten seconds.
const PATIENCE: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(20);

/// One that can be asked to stop, because the service would keep what it keeps.
#[derive(Debug)]
pub(super) struct Outside(HubFile);

impl Outside {
    /// The hub of this home, unless it is the process of the service.
    pub(super) fn find(home: &Home, service: Option<u32>) -> Result<Option<Self>, Failure> {
        let Some(hub) = home.hub() else { return Ok(None) };
        if service == Some(hub.pid) {
            return Ok(None);
        }
        let words = command_line(hub.pid);
        // Where it is not known when the hub was started, its number may be another process's by now.
        let is_hub = || words.iter().any(|word| word == "serve") && !Lock::is_free(home);
        if hub.started.is_none() && !is_hub() {
            return Ok(None);
        }
        // What it keeps elsewhere, the service would not find.
        if keeps_elsewhere(hub.pid) {
            let error = anyhow::anyhow!(
                "a hub runs for this home already, with a database of its own (process {})",
                hub.pid
            );
            return Err(Failure::new(Exit::BadInput, error)
                .hint("the service keeps its database in the home; stop that hub first"));
        }
        Ok(Some(Self(hub)))
    }

    /// Its process.
    pub(super) fn pid(&self) -> u32 {
        self.0.pid
    }

    /// Asks it to stop, and waits until it has.
    pub(super) fn stop(&self, home: &Home) -> Result<(), Failure> {
        let pid = i32::try_from(self.0.pid).ok().and_then(Pid::from_raw);
        let asked = pid.is_some_and(|pid| kill_process(pid, Signal::TERM).is_ok());
        let start = Instant::now();
        while asked && home.hub().is_some_and(|hub| hub.pid == self.0.pid) {
            if start.elapsed() > PATIENCE {
                break;
            }
            thread::sleep(PAUSE);
        }
        if home.hub().is_none_or(|hub| hub.pid != self.0.pid) {
            return Ok(());
        }
        let error = anyhow::anyhow!("the hub that runs already does not stop");
        Err(Failure::new(Exit::Internal, error)
            .hint(format!("end process {}; the service takes over then", self.0.pid)))
    }
}
