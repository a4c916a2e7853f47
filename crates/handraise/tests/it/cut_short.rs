//! Hubs that were ended without any warning: while they started, and with work in their hands.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use handraise_broker::{BUILT_IN, Power};
use handraise_testkit::{Chance, HubProcess, Program};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_handraise");
/// The person, the token that all agents shared, and the agents.
const DEVICES: usize = 2 + BUILT_IN.len();

fn ask(hub: &HubProcess, key: &str) -> u16 {
    let body = json!({"asker": {"agent": "test"}, "key": key, "questions": [{"question": "Why?"}]});
    hub.plain(Power::Agent, "POST", "/asks", Some(&body)).status
}

fn open(hub: &HubProcess) -> usize {
    hub.plain(Power::Agent, "GET", "/asks?limit=500", None).body["asks"].as_array().unwrap().len()
}

/// The file beside the database whose name ends like this.
fn beside(hub: &HubProcess, end: &str) -> PathBuf {
    let mut name = hub.home().database().into_os_string();
    name.push(end);
    name.into()
}

fn audit(hub: &HubProcess) -> Value {
    let ended = Program::run(hub.command().args(["audit", "verify", "--json"]));
    assert!(ended.status.success(), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

#[test]
fn a_first_start_may_be_killed_at_any_moment() {
    let seed = Chance::any_seed();
    println!("seed {seed}");
    let mut chance = Chance::new(seed);
    for _ in 0..5 {
        let mut hub = HubProcess::prepare(Path::new(PROGRAM));
        for _ in 0..6 {
            hub.launch();
            // Waits for nothing: the kill is to fall anywhere in the start.
            thread::sleep(Duration::from_micros(chance.below(30_000) as u64));
            hub.kill();
        }
        hub.restart();
        assert_eq!(ask(&hub, "at last"), 201);
        let devices = hub.plain(Power::Person, "GET", "/devices", None).body;
        assert_eq!(devices["devices"].as_array().unwrap().len(), DEVICES, "{devices}");
        assert_eq!(audit(&hub)["events"], DEVICES + 1);
    }
}

#[test]
fn what_a_killed_hub_left_in_the_write_ahead_log_is_there() {
    let mut hub = HubProcess::start(Path::new(PROGRAM));
    for number in 0..10 {
        assert_eq!(ask(&hub, &number.to_string()), 201);
    }
    hub.kill();
    let left = std::fs::metadata(beside(&hub, "-wal")).unwrap().len();
    assert!(left > 0, "nothing was left behind, so nothing is shown");
    assert_eq!(audit(&hub)["events"], DEVICES + 10, "it is read without a hub");

    // A machine that was switched off has no shared memory file, or one that makes no sense.
    std::fs::write(beside(&hub, "-shm"), b"nonsense").unwrap();
    hub.restart();
    assert_eq!(open(&hub), 10);
    hub.kill();
    std::fs::remove_file(beside(&hub, "-shm")).unwrap();
    hub.restart();
    assert_eq!(open(&hub), 10);
    assert_eq!(ask(&hub, "9"), 200, "asked before");
    assert_eq!(ask(&hub, "10"), 201);

    assert!(hub.stop().status.success());
    assert!(!beside(&hub, "-wal").exists(), "a hub that is stopped leaves one tidy file");
    assert_eq!(audit(&hub)["events"], DEVICES + 11);
}

#[test]
fn half_a_commit_at_the_end_of_the_write_ahead_log_was_acknowledged_to_nobody() {
    let mut hub = HubProcess::start(Path::new(PROGRAM));
    assert_eq!(ask(&hub, "whole"), 201);
    let whole = std::fs::metadata(beside(&hub, "-wal")).unwrap().len();
    assert_eq!(ask(&hub, "half"), 201);
    hub.kill();
    // As if the power had gone before the second one was on the disk, and so before it was said.
    let wal = std::fs::OpenOptions::new().write(true).open(beside(&hub, "-wal")).unwrap();
    let now = wal.metadata().unwrap().len();
    assert!(now > whole);
    wal.set_len(whole + (now - whole) / 2).unwrap();
    hub.restart();
    assert_eq!(open(&hub), 1);
    assert_eq!(ask(&hub, "half"), 201, "asked again, it is asked for the first time");
    assert_eq!(audit(&hub)["events"], DEVICES + 2);
}
