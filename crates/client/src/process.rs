//! Which process is which.

/// Whether a process of this number runs.
pub(crate) fn is_there(pid: u32) -> bool {
    let Some(known) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else {
        return false;
    };
    // A process of another account is a process all the same.
    let exists = !matches!(rustix::process::test_kill_process(known), Err(rustix::io::Errno::SRCH));
    exists && !stat(pid).is_some_and(|stat| stat.has_ended)
}

/// When a process was started, in ticks since the machine was; nothing where there is no `/proc`.
pub(crate) fn started(pid: u32) -> Option<u64> {
    stat(pid).map(|stat| stat.started)
}

struct Stat {
    /// Whether it is a zombie: its parent has not been told of its end.
    has_ended: bool,
    started: u64,
}

fn stat(pid: u32) -> Option<Stat> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name can hold anything, and ends with the last parenthesis. Then come the state and, as the
    // twenty-second field of all, the start.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let has_ended = matches!(fields.next()?, "Z" | "X");
    Some(Stat { has_ended, started: fields.nth(18)?.parse().ok()? })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_a_start_and_an_end_whatever_it_is_called() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("a) S 1 (b");
        std::os::unix::fs::symlink("/bin/sleep", &program).unwrap();
        let before = started(std::process::id()).unwrap();
        let mut child = std::process::Command::new(&program).arg("600").spawn().unwrap();
        let start = started(child.id());
        assert!(is_there(child.id()));
        child.kill().unwrap();
        // It stays a zombie until it is waited for.
        while is_there(child.id()) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(start.unwrap() >= before);
        assert_eq!(started(child.id()), None);
    }
}
