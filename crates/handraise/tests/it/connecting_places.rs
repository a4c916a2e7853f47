//! Where settings, program and home are, as `connect claude` meets them: links, modes, odd paths.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use handraise_testkit::Program;

use crate::connecting::{OTHERS, Person, assert_connected, assert_runs, commands, done};

const PROGRAM: &str = env!("CARGO_BIN_EXE_handraise");

#[test]
fn what_is_no_file() {
    let person = Person::new();
    fs::create_dir_all(person.settings()).unwrap();
    assert!(person.refused(&["--yes"], 2).contains("is a directory"));
    fs::remove_dir(person.settings()).unwrap();
    symlink("settings.json", person.settings()).unwrap();
    assert!(person.refused(&["--yes"], 2).contains("cannot read"));
    fs::remove_file(person.settings()).unwrap();
    assert!(person.refused(&["--yes", "--settings", "/dev/null"], 2).contains("not a file"));
}

#[test]
fn what_is_read_only() {
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let person = Person::with("{}");
    mode(&person.settings(), 0o444);
    let error = person.refused(&["--yes"], 2);
    assert!(error.contains("settings.json is read-only"), "{error}");
    assert!(error.contains("hint: make it writable"), "{error}");
    mode(&person.settings(), 0o644);
    mode(&person.path(".claude"), 0o555);
    assert!(person.refused(&["--yes"], 2).contains(".claude is read-only"));
    mode(&person.path(".claude"), 0o755);
    fs::remove_file(person.settings()).unwrap();
    mode(&person.path(".claude"), 0o555);
    assert!(person.refused(&["--yes"], 2).contains(".claude is read-only"));
    mode(&person.path(".claude"), 0o755);
}

#[test]
fn mode_and_owner_are_kept() {
    for mode in [0o600, 0o640, 0o664] {
        let person = Person::with(OTHERS);
        fs::set_permissions(person.settings(), fs::Permissions::from_mode(mode)).unwrap();
        let now = || fs::metadata(person.settings()).unwrap().mode() & 0o7777;
        person.connect();
        assert_eq!(now(), mode);
        person.undo();
        assert_eq!(now(), mode);
    }
    // Only the superuser can give a file away, and so see whether it stays given.
    let person = Person::with(OTHERS);
    if chown(person.settings(), Some(1234), Some(4321)).is_ok() {
        person.connect();
        let now = fs::metadata(person.settings()).unwrap();
        assert_eq!((now.uid(), now.gid()), (1234, 4321));
    }
    let person = Person::new();
    let connect = format!("umask 027; {PROGRAM} connect claude --yes");
    let mut shell = Program::command("/bin/sh", &person.path(""));
    done(Program::run(shell.args(["-c", &connect])));
    assert_eq!(fs::metadata(person.settings()).unwrap().mode() & 0o777, 0o640);
}

#[test]
fn a_link_stays_a_link() {
    for (chain, there) in [
        (&["/dotfiles/claude.json"][..], true),
        (&["../dotfiles/claude.json"], true),
        (&["one", "../.claude/two", "../dotfiles/claude.json"], true),
        (&["../dotfiles/claude.json"], false),
        (&["one", "../dotfiles/deeper/claude.json"], false),
    ] {
        let person = Person::new();
        fs::create_dir(person.path(".claude")).unwrap();
        fs::create_dir(person.path("dotfiles")).unwrap();
        let mut at = person.settings();
        for to in chain {
            let absolute = to.strip_prefix('/').map(|below| person.path(below));
            let to = absolute.unwrap_or_else(|| PathBuf::from(to));
            symlink(&to, &at).unwrap();
            at = at.parent().unwrap().join(to);
        }
        if there {
            fs::write(&at, OTHERS).unwrap();
        }
        person.connect();
        assert!(fs::symlink_metadata(person.settings()).unwrap().is_symlink());
        assert!(!fs::symlink_metadata(&at).unwrap().is_symlink());
        assert_connected(&at);
        assert!(person.connect().contains("is connected already"));
        person.undo();
        assert!(fs::symlink_metadata(person.settings()).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&at).ok().as_deref(), there.then_some(OTHERS));
        assert!(!person.path("dotfiles/deeper").exists());
        assert!(person.path("dotfiles").exists());
    }
}

#[test]
fn a_program_is_named_by_the_link_that_leads_to_it() {
    let person = Person::new();
    fs::create_dir(person.path("bin")).unwrap();
    symlink(PROGRAM, person.path("bin/handraise")).unwrap();
    let path = format!("{}:/usr/bin:/bin", person.path("bin").display());
    for call in ["handraise", "bin/handraise", "./bin/handraise"] {
        let mut shell = Program::command("/bin/sh", &person.path(""));
        shell.env("PATH", &path).args(["-c", &format!("{call} connect claude --yes")]);
        done(Program::run(&mut shell));
        let link = person.path("bin/handraise").display().to_string();
        assert_runs(&person.settings(), &format!("{link} hook claude"));
    }
    assert!(person.connect().contains("Wrote 8 hooks"), "another path is brought up to date");
    assert_connected(&person.settings());
}

#[test]
fn spaces_and_quotes_reach_the_shell_whole() {
    let person = Person::new();
    let bin = person.path("ann's \"own\" $bin");
    let data = person.path("the hub's home").display().to_string();
    fs::create_dir(&bin).unwrap();
    let program = bin.join("handraise");
    // By another process: a file that this one has open to write cannot be run.
    assert!(Command::new("cp").arg(PROGRAM).arg(&program).status().unwrap().success());
    let run = |args: &[&str]| {
        let mut command = Program::command(&program, &person.path(""));
        done(Program::run(command.args(["connect", "claude", "--yes", "--data", &data]).args(args)))
    };
    run(&[]);
    let command = commands(&person.settings())[0].1.clone();
    assert_runs(&person.settings(), &command);
    let words = format!("for word in {command}; do printf '%s\\n' \"$word\"; done");
    let shell = Command::new("/bin/sh").args(["-c", &words]).output().unwrap();
    assert_eq!(
        String::from_utf8(shell.stdout).unwrap(),
        format!("{}\nhook\nclaude\n--data\n{data}\n", program.display())
    );
    assert!(run(&[]).contains("is connected already"));
    run(&["--undo"]);
    assert!(!person.settings().exists());
}

#[test]
fn a_home_that_would_not_be_found_is_named() {
    let person = Person::new();
    let home = person.path("hub");
    done(Program::run(person.command(&["--yes"]).env("HANDRAISE_HOME", &home)));
    assert_runs(&person.settings(), &format!("{PROGRAM} hook claude --data {}", home.display()));
    assert!(home.join("connected").exists());
    let usual = person.path(".local/share/handraise").display().to_string();
    done(person.run(&["--yes", "--data", &usual]));
    assert_connected(&person.settings());
}

#[test]
fn other_settings_than_ones_own() {
    let person = Person::with(OTHERS);
    let project = person.path("project");
    fs::create_dir(&project).unwrap();
    let said = done(Program::run(person.command(&["--project", "--yes"]).current_dir(&project)));
    assert!(said.ends_with("--undo --project\n"), "{said}");
    assert_connected(&project.join(".claude/settings.local.json"));
    assert_eq!(person.text(), OTHERS);
    done(Program::run(person.command(&["--project", "--yes", "--undo"]).current_dir(&project)));
    assert_eq!(fs::read_dir(&project).unwrap().count(), 0);

    let said = done(person.run(&["--settings", "my settings.json", "--yes"]));
    let file = person.path("my settings.json");
    assert!(said.contains(&format!("--undo --settings '{}'", file.display())), "{said}");
    assert_connected(&file);

    let directory = person.path("config");
    done(Program::run(person.command(&["--yes"]).env("CLAUDE_CONFIG_DIR", &directory)));
    assert_connected(&directory.join("settings.json"));
    assert_eq!(person.text(), OTHERS);

    let both = person.run(&["--settings", "x", "--project"]);
    assert_eq!(both.status.code(), Some(2));
    assert!(both.stderr.contains("cannot be used with"), "{}", both.stderr);
}
