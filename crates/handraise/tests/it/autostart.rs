//! A hub that is started by whoever needs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use handraise_broker::{Hub, Power, Query, State};
use handraise_client::HubFile;
use handraise_testkit::{HubProcess, Program, answers};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::hook_events::{asked, noted, printed, quiet};
use crate::mcp_scene;
use crate::service_scene::wait;

/// A home without a hub. One that comes up is ended with this.
pub(crate) struct Nobody {
    pub(crate) hub: HubProcess,
}

impl Nobody {
    fn new(config: &str) -> Self {
        let nobody = Self { hub: HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise"))) };
        nobody.hub.home().create().unwrap();
        fs::write(nobody.hub.home().config(), config).unwrap();
        nobody
    }

    fn autostart() -> Self {
        // At a port of its own: where the usual one is taken, a hub says so in its log.
        Self::new("listen = \"127.0.0.1:0\"\n[hub]\nautostart = true\n")
    }

    fn hook(&self, event: &Value) -> Program {
        Program::spawn(self.hub.command().args(["hook", "claude"]), &event.to_string())
    }

    fn started(&self) -> u32 {
        wait("hub", || self.hub.home().hub()).pid
    }

    fn open(&self, count: usize) -> Vec<handraise_broker::AskId> {
        let query = Query { states: vec![State::Open], limit: 100, ..Query::default() };
        wait("that many open asks", || {
            let open = block_on(self.hub.client(Power::Agent).list(query.clone())).ok()?;
            (open.len() == count).then(|| open.iter().map(|ask| ask.id).collect())
        })
    }

    fn choose(&self, id: handraise_broker::AskId, label: &str) {
        let reply = answers(json!([{"selected": [label]}]));
        block_on(self.hub.client(Power::Person).reply(id, reply, None)).unwrap();
    }

    fn files(&self) -> Vec<PathBuf> {
        let all = fs::read_dir(self.hub.home().directory()).unwrap();
        all.map(|entry| entry.unwrap().path()).collect()
    }
}

impl Drop for Nobody {
    fn drop(&mut self) {
        end_hub(&self.hub);
    }
}

/// Ends a hub that nobody has started.
pub(crate) fn end_hub(hub: &HubProcess) {
    let pid = hub.home().hub().and_then(|hub| Pid::from_raw(i32::try_from(hub.pid).ok()?));
    if let Some(pid) = pid {
        let _ = kill_process(pid, Signal::KILL);
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

#[test]
fn a_question_starts_a_hub_that_has_nothing_to_do_with_the_agent() {
    let nobody = Nobody::autostart();
    assert_eq!(quiet(nobody.hook(&noted("toolu_1")).wait_exit()), "");
    let pid = nobody.started();
    // From nothing once more, and this time from an agent that is careless with its files.
    end_hub(&nobody.hub);
    wait("end of the hub", || nobody.hub.home().hub().is_none().then_some(()));
    let left_open = nobody.hub.directory().join("left open");
    let inner = nobody.hub.command();
    let mut command = Command::new("sh");
    command.arg("-c").arg("exec 9> \"$0\"; \"$@\"; exit $?").arg(&left_open);
    command.arg(inner.get_program()).args(inner.get_args()).args(["hook", "claude"]);
    command.current_dir(nobody.hub.directory()).env_clear();
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    for (name, value) in [("CLAUDECODE", "1"), ("CLAUDE_CODE_ENTRYPOINT", "cli"), ("SECRET", "x")] {
        command.env(name, value);
    }
    let hook = Program::spawn(&mut command, &asked().to_string());
    let hub = nobody.started();
    assert_ne!(hub, pid);
    let asked = nobody.open(1)[0];

    let read = |name: &str| fs::read(format!("/proc/{hub}/{name}")).unwrap();
    let environment = String::from_utf8(read("environ")).unwrap();
    assert!(!environment.contains("CLAUDE") && !environment.contains("SECRET"), "{environment}");
    assert!(environment.contains("PATH="), "{environment}");
    let link = |name: &str| fs::read_link(format!("/proc/{hub}/{name}")).unwrap();
    assert_eq!(link("cwd"), Path::new("/"));
    let open = fs::read_dir(format!("/proc/{hub}/fd")).unwrap();
    for descriptor in open.flatten() {
        // Some are gone by now.
        let file = fs::read_link(descriptor.path()).unwrap_or_default();
        assert_ne!(file, left_open);
    }
    assert_eq!(link("fd/0"), Path::new("/dev/null"));
    let stat = String::from_utf8(read("stat")).unwrap();
    let fields: Vec<_> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let (parent, session) = (fields[1], fields[3]);
    assert_ne!(parent, hook.pid().to_string(), "{stat}");
    let of_hook = fs::read_to_string(format!("/proc/{}/stat", hook.pid())).unwrap();
    let of_hook = of_hook.rsplit_once(')').unwrap().1.split_whitespace().nth(3).unwrap().to_owned();
    assert_ne!(session, of_hook, "its session is its own");

    nobody.choose(asked, "JWT");
    assert_eq!(printed(&quiet(hook.wait_exit())), "JWT");
    assert_eq!(nobody.started(), hub, "it stays when the hook is gone");
}

#[test]
fn ten_questions_at_once_start_one_hub() {
    let nobody = Nobody::autostart();
    let hooks: Vec<_> = (0..10).map(|_| nobody.hook(&asked())).collect();
    for id in nobody.open(10) {
        nobody.choose(id, "Sessions");
    }
    for hook in hooks {
        assert_eq!(printed(&quiet(hook.wait_exit())), "Sessions");
    }
    let hub = nobody.started();
    let home = nobody.hub.home().directory().display().to_string();
    let hubs = || {
        let all = fs::read_dir("/proc").unwrap().flatten();
        let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let is_hub = |pid: &u32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let words: Vec<_> = line.split(|byte| *byte == 0).collect();
            words.contains(&home.as_bytes()) && words.contains(&b"serve".as_slice())
        };
        pids.filter(is_hub).collect::<Vec<_>>()
    };
    wait("end of all others", || (hubs() == [hub]).then_some(()));
    let log = fs::read_to_string(nobody.hub.home().log()).unwrap();
    assert_eq!(log, "", "the others leave without a word");
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_hub_left_before_a_reboot_stands_in_nobodys_way() {
    let nobody = Nobody::autostart();
    // The number is another process's now: of the test itself.
    let here = HubFile::here("http://127.0.0.1:1");
    let left = HubFile { started: here.started.map(|started| started - 1), ..here };
    nobody.hub.home().announce(&left).unwrap();
    let hook = nobody.hook(&asked());
    assert_ne!(nobody.started(), left.pid);
    nobody.choose(nobody.open(1)[0], "JWT");
    assert_eq!(printed(&quiet(hook.wait_exit())), "JWT");
}

#[test]
fn nothing_is_started_unless_it_is_wanted() {
    let off = Nobody::new("");
    for event in [noted("toolu_1"), asked()] {
        assert_eq!(quiet(off.hook(&event).wait_exit()), "");
    }
    assert_eq!(off.files(), [off.hub.home().config()], "not a file is written");

    let on = Nobody::autostart();
    let mut command = asked();
    command["tool_name"] = json!("Bash");
    command["tool_input"] = json!({"command": "ls"});
    let mut stop = asked();
    stop["hook_event_name"] = json!("Stop");
    for event in [command, stop] {
        assert_eq!(quiet(on.hook(&event).wait_exit()), "");
    }
    assert_eq!(on.files(), [on.hub.home().config()]);
    // Not even by those who could: they only look.
    let list = Program::run(on.hub.command().arg("list"));
    assert_eq!(list.status.code(), Some(6));
    assert_eq!(on.files(), [on.hub.home().config()]);
}

#[test]
fn a_hub_that_cannot_start_is_no_trouble_of_the_agents_and_says_why() {
    let nobody = Nobody::new("[hub]\nautostart = true\n");
    // Nothing can be kept where a directory is.
    fs::create_dir(nobody.hub.home().database()).unwrap();
    let ask = json!({"questions": [{"question": "Ship it?", "options": [{"label": "Yes"}]}]});
    let mut command = nobody.hub.command();
    let asked = Program::spawn(command.args(["ask", "--via", "hub", "-"]), &ask.to_string());
    let ended = asked.wait_exit();
    assert_eq!(ended.status.code(), Some(6), "{}", ended.stderr);
    assert!(ended.stderr.contains("it did not come up: cannot use"), "{}", ended.stderr);
    wait("the same in its log", || {
        let log = fs::read_to_string(nobody.hub.home().log()).unwrap();
        log.contains("handraise.db").then_some(())
    });
}

#[test]
fn a_script_and_an_mcp_client_find_a_hub_too() {
    let nobody = Nobody::autostart();
    let ask = json!({"questions": [{"question": "Ship it?", "options": [{"label": "Yes"}, {"label": "No"}]}]});
    let mut command = nobody.hub.command();
    let asked = Program::spawn(command.args(["ask", "--via", "hub", "-"]), &ask.to_string());
    let id = nobody.open(1)[0];
    nobody.choose(id, "Yes");
    assert_eq!(asked.wait_exit().status.code(), Some(0));

    let scene = mcp_scene::Scene::without_hub("[hub]\nautostart = true\n");
    let mut client = scene.client(&[]);
    assert!(scene.hub.home().hub().is_none(), "tools are shown without one");
    let call = client.ask("Ship it?");
    let asked = scene.the_ask();
    scene.answer(asked.id, json!([{"words": "not yet"}]));
    let result = client.result(&call);
    assert!(mcp_scene::text(&result).contains("not yet"), "{result}");
    end_hub(&scene.hub);
}
