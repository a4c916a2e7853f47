//! The same, in the terminal many people really use it in.

use handraise_testkit::Tmux;
use tempfile::TempDir;

use crate::asking::{database, two_questions};

fn started(ask: &serde_json::Value, size: (u16, u16)) -> (Tmux, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("ask.json"), ask.to_string()).unwrap();
    let tmux = Tmux::start(directory.path(), size);
    tmux.type_line("stty -g > before");
    let program = env!("CARGO_BIN_EXE_handraise");
    tmux.type_line(&format!(
        "clear; {program} ask --format text ask.json > stdout; echo code=$?; stty -g > after"
    ));
    tmux.wait_for("╰");
    (tmux, directory)
}

fn read(directory: &TempDir, name: &str) -> String {
    std::fs::read_to_string(directory.path().join(name)).unwrap()
}

fn assert_left_sane(tmux: &Tmux, directory: &TempDir) {
    tmux.type_line("echo still at $((6 * 7))");
    tmux.wait_for("still at 42");
    assert_eq!(read(directory, "before"), read(directory, "after"));
    assert_eq!(tmux.ask("#{cursor_flag}"), "1", "the cursor is shown");
}

#[test]
fn real_keys_answer_and_leave_the_terminal_sane() {
    let (tmux, directory) = started(&two_questions(), (80, 24));
    tmux.press(&["Down", "Enter"]);
    tmux.wait_for("Question 2 of 2");
    tmux.press(&["Space", "j", "Space", "Enter"]);
    tmux.wait_for("l leave open");
    tmux.press(&["Enter"]);
    tmux.wait_for("code=0");
    let screen = tmux.wait_for("✔ Features: TypeScript, ESLint + Prettier");
    assert!(screen.contains("✔ Database: MongoDB"), "{screen}");
    assert_left_sane(&tmux, &directory);
}

#[test]
fn a_long_paste_is_one_answer_marked_or_not() {
    let text: Vec<String> = (1..=200).map(|n| format!("pasted line {n};")).collect();
    let text = text.join("\n");
    for marked in [true, false] {
        let (tmux, directory) = started(&database(), (80, 24));
        tmux.press(&["4"]);
        tmux.wait_for("Please specify:");
        tmux.paste(&text, marked);
        tmux.wait_for("pasted line 200;");
        tmux.press(&["Enter"]);
        tmux.wait_for("code=0");
        assert_eq!(read(&directory, "stdout"), format!("{text}\n"), "marked: {marked}");
        assert_left_sane(&tmux, &directory);
    }
}

#[test]
fn a_title_an_agent_tries_to_set_is_not_set() {
    let mut ask = database();
    ask["questions"][0]["options"][0]["label"] = "\u{1b}]2;pwned\u{7}".into();
    let (tmux, _directory) = started(&ask, (80, 24));
    tmux.wait_for("␛]2;pwned␇");
    assert!(!tmux.ask("#{pane_title}").contains("pwned"));
}

#[test]
fn ctrl_c_and_kill_leave_the_terminal_sane() {
    let (tmux, directory) = started(&database(), (80, 24));
    tmux.press(&["C-c"]);
    tmux.wait_for("code=130");
    assert_left_sane(&tmux, &directory);

    let (tmux, directory) = started(&database(), (80, 24));
    let shell = tmux.ask("#{pane_pid}");
    let killed = std::process::Command::new("pkill").args(["-TERM", "-P", &shell]).status();
    assert!(killed.unwrap().success());
    tmux.wait_for("code=143");
    assert_left_sane(&tmux, &directory);
}

#[test]
fn a_window_made_smaller_and_larger_keeps_one_prompt() {
    let (tmux, directory) = started(&two_questions(), (80, 30));
    tmux.resize(45, 30);
    tmux.wait_until("frame at 45 columns", |s| {
        s.lines().any(|l| l.chars().count() == 45 && l.ends_with('╯'))
    });
    tmux.resize(100, 30);
    let screen = tmux.wait_until("frame at 100 columns", |s| {
        s.lines().any(|l| l.chars().count() == 100 && l.ends_with('╯'))
    });
    assert_eq!(screen.matches('╰').count(), 1, "{screen}");
    tmux.press(&["Enter"]);
    tmux.wait_for("Question 2 of 2");
    tmux.press(&["1", "Enter"]);
    tmux.wait_for("l leave open");
    tmux.press(&["Enter"]);
    tmux.wait_for("code=0");
    assert_left_sane(&tmux, &directory);
}
