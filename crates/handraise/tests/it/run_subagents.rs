//! Tools of subagents, whose work may outlive the turn of the agent that started them.

use handraise_broker::{Reply, SessionState, State};
use handraise_testkit::Block;
use serde_json::json;

use crate::run_scene::RunScene;

fn allow() -> Reply {
    Reply::Decide(serde_json::from_value(json!({"decision": "allow"})).unwrap())
}

/// Has the agent start a subagent that wants to touch a file.
fn with_subagent(run: &RunScene, name: &str, in_background: bool) {
    let touch = json!({"command": format!("touch {name}"), "description": "Touches"});
    run.scene.model.script(&format!("{name}-sub"), vec![vec![Block::tool("Bash", touch)]]);
    let input = json!({
        "description": "sub", "prompt": format!("SCRIPT:{name}-sub TAG:{name}-sub"),
        "subagent_type": "general-purpose", "run_in_background": in_background,
    });
    run.play(name, vec![vec![Block::tool("Agent", input)]]);
}

#[test]
fn what_a_subagent_was_allowed_is_delivered_and_nobody_is_told_otherwise() {
    let run = RunScene::new(&[]);
    with_subagent(&run, "inside", false);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.reply(ask.id, allow());
    run.scene.model.wait_result("inside-sub");
    assert!(run.project.join("inside").exists());
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
    run.wait_state(&[SessionState::Idle]);
    run.play("next", vec![vec![Block::text("Good.")]]);
    run.wait_words("Good.");
    let read = run.scene.model.requests().iter().any(|one| one.to_string().contains("cut off"));
    assert!(!read, "the model was told something that is not so");
}

#[test]
fn what_a_subagent_asks_in_the_background_outlives_the_turn() {
    let run = RunScene::new(&[]);
    with_subagent(&run, "behind", true);
    run.wait_state(&[SessionState::Idle]);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.reply(ask.id, allow());
    run.scene.model.wait_result("behind-sub");
    assert!(run.project.join("behind").exists());
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
}
