//! In which pane of which tmux server a process is.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::tmux::Server;

/// Why nothing can be typed into a session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPane {
    /// It is in no pane that could be found.
    #[error("the session is not in tmux")]
    NotInTmux,
    /// The process is gone, or not this account's.
    #[error("the session's process cannot be looked at")]
    Unknown,
    /// Another program has the terminal.
    #[error("the session is not in front in its terminal")]
    Behind,
}

/// A pane, by the name its server has for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) server: Server,
    pub(super) pane: String,
    /// The process the pane was opened for: a pane that is used anew has another.
    pub(super) pane_process: u32,
}

/// How far up a pane may be: a shell, an editor, a wrapper or two.
const FARTHEST: usize = 64;

/// The pane whose terminal is the process's own. A process that is in a pane, but at another terminal
/// within it, is nobody to type to.
pub(super) async fn of(process: u32, directories: &[PathBuf]) -> Result<Place, NoPane> {
    let own = Stat::of(process).ok_or(NoPane::Unknown)?;
    let mut above = vec![process];
    let mut stat = own;
    while stat.parent > 1 && above.len() < FARTHEST {
        above.push(stat.parent);
        let Some(next) = Stat::of(stat.parent) else { break };
        stat = next;
    }
    for socket in sockets(process, directories) {
        let server = Server::at(&socket);
        // One that is not there any more has no panes.
        let format = "#{pane_id} #{pane_pid} #{pane_dead} #{pane_tty}";
        let panes = server.run(&["list-panes", "-a", "-F", format], None).await.unwrap_or_default();
        for line in panes.lines() {
            let mut fields = line.splitn(4, ' ');
            let (Some(pane), Some(pid), Some("0"), Some(tty)) =
                (fields.next(), fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            let Ok(pane_process) = pid.parse() else { continue };
            if above.contains(&pane_process) && own.is_at(Path::new(tty)) {
                in_front(process)?;
                return Ok(Place { server, pane: pane.to_owned(), pane_process });
            }
        }
    }
    Err(NoPane::NotInTmux)
}

/// Whether what is typed at its terminal goes to a process: it may be stopped, with a shell or another
/// session in front of it, and what it drew last may still be on the screen.
pub(super) fn in_front(process: u32) -> Result<(), NoPane> {
    let stat = Stat::of(process).ok_or(NoPane::Unknown)?;
    if stat.is_stopped || stat.group != stat.front { Err(NoPane::Behind) } else { Ok(()) }
}

/// The sockets of tmux servers it may be in: first the one it says itself.
fn sockets(process: u32, directories: &[PathBuf]) -> Vec<PathBuf> {
    let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    let said = environment.split(|byte| *byte == 0).find_map(|line| line.strip_prefix(b"TMUX="));
    let said = said.and_then(|value| value.split(|byte| *byte == b',').next());
    let said = said.map(|path| PathBuf::from(std::ffi::OsStr::from_bytes(path)));
    let listed = directories.iter().flat_map(|directory| {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        entries.map(|entry| entry.path())
    });
    let mut found: Vec<PathBuf> = vec![];
    for socket in said.into_iter().chain(listed) {
        if is_ours(&socket) && !found.contains(&socket) {
            found.push(socket);
        }
    }
    found
}

/// A socket of somebody else's would tell them what is typed.
fn is_ours(socket: &Path) -> bool {
    let own = rustix::process::geteuid().as_raw();
    fs::metadata(socket).is_ok_and(|found| found.file_type().is_socket() && found.uid() == own)
}

/// What the kernel says of a process.
#[derive(Debug, Clone, Copy)]
struct Stat {
    is_stopped: bool,
    parent: u32,
    group: i32,
    terminal: u32,
    /// The group whose terminal it is now.
    front: i32,
}

impl Stat {
    fn of(process: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name in parentheses may itself hold any character.
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let state = fields.next()?;
        if matches!(state, "Z" | "X") {
            // It has ended, though nobody has taken notice yet.
            return None;
        }
        let is_stopped = matches!(state, "T" | "t");
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let terminal = fields.nth(1)?.parse::<i32>().ok()?.cast_unsigned();
        let front = fields.next()?.parse().ok()?;
        Some(Self { is_stopped, parent, group, terminal, front })
    }

    fn is_at(self, tty: &Path) -> bool {
        let Ok(device) = fs::metadata(tty).map(|found| found.rdev()) else { return false };
        let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
        // The kernel's own way of putting both numbers into one.
        let number = (minor & 0xff) | (major << 8) | ((minor & !0xff) << 12);
        self.terminal != 0 && self.terminal == number
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use rustix::process::{Pid, Signal, kill_process};

    use super::*;

    struct Sleeping(Child);

    impl Sleeping {
        fn start() -> Self {
            Self(Command::new("sleep").arg("100").stdin(Stdio::null()).spawn().unwrap())
        }

        fn stat(&self) -> Option<Stat> {
            Stat::of(self.0.id())
        }
    }

    impl Drop for Sleeping {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn a_process_that_is_stopped_is_not_in_front() {
        let sleeping = Sleeping::start();
        let pid = i32::try_from(sleeping.0.id()).ok().and_then(Pid::from_raw).unwrap();
        kill_process(pid, Signal::STOP).unwrap();
        while !sleeping.stat().unwrap().is_stopped {
            std::thread::yield_now();
        }
        assert_eq!(in_front(sleeping.0.id()), Err(NoPane::Behind));
    }

    #[test]
    fn a_process_whose_group_has_not_the_terminal_is_not_in_front() {
        use std::os::unix::process::CommandExt;

        // In a group of its own it is behind whoever started it, if there is a terminal at all.
        let mut command = Command::new("sleep");
        let child = command.arg("100").stdin(Stdio::null()).process_group(0).spawn().unwrap();
        let sleeping = Sleeping(child);
        assert_eq!(in_front(sleeping.0.id()), Err(NoPane::Behind));
    }

    #[test]
    fn a_process_that_has_ended_is_nobody_to_type_to() {
        let mut sleeping = Sleeping::start();
        sleeping.0.kill().unwrap();
        while sleeping.stat().is_some() {
            std::thread::yield_now();
        }
        assert_eq!(in_front(sleeping.0.id()), Err(NoPane::Unknown));
    }
}
