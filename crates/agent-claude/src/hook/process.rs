//! Processes that may end without a word.

use handraise_broker::Runner;
use jiff::Timestamp;
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};

/// A process, and what tells it from another that gets the same number later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it was started, in the words of the kernel.
    started: Option<String>,
}

impl Process {
    /// The process that has this number now.
    #[must_use]
    pub fn with(pid: u32) -> Self {
        Self { pid, started: started(pid) }
    }

    /// This one.
    #[must_use]
    pub fn this() -> Self {
        Self::with(std::process::id())
    }

    /// Whether that is when it was started: the kernel's own number, as Claude Code writes it down.
    pub(crate) fn began_at(&self, ticks: &str) -> bool {
        let started = self.started.as_deref().and_then(|started| started.split_once(' '));
        started.is_some_and(|(since, _)| since == ticks)
    }

    /// When that was, by the clock on the wall; only where the kernel says.
    pub(crate) fn since(&self) -> Option<Timestamp> {
        let (ticks, _) = self.started.as_deref()?.split_once(' ')?;
        let stat = std::fs::read_to_string("/proc/stat").ok()?;
        let boot = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
        let ticks_of_a_second = i64::try_from(rustix::param::clock_ticks_per_second()).ok()?;
        let after =
            ticks.parse::<i64>().ok()?.checked_mul(1_000)?.checked_div(ticks_of_a_second)?;
        Timestamp::from_millisecond(boot.trim().parse::<i64>().ok()?.checked_mul(1_000)? + after)
            .ok()
    }

    /// Whether it is there.
    #[must_use]
    pub fn lives(&self) -> bool {
        if self.started.is_some() {
            return started(self.pid) == self.started;
        }
        // A process of somebody else's is a process all the same.
        pid(self.pid)
            .is_some_and(|pid| !matches!(test_kill_process(pid), Err(rustix::io::Errno::SRCH)))
    }
}

impl From<Process> for Runner {
    fn from(Process { pid, started }: Process) -> Self {
        Self { pid, started }
    }
}

impl From<Runner> for Process {
    fn from(Runner { pid, started }: Runner) -> Self {
        Self { pid, started }
    }
}

/// When a process was started; `None` when it has ended, even if nobody has taken notice yet, and where
/// there is no `/proc`.
fn started(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    // The name in parentheses may itself hold any character.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?;
    let since = fields.nth(18)?;
    (!matches!(state, "Z" | "X")).then(|| format!("{since} after {}", boot.trim()))
}

/// Waits until it is gone: Claude Code, when it is killed, tells nobody, and its hooks live on.
pub(crate) async fn gone(process: Option<&Process>) {
    // Without a number nobody can tell.
    let Some(process) = process else { return std::future::pending().await };
    #[cfg(target_os = "linux")]
    if ended(process).await {
        return;
    }
    while process.lives() {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    }
}

/// Lets the kernel say when, without ever looking; whether it could.
#[cfg(target_os = "linux")]
async fn ended(process: &Process) -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{PidfdFlags, pidfd_open};

    let Some(pid) = pid(process.pid) else { return false };
    let fd = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(fd) => fd,
        Err(error) => return error == rustix::io::Errno::SRCH,
    };
    // Its number may have gone to another before it was opened.
    if !process.lives() {
        return true;
    }
    let (tell, told) = tokio::sync::oneshot::channel();
    // It does next to nothing, and there may be hundreds.
    let waiting = std::thread::Builder::new().stack_size(128 * 1024).spawn(move || {
        let mut fds = [PollFd::new(&fd, PollFlags::IN)];
        while poll(&mut fds, None) == Err(rustix::io::Errno::INTR) {}
        // Nobody listens any more when something else came first.
        let _ = tell.send(());
    });
    waiting.is_ok() && told.await.is_ok()
}

fn pid(raw: u32) -> Option<Pid> {
    i32::try_from(raw).ok().and_then(Pid::from_raw)
}
