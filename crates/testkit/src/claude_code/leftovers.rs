//! The end of everything a session has started.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::PATIENCE;

/// Kills every process that has `variable` (`NAME=value`) in its environment, until there is none.
///
/// A hook outlives a session that is killed, and is nobody's child then; what it inherited still tells
/// where it comes from. Where there is no `/proc`, none is found.
pub(crate) fn end_all_with(variable: &str) {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        let found = with(variable);
        if found.is_empty() {
            return;
        }
        for pid in found {
            // It may have ended by itself.
            let _ = kill_process(pid, Signal::KILL);
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// The processes that have `variable` in their environment. One that has ended has no environment,
/// even while nobody has taken notice of its end.
pub(super) fn with(variable: &str) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
        .filter(|pid| {
            let path = format!("/proc/{}/environ", pid.as_raw_nonzero());
            let environment = fs::read(path).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|line| line == variable.as_bytes())
        })
        .collect()
}

/// Whether a process has not ended yet. One has ended also while its parent takes no notice of it, and
/// tmux at times takes none of a killed session for as long as nothing else happens.
pub(super) fn runs(pid: Pid) -> bool {
    match fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())) {
        Ok(stat) => stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X'])),
        Err(_) => !Path::new("/proc").exists() && test_kill_process(pid).is_ok(),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn an_orphan_is_found_by_what_it_inherited() {
        let variable = format!("TESTKIT_ORPHAN_OF={}", std::process::id());
        let mut parent = Command::new("sh")
            .args(["-c", "sleep 1000 & exec true"])
            .envs(variable.split_once('='))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        parent.wait().unwrap();
        // While a process becomes another program it has no variables.
        let start = Instant::now();
        while with(&variable).is_empty() {
            assert!(start.elapsed() < PATIENCE, "no orphan");
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(with(&variable).len(), 1);
        end_all_with(&variable);
        assert!(with(&variable).is_empty());
    }
}
