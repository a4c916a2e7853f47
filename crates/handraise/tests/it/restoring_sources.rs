//! `handraise restore` of a file in the home itself: it works or is refused, and the file stays.

use std::fs;
use std::path::Path;

use handraise_broker::{AskId, Hub};
use handraise_testkit::{Program, answers, new_ask};
use serde_json::json;

use crate::hub_at_work::HubAtWork;
use crate::past::run;
use crate::shell::Shell;

fn ask(hub: &HubAtWork) -> AskId {
    run(async {
        let id = hub.agent().ask(new_ask(None)).await.unwrap().record.id;
        let jwt = answers(json!([{"selected": ["JWT"]}]));
        hub.person().reply(id, jwt, None).await.unwrap();
        id
    })
}

#[test]
fn a_file_that_restores_work_with_is_restored_and_stays() {
    let mut hub = HubAtWork::start();
    let shell = Shell::at(&hub.data());
    let kept = ask(&hub);
    assert_eq!(shell.run("handraise backup b.db").code, 0);
    let home = hub.process().home().clone();
    let backup = fs::read(shell.directory().join("b.db")).unwrap();
    std::os::unix::fs::symlink(home.directory(), shell.directory().join("way")).unwrap();
    // As a restore that was killed has left it, or as somebody has called it.
    for name in ["handraise.db-restoring", "handraise.db-restoring-2"] {
        for by in [home.directory().join(name), shell.directory().join("way").join(name)] {
            let lost = ask(&hub);
            hub.kill();
            let source = home.directory().join(name);
            fs::write(&source, &backup).unwrap();
            let said = shell.run(&format!("handraise restore {}", by.display()));
            assert_eq!(said.code, 0, "{name}: {}", said.stderr);
            assert_eq!(fs::read(&source).unwrap(), backup, "{name} stays as it is");
            hub.restart();
            assert!(run(async { hub.agent().get(kept).await }).is_ok(), "{name}");
            assert!(run(async { hub.agent().get(lost).await }).is_err(), "{name}");
        }
    }
    // The next one cleans up.
    hub.kill();
    assert_eq!(shell.run("handraise restore b.db").code, 0);
    let left = fs::read_dir(home.directory()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().contains("-restoring")).collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn what_an_earlier_restore_has_kept_can_be_restored_and_stays() {
    let mut hub = HubAtWork::start();
    let shell = Shell::at(&hub.data());
    assert_eq!(shell.run("handraise backup b.db").code, 0);
    let later = ask(&hub);
    hub.kill();
    let said = shell.run("handraise restore b.db --json");
    let said: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let aside = Path::new(said["before"].as_str().unwrap()).to_owned();
    let before = fs::read(&aside).unwrap();
    for _ in 0..2 {
        let said = shell.run(&format!("handraise restore {}", aside.display()));
        assert_eq!(said.code, 0, "{}", said.stderr);
        assert_eq!(fs::read(&aside).unwrap(), before);
    }
    hub.restart();
    assert!(run(async { hub.agent().get(later).await }).is_ok());
    assert!(Program::run(hub.process().command().args(["audit", "verify"])).status.success());
}

#[test]
fn the_database_is_no_backup_of_itself() {
    let mut hub = HubAtWork::start();
    let shell = Shell::at(&hub.data());
    let kept = ask(&hub);
    hub.kill();
    let home = hub.process().home().clone();
    fs::hard_link(home.database(), shell.directory().join("hard.db")).unwrap();
    let parts = ["handraise.db", "handraise.db-wal"].map(|name| home.directory().join(name));
    let before = parts.clone().map(|part| fs::read(part).unwrap());
    for name in [&parts[0], &parts[1], Path::new("hard.db")] {
        let said = shell.run(&format!("handraise restore {}", name.display()));
        assert_eq!(said.code, 2, "{}", said.stderr);
        assert!(said.stderr.contains("is the database itself, no backup"), "{}", said.stderr);
        assert!(said.stderr.contains("nothing was changed"), "{}", said.stderr);
    }
    for other in ["hub.json", "handraise.db-lock", "agent.token"] {
        let file = home.directory().join(other);
        let was = fs::read(&file).unwrap();
        let said = shell.run(&format!("handraise restore {}", file.display()));
        assert_eq!(said.code, 1, "{other}: {}", said.stderr);
        assert_eq!(fs::read(&file).unwrap(), was, "{other}");
    }
    assert_eq!(parts.map(|part| fs::read(part).unwrap()), before);
    // A hub uses a database of one name only.
    fs::remove_file(shell.directory().join("hard.db")).unwrap();
    hub.restart();
    assert!(run(async { hub.agent().get(kept).await }).is_ok());
}
