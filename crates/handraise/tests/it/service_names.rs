//! A home is one, by whatever path it is called.

use std::fs;
use std::os::unix::fs::symlink;

use handraise_client::Home;
use handraise_testkit::Program;
use serde_json::Value;

use crate::hook_events::{asked, printed, quiet};
use crate::service_scene::{Account, wait};

/// The home of an account, by other names than the one it is usually called by.
fn other_names(ann: &Account) -> Vec<Home> {
    let (place, link) = (ann.systemd.home(), ann.systemd.home().join("a link"));
    symlink(ann.home.directory(), &link).unwrap();
    symlink(&place, place.join("place")).unwrap();
    let name = ann.home.directory().file_name().unwrap();
    let around = place.join("50% off $HOME; ü/..").join(name);
    [link, around, place.join("place").join(name), place.join(".").join(name)].map(Home::new).into()
}

#[test]
fn a_service_is_known_by_every_name_of_its_home() {
    let ann = Account::new();
    ann.done(&["service", "install"]);
    let names = other_names(&ann);
    for home in &names {
        let run = |args: &[&str]| Program::run(&mut ann.command_for(home, args));
        let status: Value =
            serde_json::from_str(&run(&["service", "status", "--json"]).stdout).unwrap();
        for yes in ["installed", "forThisHome", "current", "enabled"] {
            assert_eq!(status[yes], true, "{home:?} {status}");
        }
        assert_eq!(status["url"], ann.home.last_hub().unwrap().url, "{home:?}");
        let again = run(&["service", "install"]);
        assert_eq!(again.status.code(), Some(0), "{home:?} {}", again.stderr);
    }
    let doctor = Program::run(&mut ann.command_for(&names[0], &["doctor"])).stdout;
    assert!(doctor.contains("✔ service      its hub runs this program"), "{doctor}");
    // Installed by one name, removed by another: there is only the one.
    let removed = ann.done(&["service", "remove"]);
    assert!(removed.contains("The hub is stopped"), "{removed}");
    assert!(!ann.unit().exists());
    for home in &names {
        let status = Program::run(&mut ann.command_for(home, &["service", "status"]));
        assert_eq!(status.status.code(), Some(6), "{home:?} {}", status.stdout);
    }
}

#[test]
fn a_hook_that_calls_the_home_by_another_name_starts_the_service() {
    let ann = Account::new();
    ann.home.create().unwrap();
    fs::write(ann.home.config(), "hub.autostart = true\n").unwrap();
    ann.done(&["service", "install"]);
    let before = ann.hub_pid();
    let _ = ann.systemd.systemctl(&["stop", "handraise"]);
    let link = other_names(&ann).remove(0);
    let hook =
        Program::spawn(&mut ann.command_for(&link, &["hook", "claude"]), &asked().to_string());
    wait("hub", || (ann.hub_pid() != before).then_some(()));
    let main = ann.systemd.systemctl(&["show", "--property=MainPID", "--value", "handraise"]);
    assert_eq!(main, ann.hub_pid().to_string());
    let id = wait("question at the hub", || ann.open().pop());
    ann.answer(&id, "JWT");
    assert_eq!(printed(&quiet(hook.wait_exit())), "JWT");
}
