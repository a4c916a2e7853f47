//! Programs that are no Claude Code, or a broken one.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use handraise_broker::{MessageKind, SessionState};
use handraise_testkit::Program;

use crate::run_scene::{RunScene, children, is_alive};

/// A shell script in the place of Claude Code.
fn script(run: &RunScene, script: &str) -> String {
    let file = run.project.join("claude");
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file.display().to_string()
}

/// Runs a script, and says something to it.
fn with_script(text: &str) -> RunScene {
    let mut run = RunScene::without_run("");
    let file = script(&run, text);
    run.run(&[], &[&file]);
    // It may be at work before this looks.
    run.wait_state(&[SessionState::Idle, SessionState::Working]);
    run.say("hello");
    run
}

/// What a process takes up in memory, in megabytes.
fn megabytes(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

/// A program that ends before it says a word, with and without a message for it.
#[test]
fn a_program_that_ends_at_once_ends_the_run_and_says_why() {
    for options in [&[][..], &["--detached", "--message", "hello"]] {
        let mut run = RunScene::without_run("");
        let file = script(&run, "echo 'no key' >&2; exit 3");
        run.run(options, &[&file]);
        let ended = run.program.take().unwrap().wait_exit();
        assert_eq!(ended.status.code(), Some(1), "{ended:?}");
        let why = "Claude Code ended with code 3: no key";
        assert!(ended.stderr.contains(&format!("error: {why}\n")), "{}", ended.stderr);
        let session = run.session();
        assert_eq!(
            (session.state, session.trouble.as_deref()),
            (SessionState::Ended, Some(why)),
            "nothing is left that looks alive"
        );
        let note = run.wait_message("note", |message| message.kind == MessageKind::Note);
        assert_eq!(note.text, format!("{why}."));
    }
}

#[test]
fn a_program_that_says_nothing_of_what_we_read_and_ends_is_no_agent() {
    let mut run = RunScene::without_run("");
    let file = script(&run, "echo Hello; echo World");
    run.run(&["--detached"], &[&file]);
    let ended = run.program.take().unwrap().wait_exit();
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("error: Claude Code ended with code 0"), "{}", ended.stderr);
}

#[test]
fn a_program_that_spoke_and_died_is_started_again_with_the_next_message() {
    let run = with_script(
        "read line; echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}'; \
         read line; exit 3",
    );
    let session = run.wait_state(&[SessionState::Stopped]);
    assert_eq!(session.trouble.as_deref(), Some("Claude Code ended with code 3"));
    run.say("again");
    run.wait("second try", || {
        let notes = run.messages().into_iter().filter(|message| message.kind == MessageKind::Note);
        (notes.count() == 2).then_some(())
    });
}

#[test]
fn a_program_that_is_missing_is_refused_before_there_is_a_session() {
    let run = RunScene::without_run("");
    let file = run.project.join("plain");
    fs::write(&file, "#!/bin/sh\n").unwrap();
    let (file, directory) = (file.display().to_string(), run.project.display().to_string());
    for (program, why) in [
        ("/no/such/claude", "was not found"),
        ("./no-such-claude", "was not found"),
        ("no-such-claude", "was not found"),
        (&file, "is not an executable file"),
        (&directory, "is not an executable file"),
    ] {
        let mut line = run.scene.hub.command();
        let ended = Program::run(line.args(["run", "--message", "hello", "--", program]));
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        assert!(ended.stderr.contains(&format!("error: {program} {why}\n")), "{}", ended.stderr);
        assert!(!ended.stderr.contains("runs"), "{}", ended.stderr);
    }
    assert!(run.sessions().is_empty());
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
