//! What would keep the hub of a service from starting is said before anything is done; and what could not
//! be foreseen, in the hub's own words.

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use handraise_testkit::Program;

use crate::service_scene::Account;

/// Runs `service install`, which must refuse with these words and change nothing.
fn refused(ann: &Account, words: &[&str]) {
    let unit = fs::read(ann.unit()).ok();
    let hub = ann.home.hub_file().exists().then(|| ann.hub_pid());
    let ended = ann.run(&["service", "install"]);
    assert_eq!(ended.status.code(), Some(2), "{}{}", ended.stdout, ended.stderr);
    for word in words.iter().chain(&["nothing was changed"]) {
        assert!(ended.stderr.contains(word), "{word}: {}", ended.stderr);
    }
    assert_eq!(ended.stdout, "");
    assert_eq!(fs::read(ann.unit()).ok(), unit);
    assert_eq!(ann.home.hub_file().exists().then(|| ann.hub_pid()), hub);
}

#[test]
fn a_mistake_in_the_configuration_is_named_and_the_hub_that_runs_goes_on() {
    let ann = Account::new();
    ann.home.create().unwrap();
    fs::write(ann.home.config(), "person = \"ann\"\nlisten = 5\n").unwrap();
    refused(&ann, &["config.toml cannot be understood", "line 2, column 10"]);
    fs::write(ann.home.config(), "person = \"ann\"\n").unwrap();
    ann.done(&["service", "install"]);
    fs::write(ann.home.config(), "[hub]\nautostrat = true\n").unwrap();
    refused(&ann, &["config.toml cannot be understood", "line 2", "unknown field `autostrat`"]);
    fs::write(ann.home.config(), "notify.command = []\n").unwrap();
    refused(&ann, &["config.toml cannot be understood", "notify.command: write the program"]);
    assert!(ann.status()["url"].is_string());
}

#[test]
fn an_address_that_another_program_has_is_named() {
    let ann = Account::new();
    ann.home.create().unwrap();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap();
    fs::write(ann.home.config(), format!("listen = \"{taken}\"\n")).unwrap();
    refused(&ann, &[&format!("cannot listen on {taken}"), "name another port"]);
    drop(other);
    ann.done(&["service", "install"]);
    // Its own hub is no other program.
    assert_eq!(ann.home.last_hub().unwrap().url, format!("http://{taken}"));
    ann.done(&["service", "install"]);
    assert_eq!(ann.home.last_hub().unwrap().url, format!("http://{taken}"));
}

#[test]
fn a_database_that_no_hub_would_open_is_named() {
    let ann = Account::new();
    ann.home.create().unwrap();
    fs::write(ann.home.database(), "this is no database, and never was one").unwrap();
    refused(&ann, &["cannot use", "handraise.db", "handraise restore"]);
    fs::remove_file(ann.home.database()).unwrap();
    ann.done(&["service", "install"]);
    ann.done(&["service", "remove"]);
    let newer = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); \
                 db.execute('PRAGMA user_version = 1000'); db.commit()";
    let mut python = Program::command("python3", Path::new("/"));
    let python = Program::run(python.args(["-c", newer]).arg(ann.home.database()));
    assert!(python.status.success(), "{}", python.stderr);
    refused(&ann, &["use the newer Handraise"]);
}

#[test]
fn a_home_that_cannot_be_written_is_named() {
    let ann = Account::new();
    fs::write(ann.home.directory(), "a file").unwrap();
    refused(&ann, &["cannot write", "not a directory"]);
    fs::remove_file(ann.home.directory()).unwrap();
    ann.home.create().unwrap();
    let mount = |options: &str| {
        let mut mount = ann.systemd.command("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(ann.home.directory());
        assert!(mount.status().unwrap().success());
    };
    mount("ro");
    refused(&ann, &["cannot write", "Read-only file system", "--data DIR"]);
}

#[test]
fn a_hub_that_ends_at_once_is_heard_at_once() {
    let ann = Account::new();
    ann.home.create().unwrap();
    // Nothing looks at this before.
    fs::create_dir(ann.home.lock().with_file_name("person.token")).unwrap();
    let ended = ann.run(&["service", "install"]);
    assert_eq!(ended.status.code(), Some(1), "{}{}", ended.stdout, ended.stderr);
    for word in ["its hub ended at once", "error: cannot write", "person.token"] {
        assert!(ended.stderr.contains(word), "{word}: {}", ended.stderr);
    }
    let doctor = ann.run(&["doctor"]).stdout;
    assert!(doctor.contains("the last one did not come up: cannot write"), "{doctor}");
    // It is put right, and what was said of it is forgotten.
    fs::remove_dir(ann.home.lock().with_file_name("person.token")).unwrap();
    ann.done(&["service", "install"]);
    assert!(!ann.home.last_words().exists());
    assert_eq!(ann.status()["current"], true);
}

#[test]
fn what_a_person_has_forbidden_to_start_is_not_started() {
    let ann = Account::new();
    let _ = ann.systemd.systemctl(&["mask", "handraise"]);
    for command in ["install", "remove"] {
        let ended = ann.run(&["service", command]);
        assert_eq!(ended.status.code(), Some(2), "{}", ended.stderr);
        for word in ["is masked", "systemctl --user unmask handraise", "nothing was changed"] {
            assert!(ended.stderr.contains(word), "{word}: {}", ended.stderr);
        }
    }
    let status = ann.run(&["service", "status"]);
    assert!(status.stdout.contains("is masked"), "{}", status.stdout);
    assert!(ann.run(&["doctor"]).stdout.contains("masked"));
    let _ = ann.systemd.systemctl(&["unmask", "handraise"]);
    ann.done(&["service", "install"]);
}

#[test]
fn a_disk_without_room_for_the_unit_is_named() {
    let ann = Account::new();
    let units = ann.unit().parent().unwrap().to_owned();
    fs::create_dir_all(&units).unwrap();
    // One page, and something is on it already.
    let script = "mount -t tmpfs -o size=4096 tmpfs \"$0\" && echo x > \"$0\"/other.service";
    let mounted = ann.systemd.command("sh").args(["-c", script]).arg(&units).status();
    assert!(mounted.unwrap().success());
    let ended = ann.run(&["service", "install"]);
    assert_eq!(ended.status.code(), Some(1), "{}", ended.stderr);
    for word in ["handraise.service: No space left", "make room", "nothing was changed"] {
        assert!(ended.stderr.contains(word), "{word}: {}", ended.stderr);
    }
    let left = ann.systemd.command("ls").arg("-A").arg(&units).output().unwrap().stdout;
    assert_eq!(String::from_utf8(left).unwrap(), "other.service\n");
    assert!(!ann.home.hub_file().exists());
}

#[test]
fn where_no_systemd_answers_it_says_what_to_do_there() {
    let ann = Account::new();
    // In a shell that does not know where it is, and in a container without one.
    let lost = "unset XDG_RUNTIME_DIR; exec \"$@\"";
    let container = "mount -t tmpfs tmpfs /run/systemd; unset XDG_RUNTIME_DIR; exec \"$@\"";
    let place = format!("/run/user/{}", rustix::process::getuid().as_raw());
    let elsewhere = "mkdir -p \"$0/systemd\"; touch \"$0/systemd/private\"; \
                     unset XDG_RUNTIME_DIR; exec \"$@\"";
    for (script, words) in [
        (lost, ["loginctl enable-linger ann", "not by su, sudo or cron", "handraise serve"]),
        (container, ["not run by systemd", "perhaps a container", "autostart = true"]),
        (elsewhere, [place.as_str(), "export XDG_RUNTIME_DIR=/run/user/", "nothing was changed"]),
    ] {
        let mut command = ann.systemd.command("unshare");
        let hidden = "mkdir -p /run/user; mount -t tmpfs tmpfs /run/user; ";
        command.args(["--mount", "sh", "-c", &format!("{hidden}{script}"), &place]);
        command.arg(&ann.program).arg("--data").arg(ann.home.directory());
        let ended = Program::run(command.args(["service", "install"]));
        assert_eq!(ended.status.code(), Some(2), "{}", ended.stderr);
        for word in words {
            assert!(ended.stderr.contains(word), "{word}: {}", ended.stderr);
        }
        assert!(ended.stderr.contains("no systemd runs for your account"), "{}", ended.stderr);
        assert!(!ann.unit().exists() && !ann.home.directory().exists());
    }
}
