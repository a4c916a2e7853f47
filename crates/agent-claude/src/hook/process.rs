//! Processes that may end without a word.

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
    pub(super) fn this() -> Self {
        Self::with(std::process::id())
    }

    /// Whether it is there.
    pub(crate) fn lives(&self) -> bool {
        if self.started.is_some() {
            return started(self.pid) == self.started;
        }
        // A process of somebody else's is a process all the same.
        pid(self.pid)
            .is_some_and(|pid| !matches!(test_kill_process(pid), Err(rustix::io::Errno::SRCH)))
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
pub(super) async fn gone(process: Option<&Process>) {
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
    let (tell, told) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let mut fds = [PollFd::new(&fd, PollFlags::IN)];
        while poll(&mut fds, None) == Err(rustix::io::Errno::INTR) {}
        // Nobody listens any more when something else came first.
        let _ = tell.send(());
    });
    told.await.is_ok()
}

fn pid(raw: u32) -> Option<Pid> {
    i32::try_from(raw).ok().and_then(Pid::from_raw)
}
