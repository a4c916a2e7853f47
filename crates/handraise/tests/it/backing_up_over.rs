//! What `handraise backup --force` replaces, and what it never does.

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use handraise_broker::Hub;
use handraise_testkit::{Program, new_ask};

use crate::hub_at_work::HubAtWork;
use crate::past::run;
use crate::shell::Shell;

fn scene() -> (HubAtWork, Shell) {
    let hub = HubAtWork::start();
    run(async { hub.agent().ask(new_ask(None)).await.unwrap() });
    let shell = Shell::at(&hub.data());
    (hub, shell)
}

fn refused(shell: &Shell, to: &str, problem: &str) {
    let said = shell.run(&format!("handraise backup --force {to}"));
    assert_eq!(said.code, 2, "{to}: {}", said.stderr);
    assert!(said.stderr.contains(problem), "{to}: {}", said.stderr);
    assert!(said.stderr.contains("hint: name another file"), "{to}: {}", said.stderr);
}

#[test]
fn devices_pipes_and_sockets_are_no_place_for_a_backup() {
    let (_hub, shell) = scene();
    let in_shell = |name: &str| shell.directory().join(name);
    assert_eq!(shell.run("mkfifo pipe").code, 0);
    let _socket = UnixListener::bind(in_shell("socket")).unwrap();
    // No device of the system: a test that fails must not harm it.
    symlink("pipe", in_shell("to-pipe")).unwrap();
    symlink("nowhere", in_shell("to-nothing")).unwrap();
    refused(&shell, "pipe", "is a device, a pipe or a socket, not a file");
    refused(&shell, "socket", "is a device, a pipe or a socket, not a file");
    refused(&shell, "to-pipe", "is a link to a device, a pipe or a socket");
    refused(&shell, "to-nothing", "is a link that leads nowhere");
    let kind = |name: &str| fs::symlink_metadata(in_shell(name)).unwrap().file_type();
    assert!(kind("pipe").is_fifo() && kind("socket").is_socket());
    assert!(kind("to-pipe").is_symlink() && kind("to-nothing").is_symlink());
}

#[test]
fn the_hubs_own_files_are_not_replaced_by_whatever_name() {
    let (mut hub, shell) = scene();
    let home = hub.process().home().clone();
    fs::create_dir(home.directory().join("interviews")).unwrap();
    fs::write(home.directory().join("interviews/one.json"), "{}").unwrap();
    let kept = home.directory().join("handraise.db.before-restore-20261116T220000Z");
    fs::copy(home.database(), &kept).unwrap();
    let in_shell = |name: &str| shell.directory().join(name);
    fs::hard_link(home.directory().join("agent.token"), in_shell("hard")).unwrap();
    fs::hard_link(home.database(), in_shell("hard.db")).unwrap();
    symlink(home.config(), in_shell("soft")).unwrap();
    symlink(home.directory(), in_shell("way")).unwrap();
    let own = |name: &str| fs::read(home.directory().join(name)).unwrap();
    let names = ["agent.token", "person.token", "config.toml", "hub.json", "interviews/one.json"];
    let before = names.map(own);
    for name in names.iter().chain(&["hub.lock", "handraise.db-lock"]) {
        refused(&shell, &format!("way/{name}"), "is one of the hub's own files");
    }
    let aside = kept.file_name().unwrap().to_str().unwrap();
    refused(&shell, &format!("way/{aside}"), "is a database that a restore has kept");
    refused(&shell, "way/handraise.db-restoring", "is one of the hub's own files");
    let parent = home.directory().file_name().unwrap().to_str().unwrap();
    refused(&shell, &format!("way/../{parent}/config.toml"), "is one of the hub's own files");
    refused(&shell, "hard", "is one of the hub's own files");
    refused(&shell, "soft", "is one of the hub's own files");
    refused(&shell, "hard.db", "is the database itself");
    assert_eq!(names.map(own), before);

    // A backup that somebody keeps there is theirs.
    for _ in 0..2 {
        let said = shell.run("handraise backup --force way/mine.db");
        assert_eq!(said.code, 0, "{}", said.stderr);
    }
    // A database with a second name is refused at the start.
    fs::remove_file(in_shell("hard.db")).unwrap();
    hub.kill();
    hub.restart();
    assert!(Program::run(hub.process().command().args(["audit", "verify"])).status.success());
}

#[test]
fn behind_a_link_the_file_is_replaced_and_not_the_link() {
    let (_hub, shell) = scene();
    let file: PathBuf = shell.directory().join("disk/b.db");
    fs::create_dir(file.parent().unwrap()).unwrap();
    fs::write(&file, "an older one").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    symlink("disk/b.db", shell.directory().join("latest.db")).unwrap();
    let said = shell.run("handraise backup latest.db");
    assert_eq!((said.code, said.stderr.contains("is there already")), (2, true), "{}", said.stderr);
    let said = shell.run("handraise backup --force latest.db");
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(said.stdout.contains("disk/b.db"), "{}", said.stdout);
    let link = fs::read_link(shell.directory().join("latest.db")).unwrap();
    assert_eq!(link, Path::new("disk/b.db"));
    assert!(fs::read(&file).unwrap().starts_with(b"SQLite format 3\0"));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
}
