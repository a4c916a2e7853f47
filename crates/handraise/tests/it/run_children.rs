//! Programs that are no Claude Code, or a broken one.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use handraise_broker::{MessageKind, SessionState};
use handraise_testkit::Program;

use crate::run_scene::{RunScene, children, is_alive};

/// Runs a shell script in the place of Claude Code, and says something to it.
fn with_script(script: &str) -> RunScene {
    let mut run = RunScene::without_run("");
    let file = run.project.join("claude");
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    run.run(&[], &[&file.display().to_string()]);
    run.wait_state(&[SessionState::Idle]);
    run.say("hello");
    run
}

fn trouble(run: &RunScene) -> String {
    run.wait_state(&[SessionState::Stopped]).trouble.clone().unwrap_or_default()
}

/// What a process takes up in memory, in megabytes.
fn megabytes(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

#[test]
fn a_program_that_ends_at_once_says_why() {
    let run = with_script("echo 'no key' >&2; exit 3");
    assert_eq!(trouble(&run), "Claude Code ended with code 3: no key");
    // The next words try again.
    run.say("again");
    run.wait("second try", || {
        let notes = run.messages().into_iter().filter(|message| message.kind == MessageKind::Note);
        (notes.count() == 2).then_some(())
    });
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let mut run = RunScene::without_run("");
    run.run(&[], &["/no/such/claude"]);
    run.wait_state(&[SessionState::Idle]);
    run.say("hello");
    assert_eq!(trouble(&run), "/no/such/claude was not found");
}

#[test]
fn broken_json_is_counted_and_passed_over() {
    let run = with_script(
        "read line; for i in 1 2 3 4 5; do echo '{\"type\": nonsense'; done; \
         echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}'; sleep 1000",
    );
    run.wait("session with a name", || {
        (run.session().agent_session.as_deref() == Some("s-1")).then_some(())
    });
    let note = run.wait_message("note", |message| message.kind == MessageKind::Note);
    assert!(
        note.text.starts_with("Claude Code wrote 4 lines that cannot be read"),
        "{}",
        note.text
    );
}

#[test]
fn a_line_that_never_ends_takes_no_memory() {
    let run = with_script("read line; yes x | tr -d '\\n' | head -c 600000000; echo; sleep 1000");
    let note = run.wait_message("note", |message| message.kind == MessageKind::Note);
    assert!(note.text.contains("a line of 600000000 bytes"), "{}", note.text);
    let most = megabytes(run.program.as_ref().unwrap().pid());
    assert!(most < 150, "{most} MB");
}

#[test]
fn a_flood_of_lines_takes_no_memory() {
    let run = with_script(
        "read line; yes '{\"type\":\"system\",\"subtype\":\"noise\",\"text\":\"0123456789\"}' | \
         head -n 200000; echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}'; \
         sleep 1000",
    );
    run.wait("end of the flood", || {
        (run.session().agent_session.as_deref() == Some("s-1")).then_some(())
    });
    let most = megabytes(run.program.as_ref().unwrap().pid());
    assert!(most < 150, "{most} MB");
}

#[test]
fn a_program_that_ignores_every_plea_is_killed_with_all_it_started() {
    let mut run = with_script("trap '' TERM INT HUP; sleep 1000 & while true; do sleep 1000; done");
    let pid = run.program.as_ref().unwrap().pid();
    let child = run.wait("child", || children(pid).into_iter().next());
    let grandchildren = run.wait("its children", || {
        let all = children(child);
        (all.len() == 2).then_some(all)
    });
    run.end();
    let ended = run.program.take().unwrap().wait_exit();
    assert!(ended.status.success(), "{ended:?}");
    for pid in grandchildren.into_iter().chain([child]) {
        assert!(!is_alive(pid), "{pid} is still there");
    }
}

#[test]
fn arguments_that_are_ours_to_set_are_refused() {
    let run = RunScene::without_run("");
    let mut line = run.scene.hub.command();
    let ended = Program::run(line.args(["run", "--", "claude", "--output-format", "text"]));
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    assert!(
        ended.stderr.contains("--output-format is for Handraise to set: leave it out"),
        "{}",
        ended.stderr
    );
}

#[test]
fn without_a_hub_it_says_so() {
    let mut run = RunScene::without_run("");
    run.scene.hub.stop();
    let mut line = run.scene.hub.command();
    let ended = Program::run(line.args(["run", "--", "claude"]));
    assert_eq!(ended.status.code(), Some(6), "{ended:?}");
}

#[test]
fn words_that_claude_code_would_not_read_are_refused() {
    let run = RunScene::without_run("");
    for (arguments, hint) in [(&["fix it"][..], "--message"), (&["--version"], "no session")] {
        let mut line = run.scene.hub.command();
        let ended = Program::run(line.args(["run", "--", "claude"]).args(arguments));
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        assert!(ended.stderr.contains(hint), "{}", ended.stderr);
    }
}
