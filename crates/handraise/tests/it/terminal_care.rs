//! The terminal is left as it was found, on every way out.

use std::process::Command;

use handraise_testkit::Key::{Ctrl, Down, Enter, Text};
use handraise_testkit::{Pty, Screen};
use serde_json::json;

use crate::asking::{Asking, Place, database, two_questions};

fn assert_sane(screen: &Screen, raw: &[u8]) {
    let raw = String::from_utf8_lossy(raw);
    let last = |on: &str, off: &str| raw.rfind(on) < raw.rfind(off);
    assert!(!screen.inner().hide_cursor(), "the cursor is shown");
    assert!(!screen.inner().bracketed_paste(), "pastes are no longer marked");
    assert!(last("\x1b[?7l", "\x1b[?7h"), "lines wrap again: {raw:?}");
}

#[test]
fn after_an_answer_an_interrupt_and_a_signal() {
    let mut asking = Asking::start(&database());
    asking.press(&[Enter]);
    asking.pty.wait_exit();
    assert_sane(&asking.pty.screen(), &asking.pty.raw());

    let mut asking = Asking::start(&database());
    asking.press(&[Text("4")]).see("Please specify").press(&[Text("half a wo"), Ctrl('c')]);
    asking.pty.wait_exit();
    assert_sane(&asking.pty.screen(), &asking.pty.raw());

    for (signal, name) in [("TERM", "Terminated"), ("HUP", "Hangup"), ("INT", "Interrupt")] {
        let asking = Asking::start(&database());
        let pid = asking.pty.pid().to_string();
        assert!(
            Command::new("kill").args([&format!("-{signal}"), &pid]).status().unwrap().success()
        );
        let mut asking = asking;
        asking.pty.wait_exit();
        assert_sane(&asking.pty.screen(), &asking.pty.raw());
        let asked = asking.end();
        assert_eq!(asked.signal.as_deref(), Some(name), "the caller sees the true cause");
        assert_eq!(asked.stdout, "");
    }
}

/// An interactive shell, the way a person runs it.
fn shell(ask: &serde_json::Value) -> (Pty, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("ask.json"), ask.to_string()).unwrap();
    let place = Place::default();
    let mut env = place.env.to_vec();
    env.push(("PS1", "ready$ "));
    let bash = ["bash", "--norc", "--noprofile", "-i"];
    let pty = Pty::spawn(&bash, directory.path(), &env, place.size);
    pty.wait_for("ready$");
    (pty, directory)
}

#[test]
fn ctrl_z_gives_the_terminal_back_and_fg_takes_it_again() {
    let (mut shell, _directory) = shell(&two_questions());
    let command = format!("{} ask --format text ask.json", env!("CARGO_BIN_EXE_handraise"));
    shell.press(&[Text(&command), Enter]);
    shell.wait_for("> ○ PostgreSQL");
    shell.press(&[Down]);
    shell.wait_for("> ○ MongoDB");
    shell.press(&[Ctrl('z')]);
    shell.wait_for("Stopped");
    shell.wait_until("no prompt left", |screen| !screen.has("╰"));
    // The shell echoes and takes lines again.
    shell.press(&[Text("echo back at $((6 * 7))"), Enter]);
    shell.wait_for("back at 42");
    shell.press(&[Text("fg"), Enter]);
    shell.wait_for("> ○ MongoDB");
    shell.press(&[Enter]);
    shell.wait_for("Question 2 of 2");
    shell.press(&[Text("1"), Enter]);
    shell.wait_for("l leave open");
    shell.press(&[Enter]);
    shell.wait_for("✔ Database: MongoDB");
    shell.wait_for("\"TypeScript\"}");
}

#[test]
fn standard_input_may_be_a_pipe() {
    let (mut shell, _directory) = shell(&json!(null));
    let program = env!("CARGO_BIN_EXE_handraise");
    shell
        .press(&[Text(&format!("{program} ask --example | {program} ask - --format text")), Enter]);
    shell.wait_for("> ○ OAuth 2.0 (Recommended)");
    shell.press(&[Enter]);
    shell.wait_for("Question 2 of 2");
    shell.press(&[Text("2"), Enter]);
    shell.wait_for("l leave open");
    shell.press(&[Enter]);
    shell.wait_for("GitHub\"}");
}

#[test]
fn a_resize_redraws_the_prompt_whole() {
    let mut asking = Asking::start(&two_questions());
    for (columns, rows) in [(40, 10), (200, 60), (20, 6), (1, 1), (80, 24)] {
        asking.pty.resize(columns, rows);
        if rows >= 10 {
            asking.pty.wait_until(&format!("frame at {columns} columns"), |screen| {
                screen
                    .text()
                    .lines()
                    .any(|l| l.chars().count() == usize::from(columns.min(100)) && l.ends_with('╯'))
            });
        }
    }
    asking.see("> ○ PostgreSQL (Recommended)").press(&[Enter]).see("Question 2 of 2");
    asking.press(&[Text("1"), Enter]).see("> Send these").press(&[Enter]);
    assert_eq!(asking.end().code, 0);
}

#[test]
fn without_a_terminal_there_is_a_clear_error() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("ask.json"), database().to_string()).unwrap();
    for extra in [&[][..], &["--plain"], &["--via", "terminal"], &["--via", "hub"]] {
        let output = Command::new("setsid")
            .args(["--wait", env!("CARGO_BIN_EXE_handraise"), "ask", "ask.json"])
            .args(extra)
            .current_dir(directory.path())
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(6), "{stderr}");
        assert!(stderr.starts_with("error: ") && stderr.contains("hint: "), "{stderr}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn an_answer_that_cannot_be_printed_is_not_lost() {
    let (mut shell, _directory) = shell(&database());
    let program = env!("CARGO_BIN_EXE_handraise");
    shell.press(&[Text(&format!("{program} ask --format text ask.json > /dev/full")), Enter]);
    shell.wait_for("> ○ PostgreSQL");
    shell.press(&[Text("3")]);
    shell.wait_for("error: cannot write to standard output");
    shell.wait_until("the answer on standard error", |screen| {
        screen.text().lines().any(|line| line == "  SQLite")
    });
}

#[test]
fn a_suspended_prompt_can_be_ended_without_coming_back() {
    let (mut shell, _directory) = shell(&database());
    let command = format!("{} ask ask.json", env!("CARGO_BIN_EXE_handraise"));
    shell.press(&[Text(&command), Enter]);
    shell.wait_for("> ○ PostgreSQL");
    shell.press(&[Ctrl('z')]);
    shell.wait_for("Stopped");
    // Woken in the background it stops again, and can still be ended.
    shell.press(&[Text("bg; sleep 0.3; jobs"), Enter]);
    shell.wait_until("it is stopped again", |screen| screen.text().matches("Stopped").count() > 1);
    let gone = "kill %1; while jobs | grep -qE 'Stopped|Running'; do sleep 0.1; done; echo g''one";
    shell.press(&[Text(gone), Enter]);
    shell.wait_for("gone");
}

#[test]
fn a_signal_in_the_middle_of_typing_is_not_lost() {
    let mut asking = Asking::start(&two_questions());
    asking.press(&[Text("4")]).see("Please specify:");
    // The Enter waits to see whether it is pasted; the signal arrives in that time.
    asking.press(&[Text("bun\r")]);
    let pid = asking.pty.pid().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert_eq!(asking.end().signal.as_deref(), Some("Terminated"));
}

#[test]
fn an_answer_about_the_background_in_two_pieces_cancels_nothing() {
    let place = Place { env: &[("COLORTERM", "truecolor")], ..Place::default() };
    let mut asking = Asking::with(&database(), &[], &place);
    for piece in [&b"\x1b"[..], b"]11;rgb:ff", b"ff/ffff/ffff\x1b", b"\\"] {
        asking.pty.send(piece);
    }
    // Late, from a prompt before this one.
    asking.pty.send(b"\x1b]11;rgb:1111/1111/1111\x07");
    asking.press(&[Down]).see("> ○ MongoDB").press(&[Enter]);
    assert_eq!(asking.end().chosen(), json!([[["MongoDB"], null]]));
}
