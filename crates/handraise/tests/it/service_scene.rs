//! An account with a systemd of its own, where Handraise is installed in an awkward place.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::Power;
use handraise_client::Home;
use handraise_testkit::{Ended, PATIENCE, PlainAnswer, Program, Systemd, plain_request};
use serde_json::{Value, json};

use crate::hook_events::asked;

pub(crate) struct Account {
    pub(crate) systemd: Systemd,
    pub(crate) program: PathBuf,
    pub(crate) home: Home,
}

impl Account {
    pub(crate) fn new() -> Self {
        let systemd = Systemd::start();
        let program = systemd.home().join("50% off $HOME; ü/handraise");
        fs::create_dir(program.parent().unwrap()).unwrap();
        copy_program(Path::new(env!("CARGO_BIN_EXE_handraise")), &program);
        let home = Home::new(systemd.home().join("my \"data\" \\ %h"));
        Self { systemd, program, home }
    }

    /// A command of ours, for this home.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_for(&self.home, args)
    }

    pub(crate) fn command_for(&self, home: &Home, args: &[&str]) -> Command {
        let mut command = self.systemd.command(&self.program);
        command.arg("--data").arg(home.directory()).args(args);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        Program::run(&mut self.command(args))
    }

    /// Runs a command that must not fail.
    pub(crate) fn done(&self, args: &[&str]) -> String {
        let ended = self.run(args);
        assert_eq!(ended.status.code(), Some(0), "{args:?}: {}{}", ended.stdout, ended.stderr);
        ended.stdout
    }

    pub(crate) fn status(&self) -> Value {
        serde_json::from_str(&self.run(&["service", "status", "--json"]).stdout).unwrap()
    }

    pub(crate) fn unit(&self) -> PathBuf {
        self.systemd.home().join(".config/systemd/user/handraise.service")
    }

    /// The hub's process, by its number in there.
    pub(crate) fn hub_pid(&self) -> u32 {
        self.home.last_hub().unwrap().pid
    }

    /// A request, once a hub answers.
    pub(crate) fn plain(
        &self,
        power: Power,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> PlainAnswer {
        wait("hub that answers", || {
            let (hub, token) = (self.home.last_hub()?, self.home.token(power)?);
            plain_request(&hub.url, token.reveal(), method, path, body).ok()
        })
    }

    /// Has a hook ask, and waits until the hub has the question.
    pub(crate) fn ask(&self) -> (Program, String) {
        let hook = Program::spawn(&mut self.command(&["hook", "claude"]), &asked().to_string());
        let id = wait("question at the hub", || self.open().pop());
        (hook, id)
    }

    /// The asks that are open.
    pub(crate) fn open(&self) -> Vec<String> {
        let list = self.plain(Power::Agent, "GET", "/asks?state=open", None);
        let asks = list.body["asks"].as_array().unwrap();
        asks.iter().map(|ask| ask["id"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn answer(&self, id: &str, label: &str) {
        let body = json!({"answers": [{"selected": [label]}], "idempotencyKey": id});
        let said = self.plain(Power::Person, "POST", &format!("/asks/{id}/answer"), Some(&body));
        assert_eq!(said.status, 200, "{said:?}");
    }

    /// What a process is a run of.
    pub(crate) fn runs(&self, pid: u32) -> PathBuf {
        let link = self.systemd.command("readlink").arg(format!("/proc/{pid}/exe")).output();
        PathBuf::from(String::from_utf8(link.unwrap().stdout).unwrap().trim_end())
    }

    /// Puts another file in the place of the program, as an upgrade does.
    pub(crate) fn upgrade(&self) {
        replace(&self.program);
    }
}

/// Puts another file of the same contents in the place of a program, whoever runs it.
pub(crate) fn replace(program: &Path) {
    let new = program.with_extension("new");
    copy_program(Path::new(env!("CARGO_BIN_EXE_handraise")), &new);
    fs::rename(new, program).unwrap();
}

/// Copies a program, in a process of its own: what this one has open for writing, a child that another test
/// starts at that moment has open, too, and what is open for writing cannot be run.
pub(crate) fn copy_program(from: &Path, to: &Path) {
    assert!(Command::new("cp").args([from, to]).status().unwrap().success());
}

pub(crate) fn wait<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "no {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
