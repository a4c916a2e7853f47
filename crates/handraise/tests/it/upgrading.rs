//! An upgrade while agents wait: their hooks are processes of the old program, and the hub is the new one.
//!
//! By default both are of the same revision. `cargo xtask upgrade REVISION` names an older program, and
//! then its hooks, its hub and its database are what is upgraded from.

#![expect(clippy::disallowed_methods, reason = "a test is an edge: it reads the environment")]

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use handraise_broker::{AskId, Hub, Level, Power, Query, Record, State};
use handraise_testkit::{HubProcess, Program, answers};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::hook_events::{asked, noted, printed, quiet, taken};
use crate::service_scene::{copy_program, replace, wait};

fn old_program() -> PathBuf {
    let named = std::env::var_os("HANDRAISE_OLD_PROGRAM").map(PathBuf::from);
    named.unwrap_or_else(|| env!("CARGO_BIN_EXE_handraise").into())
}

/// A hub of the old program, in a place where another one can be put.
struct Installed {
    hub: HubProcess,
    program: PathBuf,
    _place: TempDir,
}

impl Installed {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("handraise");
        copy_program(&old_program(), &program);
        Self { hub: HubProcess::start(&program), program, _place: place }
    }

    fn hook(&self, event: &Value) -> Program {
        Program::spawn(self.hub.command().args(["hook", "claude"]), &event.to_string())
    }

    fn list(&self, states: &[State]) -> Vec<Arc<Record>> {
        let query = Query { states: states.to_vec(), limit: 100, ..Query::default() };
        block_on(self.hub.client(Power::Agent).list(query)).unwrap()
    }

    fn open(&self, count: usize) -> Vec<Arc<Record>> {
        wait("that many open asks", || {
            Some(self.list(&[State::Open])).filter(|asks| asks.len() == count)
        })
    }

    fn get(&self, id: AskId) -> Arc<Record> {
        block_on(self.hub.client(Power::Agent).get(id)).unwrap()
    }

    fn choose(&self, id: AskId, label: &str) {
        let reply = answers(json!([{"selected": [label]}]));
        block_on(self.hub.client(Power::Person).reply(id, reply, None)).unwrap();
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn upgraded(how_the_hub_ends: fn(&mut HubProcess)) {
    let mut installed = Installed::new();
    // Something of before, from its question to its end.
    quiet(installed.hook(&noted("toolu_0")).wait_exit());
    let first = installed.hook(&asked());
    let past = installed.open(1).remove(0);
    installed.choose(past.id, "Sessions");
    assert_eq!(printed(&quiet(first.wait_exit())), "Sessions");
    for event in taken("toolu_0", "Sessions") {
        quiet(installed.hook(&event).wait_exit());
    }
    let past = installed.get(past.id);

    quiet(installed.hook(&noted("toolu_1")).wait_exit());
    let hook = installed.hook(&asked());
    let id = installed.open(1)[0].id;
    let ask = json!({"questions": [{"question": "Ship it?", "header": "Ship",
        "options": [{"label": "Yes"}, {"label": "No"}]}]});
    let mut command = installed.hub.command();
    let script = Program::spawn(command.args(["ask", "--via", "hub", "-"]), &ask.to_string());
    let other = installed.open(2).iter().find(|ask| ask.id != id).unwrap().id;

    replace(&installed.program);
    how_the_hub_ends(&mut installed.hub);
    installed.hub.restart();
    let running = fs::read_link(format!("/proc/{}/exe", installed.hub.pid())).unwrap();
    assert_eq!(running, installed.program);

    // All of it is there, as it was.
    let open: Vec<_> = installed.open(2).iter().map(|ask| ask.id).collect();
    assert!(open.contains(&id) && open.contains(&other));
    assert_eq!(installed.get(past.id), past);
    let verified = Program::run(installed.hub.command().args(["audit", "verify"]));
    assert_eq!(verified.status.code(), Some(0), "{}", verified.stderr);

    installed.choose(id, "JWT");
    assert_eq!(printed(&quiet(hook.wait_exit())), "JWT", "the old hook brings it, once");
    installed.choose(other, "Yes");
    let ended = script.wait_exit();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    assert_eq!(
        serde_json::from_str::<Value>(&ended.stdout).unwrap()["answers"][0]["selected"],
        json!(["Yes"])
    );
    // What comes after is told by the new program.
    for event in taken("toolu_1", "JWT") {
        quiet(installed.hook(&event).wait_exit());
    }
    let delivered = installed.get(id);
    assert_eq!(delivered.state(), State::Delivered);
    assert_eq!(delivered.last_receipt().unwrap().level, Level::Seen);
}

#[test]
fn whoever_waits_gets_the_answer_from_the_new_hub() {
    upgraded(|hub| drop(hub.stop()));
}

#[test]
fn whoever_waits_gets_the_answer_also_when_the_old_hub_had_no_time_to_end() {
    upgraded(HubProcess::kill);
}

#[test]
fn a_new_hook_does_not_hang_at_an_old_hub() {
    let installed = Installed::new();
    let new = |event: &Value| {
        let mut command = Program::command(env!("CARGO_BIN_EXE_handraise"), Path::new("/"));
        command.arg("--data").arg(installed.hub.home().directory()).args(["hook", "claude"]);
        Program::spawn(&mut command, &event.to_string())
    };
    quiet(new(&noted("toolu_1")).wait_exit());
    let hook = RefCell::new(new(&asked()));
    // An old hub that understands it is answered as ever; one that does not leaves it to the dialog.
    let asked = wait("question at the hub, or end of the hook", || {
        let open = installed.list(&[State::Open]).pop().map(|ask| ask.id);
        (open.is_some() || hook.borrow_mut().has_ended()).then_some(open)
    });
    if let Some(id) = asked {
        installed.choose(id, "JWT");
    }
    let said = quiet(hook.into_inner().wait_exit());
    assert!(said.is_empty() || printed(&said) == "JWT", "{said}");
    for event in taken("toolu_1", "JWT") {
        quiet(new(&event).wait_exit());
    }
}
