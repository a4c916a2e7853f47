//! `handraise service` under a real systemd: the hub is there, comes back, and is replaced.

use std::fs;

use handraise_broker::Power;
use handraise_testkit::{Program, free_address};
use serde_json::{Value, json};

use crate::hook_events::{asked, printed, quiet};
use crate::service_scene::{Account, wait};

#[test]
fn a_hub_that_is_killed_comes_back_and_whoever_waits_gets_the_answer() {
    let ann = Account::new();
    let said = ann.done(&["service", "install"]);
    assert!(said.contains("is up at http://127.0.0.1:"), "{said}");
    assert!(said.contains("loginctl enable-linger"), "{said}");
    let (hook, id) = ann.ask();

    let first = ann.hub_pid();
    let killed = ann.systemd.command("kill").args(["-9", &first.to_string()]).status();
    assert!(killed.unwrap().success());
    wait("new hub", || (ann.hub_pid() != first).then_some(()));
    assert_eq!(ann.open(), [id.as_str()]);
    ann.answer(&id, "Sessions");
    assert_eq!(printed(&quiet(hook.wait_exit())), "Sessions");

    let status = ann.status();
    assert_eq!(status["pid"], ann.hub_pid());
    assert_eq!(status["program"], ann.program.to_str().unwrap());
    assert_eq!(status["home"], ann.home.directory().to_str().unwrap());
    for yes in ["installed", "current", "enabled"] {
        assert_eq!(status[yes], true, "{status}");
    }
    assert_eq!(status["url"], ann.home.last_hub().unwrap().url);
    let doctor = ann.run(&["doctor"]).stdout;
    assert!(doctor.contains("✔ service      its hub runs this program"), "{doctor}");
}

#[test]
fn an_upgrade_is_another_install_and_an_old_hook_gets_its_answer_from_the_new_hub() {
    let ann = Account::new();
    ann.done(&["service", "install"]);
    let unit = fs::read_to_string(ann.unit()).unwrap();
    let (hook, id) = ann.ask();
    let old = ann.hub_pid();
    ann.upgrade();
    assert!(ann.runs(old).to_string_lossy().ends_with("(deleted)"));

    let said = ann.done(&["service", "install"]);
    assert!(said.contains("is as it should be") && said.contains("starts anew"), "{said}");
    assert_eq!(fs::read_to_string(ann.unit()).unwrap(), unit);
    assert_ne!(ann.hub_pid(), old);
    assert_eq!(ann.runs(ann.hub_pid()), ann.program);
    ann.answer(&id, "JWT");
    assert_eq!(printed(&quiet(hook.wait_exit())), "JWT");
}

#[test]
fn a_hub_that_runs_already_hands_over_and_nothing_is_lost() {
    let ann = Account::new();
    let listen = free_address().to_string();
    let before = Program::spawn(&mut ann.command(&["serve", "--json", "--listen", &listen]), "");
    let greeting: Value = serde_json::from_str(&before.first_line().unwrap()).unwrap();
    let (hook, id) = ann.ask();
    let ended = ann.run(&["service", "install"]);
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("it is asked to stop"), "{}", ended.stderr);
    assert_eq!(before.wait_exit().status.code(), Some(0));
    assert_eq!(ann.home.last_hub().unwrap().url, greeting["url"]);
    assert_eq!(ann.status()["pid"], ann.hub_pid());
    ann.answer(&id, "JWT");
    assert_eq!(printed(&quiet(hook.wait_exit())), "JWT");
}

#[test]
fn a_session_started_from_the_dashboard_goes_on_when_the_hub_is_replaced() {
    let ann = Account::new();
    ann.home.create().unwrap();
    // As good as Claude Code for as long as nobody has said anything.
    let agent = ann.systemd.home().join("agent");
    fs::write(&agent, "#!/bin/sh\nexec cat > /dev/null\n").unwrap();
    fs::set_permissions(&agent, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config = json!({"start_in": [ann.systemd.home()], "command": [agent]});
    let line = |name: &str| format!("{name} = {}\n", config[name]);
    let config = format!("[run]\n{}{}", line("start_in"), line("command"));
    fs::write(ann.home.config(), config).unwrap();
    ann.done(&["service", "install"]);
    let body = json!({"directory": ann.systemd.home(), "text": "Hello",
        "idempotencyKey": "one"});
    let started = ann.plain(Power::Person, "POST", "/sessions/start", Some(&body));
    assert!(started.status < 300, "{started:?}");
    let runner = || -> Option<u32> {
        let found = ann.systemd.command("pgrep").args(["-f", "run --detached"]).output().unwrap();
        String::from_utf8(found.stdout).unwrap().trim().parse().ok()
    };
    let runs = wait("process that runs the session", runner);
    ann.done(&["service", "install"]);
    assert_eq!(runner(), Some(runs));
    assert!(ann.systemd.systemctl(&["status", "handraise"]).contains("run --detached"));
    ann.done(&["service", "remove"]);
    assert_eq!(runner(), Some(runs));
}

#[test]
fn what_is_installed_as_a_service_is_started_as_one_when_a_hook_needs_it() {
    let ann = Account::new();
    ann.home.create().unwrap();
    fs::write(ann.home.config(), "hub.autostart = true\n").unwrap();
    ann.done(&["service", "install"]);
    let before = ann.hub_pid();
    let _ = ann.systemd.systemctl(&["stop", "handraise"]);
    let hook = Program::spawn(&mut ann.command(&["hook", "claude"]), &asked().to_string());
    wait("hub", || (ann.hub_pid() != before).then_some(()));
    let main = ann.systemd.systemctl(&["show", "--property=MainPID", "--value", "handraise"]);
    assert_eq!(main, ann.hub_pid().to_string());
    let id = wait("question at the hub", || ann.open().pop());
    ann.answer(&id, "JWT");
    assert_eq!(printed(&quiet(hook.wait_exit())), "JWT");
}

#[test]
fn a_hub_that_was_started_beside_the_service_is_named_and_hands_over() {
    let ann = Account::new();
    ann.done(&["service", "install"]);
    let served = ann.run(&["serve"]);
    assert_eq!(served.status.code(), Some(2));
    assert!(served.stderr.contains("a hub is already running"), "{}", served.stderr);
    let _ = ann.systemd.systemctl(&["stop", "handraise"]);
    let beside = Program::spawn(&mut ann.command(&["serve", "--json"]), "");
    let _ = beside.first_line().unwrap();
    // The service tries, and leaves it to the one that is there.
    let _ = ann.systemd.systemctl(&["start", "--no-block", "handraise"]);
    let named = format!("process {}", ann.hub_pid());
    wait("word of the other hub", || {
        let status = ann.run(&["service", "status"]);
        let does_not_run = status.stdout.contains("does not run; another one does");
        (does_not_run && status.stdout.contains(&named)).then_some(())
    });
    wait("word of the doctor's", || {
        let doctor = ann.run(&["doctor"]).stdout;
        doctor.contains(&format!("another hub runs for this home ({named})")).then_some(())
    });
    ann.done(&["service", "install"]);
    assert_eq!(beside.wait_exit().status.code(), Some(0));
    assert_eq!(ann.status()["pid"], ann.hub_pid());
}
