//! Plans and tool calls, where the configuration sends them to the hub.

use std::sync::Arc;

use handraise_broker::{Record, Reply, State};
use handraise_testkit::{Block, ClaudeSession};
use serde_json::{Value, json};

use crate::claude_scene::{DEFAULT, Scene, surface};

const ALL: &str = "claude = { plans = true, tools = true }";

fn decide(scene: &Scene, ask: &Record, decision: Value) {
    scene.reply(ask.id, Reply::Decide(serde_json::from_value(decision).unwrap()));
}

/// Has a session call a tool that needs approval.
fn call(
    scene: &Scene,
    session: &ClaudeSession,
    tag: &str,
    tool: &str,
    input: Value,
) -> Arc<Record> {
    scene.model.script(tag, vec![vec![Block::text("May I?"), Block::tool(tool, input)]]);
    session.prompt(&format!("SCRIPT:{tag} TAG:{tag}"));
    scene.wait_open(1).remove(0)
}

fn touch(file: &str) -> Value {
    json!({"command": format!("touch {file} && echo made {file}"), "description": "Make a file"})
}

#[test]
fn a_tool_of_claude_is_allowed_edited_and_remembered_from_the_hub() {
    let scene = Scene::with_config(ALL);
    let session = scene.session(DEFAULT);
    let ask = call(&scene, &session, "edited", "Bash", touch("one"));
    let approval: Value = serde_json::from_str(ask.matter().as_sent().get()).unwrap();
    assert_eq!((&approval["tool"], &approval["input"]), (&json!("Bash"), &touch("one")));
    assert_eq!(approval["description"], json!("Make a file"));
    let message = "mind the \"name\", please";
    decide(&scene, &ask, json!({"decision": "allow", "input": touch("two"), "message": message}));
    assert_eq!(scene.model.wait_result("edited").text, "made two");
    assert_eq!(scene.wait_seen(ask.id).state(), State::Delivered);
    session.wait_closed();
    let told = format!("The person allowed Bash and says: {message}");
    let requests = scene.model.requests();
    assert!(
        requests.iter().any(|request| holds(request, &told)),
        "the word did not reach the model"
    );
    let ask = call(&scene, &session, "denied", "Bash", touch("three"));
    decide(&scene, &ask, json!({"decision": "deny", "message": "not here"}));
    let result = scene.model.wait_result("denied");
    assert_eq!(
        (result.text.as_str(), result.is_error),
        ("The person did not allow this: not here.", true)
    );
    assert_eq!(scene.wait_seen(ask.id).state(), State::Delivered);
    session.wait_closed();
    let ask = call(&scene, &session, "remembered", "Bash", touch("four"));
    decide(&scene, &ask, json!({"decision": "allow", "remember": true}));
    assert_eq!(scene.model.wait_result("remembered").text, "made four");
    // What Claude Code offered to remember was to accept edits from now on.
    session.wait_for("accept edits on");
}

/// Whether a text is anywhere in a request.
fn holds(request: &Value, text: &str) -> bool {
    match request {
        Value::String(found) => found.contains(text),
        Value::Array(items) => items.iter().any(|item| holds(item, text)),
        Value::Object(fields) => fields.values().any(|field| holds(field, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[test]
fn the_hub_learns_what_was_decided_in_claude_codes_own_dialog() {
    let scene = Scene::with_config(ALL);
    let session = scene.session(DEFAULT);
    let ask = call(&scene, &session, "allowed", "Bash", touch("one"));
    session.wait_footer("Esc to cancel · Tab to amend");
    session.answer(&["Enter"]);
    assert_eq!(scene.model.wait_result("allowed").text, "made one");
    let seen = scene.wait_seen(ask.id);
    assert_eq!((surface(&seen), seen.state()), (json!("dialog"), State::Delivered));
    assert_eq!(seen.resolved().unwrap().resolution["decision"], json!("allow"));
    let ask = call(&scene, &session, "refused", "Bash", touch("two"));
    session.wait_footer("Esc to cancel · Tab to amend");
    session.press("Escape");
    session.wait_closed();
    let ended = scene.wait_ended(ask.id);
    assert_ne!(ended.resolved().unwrap().resolution["decision"], json!("allow"));
    scene.wait_open(0);
}

#[test]
fn a_plan_of_claude_is_sent_back_and_then_approved_from_the_hub() {
    let scene = Scene::with_config(ALL);
    let session = scene.session("plan");
    scene.greet(&session);
    let file = plan_file(&scene);
    let plan = "# The plan\n\n1. Do it \"well\"\n";
    scene.model.script(
        "plan",
        vec![
            vec![Block::tool("Write", json!({"file_path": file, "content": plan}))],
            vec![Block::text("Please approve."), Block::tool("ExitPlanMode", json!({}))],
        ],
    );
    session.prompt("SCRIPT:plan TAG:plan");
    let ask = scene.wait_open(1).remove(0);
    let approval: Value = serde_json::from_str(ask.matter().as_sent().get()).unwrap();
    assert_eq!((&approval["tool"], &approval["plan"]), (&json!("ExitPlanMode"), &json!(plan)));
    decide(&scene, &ask, json!({"decision": "deny", "message": "add tests"}));
    let result = scene.model.wait_nth_result("plan", 1);
    assert_eq!(
        (result.text.as_str(), result.is_error),
        ("The person did not allow this: add tests.", true)
    );
    session.wait_closed();
    let ask = call(&scene, &session, "again", "ExitPlanMode", json!({}));
    decide(&scene, &ask, json!({"decision": "allow"}));
    let read = scene.model.wait_result("again").text;
    assert!(read.starts_with("User has approved your plan."), "{read}");
    assert_eq!(scene.wait_seen(ask.id).state(), State::Delivered);
}

/// Where Claude Code told its model to write the plan.
pub(crate) fn plan_file(scene: &Scene) -> String {
    let plans = scene.claude.config().join("plans").display().to_string();
    let told = scene.model.requests().iter().map(Value::to_string).find_map(|request| {
        let start = request.find(&plans)?;
        let end = request[start..].find(".md")?;
        Some(request[start..start + end + 3].to_owned())
    });
    told.unwrap()
}

#[test]
fn tools_and_plans_of_claude_stay_with_claude_unless_switched_on() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    scene.model.script("own", vec![vec![Block::tool("Bash", touch("one"))]]);
    session.prompt("SCRIPT:own TAG:own");
    session.wait_footer("Esc to cancel · Tab to amend");
    session.answer(&["Enter"]);
    assert_eq!(scene.model.wait_result("own").text, "made one");
    session.wait_closed();
    scene.wait_open(0);
    assert!(scene.history().is_empty(), "{:?}", scene.history());
}
