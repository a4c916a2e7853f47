//! `handraise run` in the terminal it was started in.

use handraise_broker::{SessionState, State};
use handraise_testkit::{Block, ClaudeHome, Tmux};
use serde_json::json;

use crate::claude_scene::{chosen, database, surface};
use crate::run_scene::RunScene;

#[test]
fn a_person_chats_answers_and_leaves() {
    let run = RunScene::without_run("");
    let model = &run.scene.model;
    model.script("ask", vec![vec![Block::text("Let me ask."), Block::ask(&json!([database()]))]]);
    let touch = json!({"command": "touch here", "description": "Touches"});
    model.script("tool", vec![vec![Block::tool("Bash", touch)]]);
    let tmux = Tmux::start(&run.project, (100, 40));
    let variables = run.scene.claude.environment();
    for (name, value) in &variables {
        tmux.type_line(&format!("export {name}='{value}'"));
    }
    tmux.type_line(&format!(
        "clear; {} --data {} run -- {}; echo left-with-$?",
        env!("CARGO_BIN_EXE_handraise"),
        run.scene.hub.home().directory().display(),
        ClaudeHome::program().display(),
    ));
    tmux.wait_for("idle");
    tmux.type_line("SCRIPT:ask TAG:ask");
    tmux.wait_for("Which database should we use?");
    let ask = run.scene.wait_open(1).remove(0);
    tmux.wait_for("navigate");
    tmux.press(&["Down", "Enter"]);
    assert_eq!(model.wait_result("ask").text, chosen(&[(&database(), "SQLite")]));
    let seen = run.scene.wait_seen(ask.id);
    assert_eq!((seen.state(), surface(&seen)), (State::Delivered, json!("terminal")));
    tmux.wait_for("idle");
    tmux.type_line("SCRIPT:tool TAG:tool");
    tmux.wait_for("May it use Bash?");
    tmux.press(&["Enter"]);
    model.wait_result("tool");
    assert!(run.project.join("here").exists());
    tmux.wait_for("idle");
    tmux.press(&["C-d"]);
    tmux.wait_for("left-with-0");
    assert_eq!(run.wait_state(&[SessionState::Ended]).trouble, None);
}
