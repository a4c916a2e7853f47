//! Commands that act as a person do not run inside an agent, and run everywhere else.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use handraise_testkit::Tmux;
use serde_json::json;

use crate::watched_hub::{WatchedHub, handraise};

/// Every command that acts as a person, and its name in the log.
fn commands(id: &str) -> Vec<(&'static str, Vec<&str>)> {
    vec![
        ("answer", vec!["answer", id, "--choose", "SQLite"]),
        ("decline", vec!["decline", id]),
        ("discuss", vec!["discuss", id, "let us talk"]),
        ("extend", vec!["extend", id, "5m"]),
        ("chat", vec!["chat"]),
        ("link", vec!["link"]),
        ("device list", vec!["device", "list"]),
        ("device add", vec!["device", "add", "a page"]),
        ("device revoke", vec!["device", "revoke", id]),
        ("backup", vec!["backup", "backup.db"]),
        ("restore", vec!["restore", "backup.db"]),
        ("service install", vec!["service", "install"]),
        ("service remove", vec!["service", "remove"]),
    ]
}

fn assert_refused(output: &Output, command: &str, sign: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{command}: {said}");
    assert!(output.stdout.is_empty(), "{command}: {output:?}");
    assert!(said.contains("acts as a person and does not run inside an agent"), "{said}");
    assert!(said.contains(sign), "{said}");
}

#[test]
fn what_an_agent_puts_into_the_environment_gives_it_away() {
    let hub = WatchedHub::start();
    let id = hub.ask();
    for (variable, value) in [("CLAUDECODE", "1"), ("AI_AGENT", "1"), ("CODEX_SANDBOX", "seatbelt")]
    {
        for (command, args) in commands(&id) {
            let output = handraise(&hub.home()).args(args).env(variable, value).output().unwrap();
            let sign = format!("{variable} is set");
            assert_refused(&output, command, &sign);
            assert!(String::from_utf8_lossy(&output.stderr).contains("the attempt was noted"));
            let noted = hub.refusal("inside_agent", &format!("handraise {command} ({sign})"));
            assert_eq!(noted["device"], "cli", "{noted}");
        }
    }
    assert_eq!(hub.look(&id)["state"], "open");
    hub.end();
}

/// A shell under another name, as good as any program that runs commands.
fn shell_called(name: &str, directory: &Path) -> std::path::PathBuf {
    fs::create_dir_all(directory).unwrap();
    let copy = directory.join(name);
    fs::copy("/bin/sh", &copy).unwrap();
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    copy
}

#[test]
fn an_agent_among_the_ancestors_is_found_however_far_above() {
    let hub = WatchedHub::start();
    let id = hub.ask();
    let claude = shell_called("claude", &hub.place().join("bin"));
    for (command, args) in commands(&id) {
        // Through two more shells, each of which lives on, with nothing in the environment.
        let inner = r#"sh -c '"$0" "$@"; exit $?' "$0" "$@"; exit $?"#;
        let output = Command::new(&claude)
            .env_clear()
            .args(["-c", r#"sh -c "$INNER" "$0" "$@"; exit $?"#])
            .env("INNER", inner)
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .arg(env!("CARGO_BIN_EXE_handraise"))
            .args(args)
            .arg("--data")
            .arg(hub.home())
            .output()
            .unwrap();
        assert_refused(&output, command, "run by claude");
        hub.refusal("inside_agent", &format!("handraise {command} (run by claude)"));
    }
    assert_eq!(hub.look(&id)["state"], "open");
    hub.end();
}

#[test]
fn without_a_hub_it_is_refused_as_well_but_nothing_is_said_to_be_noted() {
    let directory = tempfile::tempdir().unwrap();
    let mut answer = handraise(directory.path());
    let output = answer.args(["answer", "1f9c2a7b"]).env("CLAUDECODE", "1").output().unwrap();
    assert_refused(&output, "answer", "CLAUDECODE is set");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("noted"), "{output:?}");
}

#[test]
fn an_agent_may_still_ask_and_look() {
    let hub = WatchedHub::start();
    hub.ask();
    for args in [&["list"][..], &["history"], &["status"], &["audit", "verify"], &["export"]] {
        let output = handraise(&hub.home()).args(args).env("CLAUDECODE", "1").output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
    }
    assert_eq!(hub.refused(), [""; 0]);
    hub.end();
}

/// In tmux, where whoever runs the tests is no ancestor.
#[test]
fn a_person_at_a_terminal_is_no_agent_even_in_a_directory_named_after_one() {
    let hub = WatchedHub::start();
    let tmux = Tmux::start(hub.place(), (200, 50));
    let program = env!("CARGO_BIN_EXE_handraise");
    let home = hub.home().display().to_string();
    let id = hub.ask();
    tmux.type_line(&format!("clear; {program} answer {id} --choose SQLite --data {home}"));
    tmux.wait_for("✔ Database: SQLite");
    assert_eq!(hub.look(&id)["resolution"]["answers"][0]["selected"], json!(["SQLite"]));

    // A goose is also a bird, and this one's shell and scripts live in its home.
    let shell = shell_called("zsh", &hub.place().join("goose/claude/bin"));
    let script = hub.place().join("goose/claude/gemini/answer.py");
    fs::create_dir_all(script.parent().unwrap()).unwrap();
    fs::write(
        &script,
        "import subprocess, sys\nsys.exit(subprocess.run(sys.argv[1:]).returncode)\n",
    )
    .unwrap();
    let id = hub.ask();
    let (shell, script) = (shell.display(), script.display());
    tmux.type_line(&format!(
        "clear; {shell} -c 'python3 {script} {program} decline {id} --data {home}; echo code=$?'"
    ));
    tmux.wait_for("code=0");
    assert_eq!(hub.look(&id)["resolution"]["kind"], "declined");
    assert_eq!(hub.refused(), [""; 0]);
    hub.end();
}
