//! How the real Claude Code ends, and what is left of it.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use handraise_testkit::{Block, ClaudeHome, ClaudeSession, PATIENCE, ScriptedModel};
use serde_json::{Value, json};

use crate::scene::{DEFAULT, Scene, database};

/// A home in which a question starts a hook that writes its process into the returned file and stays.
fn home_with_lasting_hook(model: &ScriptedModel) -> (ClaudeHome, PathBuf) {
    let home = ClaudeHome::new(model);
    let written = home.home().join("hook.pid");
    let command = format!("echo $$ > '{}'; exec sleep 1000", written.display());
    let mut settings: Value =
        serde_json::from_str(&fs::read_to_string(home.settings()).unwrap()).unwrap();
    let hook = json!({ "type": "command", "command": command });
    settings["hooks"]["PermissionRequest"] =
        json!([{ "matcher": "AskUserQuestion", "hooks": [hook] }]);
    fs::write(home.settings(), settings.to_string()).unwrap();
    (home, written)
}

fn wait(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "no {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process is there and has not ended.
fn runs(pid: u32) -> bool {
    fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty())
}

#[test]
fn what_a_killed_claude_code_leaves_behind_ends_with_the_session() {
    let model = ScriptedModel::start();
    model.script("ask", vec![vec![Block::ask(&json!([database()]))]]);
    let (home, written) = home_with_lasting_hook(&model);
    let session = home.session(&home.project("shop"), DEFAULT);
    session.prompt("SCRIPT:ask");
    session.wait_dialog("Which database should we use?");
    wait("hook", || hook(&written).is_some());
    let hook = hook(&written).unwrap();
    assert!(runs(session.pid()));
    session.kill();
    assert!(!runs(session.pid()));
    assert!(runs(hook), "the hook went with the session");
    drop(session);
    assert!(!runs(hook), "the hook is still there");
}

#[test]
fn a_real_claude_code_after_a_killed_one_is_drawn_the_same() {
    let Scene { session, home, model: _model } = Scene::of(&json!([database()]), DEFAULT);
    let screen = |session: &ClaudeSession| session.tmux().ask("#{alternate_on}");
    assert_eq!(screen(&session), "1");
    session.kill();
    let next = home.session(&home.project("next"), DEFAULT);
    assert_eq!(screen(&next), "1");
}

#[test]
fn the_real_claude_code_ends_with_its_terminal() {
    let Scene { session, model, home: _home } = Scene::of(&json!([database()]), DEFAULT);
    session.prompt("SCRIPT:ask TAG:one");
    session.wait_dialog("Which database should we use?");
    session.close_terminal();
    session.wait_ended();
    assert_eq!(model.tool_results(), []);
}

fn hook(written: &Path) -> Option<u32> {
    fs::read_to_string(written).ok()?.trim().parse().ok()
}
