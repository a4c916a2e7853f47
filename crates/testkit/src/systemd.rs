//! A real systemd that looks after one account's services, for one test.

#![expect(clippy::missing_panics_doc, reason = "a panic here is a failed test, with its reason")]
#![expect(clippy::expect_used, reason = "a panic here is a failed test, with its reason")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getuid, kill_process};
use tempfile::TempDir;

use crate::{PATIENCE, Program};

const MANAGER: &str = "/usr/lib/systemd/systemd";

/// Makes a control group, and in it the namespaces in which the manager and its services are alone: they
/// see no other processes, touch no other control groups, and end together.
const OUTSIDE: &str = r#"set -e
mount -t cgroup2 none /sys/fs/cgroup
group="/sys/fs/cgroup/$1"
mkdir "$group"
trap 'find "$group" -depth -type d -exec rmdir {} +' EXIT
setpriv --pdeathsig KILL sh -c '
  echo 0 > "$1/cgroup.procs"
  exec unshare --cgroup --mount --pid --fork --mount-proc --kill-child sh -c "$2"
' sh "$group" "$2" || true"#;

/// The first process there cannot be the manager itself: that would make it one for a whole system. The
/// directory in /run is how systemctl knows that there is a systemd at all.
const INSIDE: &str = "set -e
umount /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
mkdir -p /run/systemd
mount -t tmpfs tmpfs /run/systemd
mkdir /run/systemd/system
/usr/lib/systemd/systemd --user &
wait";

/// A service manager and everything it runs. All of it ends when this is dropped, and also when the test
/// is killed. Its processes have other numbers there than here.
#[derive(Debug)]
pub struct Systemd {
    outside: Child,
    first: Pid,
    directory: TempDir,
}

impl Systemd {
    /// Starts one, in an account with an empty home.
    #[must_use]
    pub fn start() -> Self {
        assert!(getuid().is_root(), "a systemd of its own needs root: run this test as root");
        assert!(
            Path::new(MANAGER).exists(),
            "there is no {MANAGER}: run `cargo xtask test`, which installs systemd"
        );
        let directory = tempfile::tempdir().expect("a place for the home");
        for name in ["home", "run"] {
            let path = directory.path().join(name);
            fs::create_dir(&path).expect("the directory can be written to");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("it is ours");
        }
        let name = directory.path().file_name().unwrap_or_default().to_string_lossy();
        let log = fs::File::create(directory.path().join("log")).expect("a log can be written");
        let mut command = Command::new("setpriv");
        command
            .args(["--pdeathsig", "KILL", "unshare", "--mount", "sh", "-c", OUTSIDE, "sh"])
            .args([&format!("handraise-test{name}"), INSIDE])
            .env_clear()
            .envs(environment(directory.path()))
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a file has another hand"))
            .stderr(log);
        let outside = command.spawn().expect("setpriv is installed");
        let socket = directory.path().join("run/systemd/private");
        let start = Instant::now();
        let first = loop {
            let children = children(outside.id());
            let first = children.first().and_then(|unshare| children_of_one(*unshare));
            if let (Some(first), true) = (first, socket.exists()) {
                break first;
            }
            let log = fs::read_to_string(directory.path().join("log")).unwrap_or_default();
            assert!(start.elapsed() < PATIENCE, "systemd does not start:\n{log}");
            thread::sleep(Duration::from_millis(5));
        };
        Self { outside, first, directory }
    }

    /// The home of the account.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// A program run by that account, with nothing but its own environment and no agent behind it.
    #[must_use]
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let first = self.first.as_raw_nonzero().to_string();
        let mut command = Command::new("nsenter");
        command
            .args(["--target", &first, "--cgroup", "--mount", "--pid", "--"])
            .arg(program.as_ref())
            .env_clear()
            .envs(environment(self.directory.path()))
            .current_dir(self.home());
        command
    }

    /// Runs `systemctl --user`, and returns what it said.
    #[must_use]
    pub fn systemctl(&self, args: &[&str]) -> String {
        let ended = Program::run(self.command("systemctl").arg("--user").args(args));
        assert!(ended.status.success(), "systemctl {args:?}: {}", ended.stderr);
        ended.stdout.trim_end().to_owned()
    }
}

fn environment(directory: &Path) -> [(&'static str, String); 6] {
    let path = |name: &str| directory.join(name).display().to_string();
    [
        // The manager may listen for a bus that it cannot start, and whoever calls there waits.
        ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere".into()),
        ("HOME", path("home")),
        ("XDG_RUNTIME_DIR", path("run")),
        ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".into()),
        ("USER", "ann".into()),
        ("LANG", "C.UTF-8".into()),
    ]
}

fn children(pid: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    children.unwrap_or_default().split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

fn children_of_one(pid: u32) -> Option<Pid> {
    let child = children(pid).first().copied()?;
    i32::try_from(child).ok().and_then(Pid::from_raw)
}

impl Drop for Systemd {
    fn drop(&mut self) {
        // With the first process all others end; then the control group is taken away.
        let _ = kill_process(self.first, Signal::KILL);
        let _ = self.outside.wait();
    }
}
