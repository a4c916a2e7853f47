//! Taps on the shoulder where there is no desktop: a program of one's own, a terminal, and none.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use handraise_testkit::{Desktop, HubProcess, PATIENCE, Program, Pty, approval};
use serde_json::{Value, json};

use crate::notifying_scene::{Scene, answer, ask, new_ask, notes, wait_lines};

#[test]
fn a_program_of_ones_own_is_told_what_happens() {
    let directory = tempfile::tempdir().unwrap();
    let (program, file) = notes(directory.path());
    let config = format!("[notify]\ncommand = ['{}']", program.display());
    let (hub, runtime) = Scene::hub_alone(&config);
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0");
    let record = ask(&hub, &runtime, new_ask("api", &[&format!("Use {token}?")]));
    let opened = &wait_lines(&file, 1)[0];
    assert_eq!((&opened["event"], &opened["reason"]), (&json!("opened"), &json!("opened")));
    assert_eq!(opened["id"], record.id.to_string());
    assert_eq!(opened["state"], "open");
    assert_eq!(opened["asker"]["directory"], "/dev/api");
    assert_eq!(opened["questions"][0]["question"], "Use [hidden]?");
    answer(&hub, &runtime, record.id);
    let withdrawn = &wait_lines(&file, 2)[1];
    assert_eq!(
        (&withdrawn["event"], &withdrawn["reason"]),
        (&json!("withdrawn"), &json!("answered"))
    );
    assert_eq!(withdrawn["id"], record.id.to_string());
    // What a tool is called with is nobody's business outside.
    let input =
        json!({"tool": "Bash", "input": {"command": "deploy --now"}, "description": "Deploy"});
    let matter = approval(&input.to_string());
    ask(&hub, &runtime, handraise_broker::NewAsk { matter, ..new_ask("api", &["?"]) });
    let asked = &wait_lines(&file, 3)[2];
    assert_eq!(asked["approval"], json!({"tool": "Bash", "description": "Deploy"}));
    let told = fs::read_to_string(&file).unwrap();
    for power in [handraise_broker::Power::Agent, handraise_broker::Power::Person] {
        assert!(!told.contains(hub.home().token(power).unwrap().reveal()));
    }
}

#[test]
fn a_program_that_fails_or_is_not_there_harms_nobody() {
    let (mut hub, runtime) = Scene::hub_alone("[notify]\ncommand = ['/no/such/program']");
    let record = ask(&hub, &runtime, new_ask("api", &["One?"]));
    hub.wait_said("/no/such/program cannot be run");
    answer(&hub, &runtime, record.id);
    assert_eq!(hub.stop().status.code(), Some(0));
    // One that never ends does not keep the hub from stopping, nor from being answered.
    let (mut hub, runtime) = Scene::hub_alone("[notify]\ncommand = ['sleep', '1000']");
    let record = ask(&hub, &runtime, new_ask("api", &["One?"]));
    answer(&hub, &runtime, record.id);
    assert_eq!(hub.stop().status.code(), Some(0));
}

#[test]
fn a_hub_without_a_bus_is_as_it_always_was() {
    let (mut hub, runtime) = Scene::hub_alone("");
    let record = ask(&hub, &runtime, new_ask("api", &["One?"]));
    answer(&hub, &runtime, record.id);
    let files = fs::read_dir(hub.home().directory()).unwrap();
    let names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().contains("notif")), "{names:?}");
    let ended = hub.stop();
    assert_eq!((ended.status.code(), ended.stderr.as_str()), (Some(0), ""));
    // A bus that is named and not there is no trouble either, unless somebody wants it.
    let (mut hub, runtime) = Scene::hub_alone("");
    hub.stop();
    hub.set_variable("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    hub.restart();
    let record = ask(&hub, &runtime, new_ask("api", &["One?"]));
    answer(&hub, &runtime, record.id);
    let ended = hub.stop();
    assert_eq!((ended.status.code(), ended.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_hub_in_a_terminal_rings_there() {
    let program = Path::new(env!("CARGO_BIN_EXE_handraise"));
    let hub = HubProcess::prepare(program);
    hub.home().create().unwrap();
    fs::write(hub.home().config(), "[notify]\nterminal = 'osc9'").unwrap();
    let home = hub.home().directory().display().to_string();
    let args = [program.to_str().unwrap(), "--data", &home, "serve", "--listen", "127.0.0.1:0"];
    let pty = Pty::spawn(&args, hub.directory(), &[], (80, 24));
    pty.wait_for("is up");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    ask(&hub, &runtime, new_ask("api", &["One?"]));
    let (wanted, start) = ("\u{1b}]9;api · Rework the login: Auth: One?\u{7}", Instant::now());
    while !String::from_utf8_lossy(&pty.raw()).contains(wanted) {
        assert!(start.elapsed() < PATIENCE, "{:?}", String::from_utf8_lossy(&pty.raw()));
        thread::sleep(Duration::from_millis(10));
    }
}

/// What the doctor says of notifications, with this in the configuration and in the environment.
fn doctors_word(config: &str, bus: Option<&str>) -> Vec<(String, String)> {
    let mut hub = HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise")));
    hub.home().create().unwrap();
    fs::write(hub.home().config(), config).unwrap();
    if let Some(bus) = bus {
        hub.set_variable("DBUS_SESSION_BUS_ADDRESS", bus);
    }
    let said = Program::run(hub.command().args(["doctor", "--json"])).stdout;
    let findings: Vec<Value> = serde_json::from_str(&said).unwrap();
    let about = findings.iter().filter(|finding| finding["what"] == "notify");
    let word = |finding: &Value, name: &str| finding[name].as_str().unwrap().to_owned();
    about.map(|finding| (word(finding, "health"), word(finding, "found"))).collect()
}

#[test]
fn the_doctor_tries_every_way() {
    let desktop = Desktop::start();
    let directory = tempfile::tempdir().unwrap();
    let (program, file) = notes(directory.path());
    let command = format!("[notify]\ncommand = ['{}']\nterminal = 'bell'", program.display());
    let tried = doctors_word(&command, Some(desktop.bus()));
    let found = "tried: desktop (shown and taken down by dunst), terminal (not rung: there is none \
                 here), command (run with a probe)";
    assert_eq!(tried, [("well".to_owned(), found.to_owned())]);
    assert_eq!(wait_lines(&file, 1), [json!({"event": "probe", "reason": "doctor"})]);
    assert_eq!((desktop.times_shown(), desktop.shown()), (1, vec![]));
}

#[test]
fn the_doctor_says_what_does_not_work_and_a_machine_without_desktop_is_well() {
    let (health, _) = &doctors_word("", None)[0];
    assert_eq!(health, "well");
    let nobody = Desktop::without_daemon();
    let wanted = "[notify]\ndesktop = true\ncommand = ['false']";
    for (config, bus, found) in [
        ("", Some(nobody.bus()), vec![("well", "no desktop here")]),
        ("[notify]\ndesktop = true", None, vec![("wrong", "desktop: there is no session bus")]),
        (
            wanted,
            Some(nobody.bus()),
            vec![
                ("wrong", "desktop: no program on the session bus shows notifications"),
                ("wrong", "command: false failed (exit status: 1)"),
            ],
        ),
    ] {
        let said = doctors_word(config, bus);
        assert_eq!(said.len(), found.len(), "{said:?}");
        for ((health, words), (expected, begin)) in said.iter().zip(found) {
            assert_eq!(health, expected, "{words}");
            assert!(words.starts_with(begin), "{words}");
        }
    }
}
