//! Which process is which.

/// Whether there is a process of this number.
pub(crate) fn is_there(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    // A process of somebody else's is a process all the same.
    pid.is_some_and(|pid| {
        !matches!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH))
    })
}

/// When a process was started, in ticks since the machine was; nothing where there is no `/proc`.
pub(crate) fn started(pid: u32) -> Option<u64> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name, which is anybody's, ends with the last parenthesis. The start is the twenty-second field.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_a_start_whatever_it_is_called() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("a) S 1 (b");
        std::os::unix::fs::symlink("/bin/sleep", &program).unwrap();
        let before = started(std::process::id()).unwrap();
        let mut child = std::process::Command::new(&program).arg("600").spawn().unwrap();
        let start = started(child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(start.unwrap() >= before);
        assert_eq!(started(child.id()), None);
    }
}
