//! The process of Claude Code.

use rustix::process::{Pid, test_kill_process};

/// Whether it is there. Without an id nobody can tell, and then it is taken to be.
pub(super) fn lives(claude: Option<u32>) -> bool {
    let Some(pid) = claude.and_then(pid) else { return true };
    // A process of somebody else's is a process all the same.
    !matches!(test_kill_process(pid), Err(rustix::io::Errno::SRCH))
}

/// Waits until it is gone: killed, it tells nobody, and its hooks live on.
pub(super) async fn gone(claude: Option<u32>) {
    let Some(pid) = claude.and_then(pid) else { return std::future::pending().await };
    #[cfg(target_os = "linux")]
    if ended(pid).await {
        return;
    }
    while lives(claude) {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    }
}

/// Lets the kernel say when, without ever looking; whether it could.
#[cfg(target_os = "linux")]
async fn ended(pid: Pid) -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{PidfdFlags, pidfd_open};

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
