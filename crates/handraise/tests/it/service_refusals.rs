//! What `handraise service` does not touch, and what it says instead.

use std::fs;

use handraise_client::Home;
use handraise_testkit::Program;

use crate::service_scene::Account;

#[test]
fn what_is_removed_is_gone_and_the_home_stays() {
    let ann = Account::new();
    assert_eq!(ann.done(&["service", "remove"]), "No service is installed.\n");
    assert_eq!(ann.run(&["service", "status"]).status.code(), Some(6));
    ann.done(&["service", "install"]);
    let said = ann.done(&["service", "remove"]);
    assert!(said.contains("The hub is stopped"), "{said}");
    assert!(!ann.unit().exists());
    assert!(ann.home.database().exists());
    let units = ann.systemd.systemctl(&["list-unit-files", "--no-legend"]);
    assert!(!units.contains("handraise"), "{units}");
    assert_eq!(ann.run(&["list"]).status.code(), Some(6), "no hub is left");
    assert_eq!(ann.status()["installed"], false);
}

#[test]
fn a_service_of_somebody_elses_is_left_alone() {
    let ann = Account::new();
    fs::create_dir_all(ann.unit().parent().unwrap()).unwrap();
    let theirs = "[Service]\nExecStart=/bin/true\n";
    fs::write(ann.unit(), theirs).unwrap();
    for command in ["install", "remove"] {
        let refused = ann.run(&["service", command]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(refused.stderr.contains("was not written by Handraise"), "{}", refused.stderr);
        assert_eq!(fs::read_to_string(ann.unit()).unwrap(), theirs);
    }
    ann.done(&["service", "install", "--force"]);
    assert_eq!(ann.status()["current"], true);

    // Ours, but for another home: its hub would be gone without a word.
    let other = Home::new(ann.systemd.home().join("other"));
    for command in ["install", "remove"] {
        let refused = Program::run(&mut ann.command_for(&other, &["service", command]));
        assert_eq!(refused.status.code(), Some(2));
        assert!(refused.stderr.contains("is for another home"), "{}", refused.stderr);
    }
    assert!(ann.status()["url"].is_string());
}

#[test]
fn without_a_systemd_nothing_is_written() {
    let ann = Account::new();
    for command in ["install", "remove"] {
        let mut elsewhere = ann.command(&["service", command]);
        let ended = Program::run(elsewhere.env("XDG_RUNTIME_DIR", ann.systemd.home()));
        if command == "install" {
            assert_eq!(ended.status.code(), Some(2));
            assert!(ended.stderr.contains("no systemd runs for your account"), "{}", ended.stderr);
            assert!(ended.stderr.contains("handraise serve"), "{}", ended.stderr);
        }
        assert!(!ann.systemd.home().join(".config").exists());
        assert!(!ann.home.directory().exists());
    }
}

#[test]
fn what_would_be_written_is_shown_and_nothing_is_done() {
    let ann = Account::new();
    let unit = ann.done(&["service", "install", "--print"]);
    assert!(unit.contains("\nRestart=always\n") && unit.contains("\nKillMode=process\n"), "{unit}");
    assert!(!ann.unit().exists());
    ann.done(&["service", "install"]);
    assert_eq!(fs::read_to_string(ann.unit()).unwrap(), unit);
}

#[test]
fn what_cannot_be_a_service_is_said_before_anything_is_done() {
    let mut ann = Account::new();
    let database = format!("sqlite:{}", ann.systemd.home().join("elsewhere.db").display());
    let hub = Program::spawn(&mut ann.command(&["serve", "--json", "--database", &database]), "");
    let _ = hub.first_line();
    let refused = ann.run(&["service", "install"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stderr.contains("a database of its own"), "{}", refused.stderr);
    assert!(!ann.unit().exists());

    let awkward = ann.systemd.home().join("o'neill");
    fs::rename(&ann.program, &awkward).unwrap();
    ann.program = awkward;
    let refused = ann.run(&["service", "install"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stderr.contains("a quote or backslash"), "{}", refused.stderr);
    assert!(!ann.unit().exists());
}

#[test]
fn a_process_that_has_the_number_of_a_hub_that_is_gone_is_left_alone() {
    let ann = Account::new();
    let mut innocent = ann.systemd.command("sh");
    innocent.args(["-c", "echo $$; while sleep 1; do :; done", "serve"]);
    let innocent = Program::spawn(&mut innocent, "");
    let pid = innocent.first_line().unwrap();
    ann.home.create().unwrap();
    // As older hubs write it, which do not say when they were started.
    let left = format!(r#"{{"url":"http://127.0.0.1:1","pid":{pid}}}"#);
    fs::write(ann.home.hub_file(), left).unwrap();
    let ended = ann.run(&["service", "install"]);
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    assert_eq!(ended.stderr, "");
    assert!(ann.systemd.command("kill").args(["-0", &pid]).status().unwrap().success());
}
