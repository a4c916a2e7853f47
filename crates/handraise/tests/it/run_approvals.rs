//! Tools and plans of a Claude Code that is run under the hub.

use handraise_broker::{Matter, MessageKind, MessageState, Reply, State};
use handraise_testkit::Block;
use serde_json::{Value, json};

use crate::run_scene::RunScene;

/// A call that needs approval.
fn touch(file: &str) -> Block {
    Block::tool(
        "Bash",
        json!({"command": format!("touch {file}"), "description": "Touches a file"}),
    )
}

fn decide(decision: Value) -> Reply {
    Reply::Decide(serde_json::from_value(decision).unwrap())
}

#[test]
fn a_tool_waits_for_approval_and_is_then_used() {
    let run = RunScene::new(&[]);
    run.play("allow", vec![vec![touch("allowed")]]);
    let ask = run.scene.wait_open(1).remove(0);
    let Matter::Approval(raw) = ask.matter() else { panic!("{ask:?}") };
    let approval: Value = serde_json::from_str(raw.get()).unwrap();
    assert_eq!(approval["tool"], "Bash");
    assert_eq!(approval["input"]["command"], "touch allowed");
    assert!(!run.project.join("allowed").exists(), "it waits");
    let running = run.wait_message("tool at work", |message| message.kind == MessageKind::Tool);
    assert_eq!(running.state, Some(MessageState::Running));
    run.scene.reply(ask.id, decide(json!({"decision": "allow"})));
    run.scene.model.wait_result("allow");
    assert!(run.project.join("allowed").exists());
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
    let done = run.wait_message("tool that is done", |message| {
        message.kind == MessageKind::Tool && message.state == Some(MessageState::Done)
    });
    assert_eq!(done.tool.unwrap().name, "Bash");
    run.wait_message("answer", |message| {
        message.kind == MessageKind::Answer && message.text == "✔ Allowed Bash"
    });
}

#[test]
fn a_tool_that_is_denied_is_not_used_and_the_model_reads_why() {
    let run = RunScene::new(&[]);
    run.play("deny", vec![vec![touch("denied")]]);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.reply(ask.id, decide(json!({"decision": "deny", "message": "use make"})));
    let result = run.scene.model.wait_result("deny");
    assert_eq!(result.text, "The person did not allow this: use make.");
    assert!(!run.project.join("denied").exists());
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
    run.wait_message("tool that failed", |message| {
        message.kind == MessageKind::Tool && message.state == Some(MessageState::Failed)
    });
}

#[test]
fn a_tool_is_used_as_it_was_edited() {
    let run = RunScene::new(&[]);
    run.play("edit", vec![vec![touch("as-meant")]]);
    let ask = run.scene.wait_open(1).remove(0);
    let input = json!({"command": "touch as-edited", "description": "Touches a file"});
    run.scene.reply(ask.id, decide(json!({"decision": "allow", "input": input})));
    run.scene.model.wait_result("edit");
    assert!(run.project.join("as-edited").exists());
    assert!(!run.project.join("as-meant").exists());
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
}

#[test]
fn what_is_to_be_remembered_is_not_asked_again() {
    let run = RunScene::new(&[]);
    run.play("remember", vec![vec![touch("one")], vec![touch("one")]]);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.reply(ask.id, decide(json!({"decision": "allow", "remember": true})));
    run.scene.model.wait_nth_result("remember", 1);
    assert_eq!(run.scene.history().len(), 1, "{:#?}", run.scene.history());
}

#[test]
fn a_word_with_an_approval_reaches_the_model_behind_the_result() {
    let run = RunScene::new(&[]);
    run.play("word", vec![vec![touch("word")], vec![Block::text("Done.")]]);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.reply(ask.id, decide(json!({"decision": "allow", "message": "but only once"})));
    run.wait("word with the approval", || {
        let requests = run.scene.model.requests();
        requests.iter().any(|request| request.to_string().contains("but only once")).then_some(())
    });
}

#[test]
fn a_plan_is_approved_as_it_stands() {
    let run = RunScene::new(&[]);
    let plan = Block::tool("ExitPlanMode", json!({"plan": "# Plan\n1. Do it"}));
    run.play("plan", vec![vec![Block::tool("EnterPlanMode", json!({}))], vec![plan]]);
    // Claude Code may ask before it makes plans, too.
    let ask = run.wait("plan to approve", || {
        let open = run.scene.open();
        let is_plan = |ask: &Value| ask["tool"] == "ExitPlanMode";
        for ask in open {
            let Matter::Approval(raw) = ask.matter() else { continue };
            if is_plan(&serde_json::from_str(raw.get()).unwrap()) {
                return Some(ask);
            }
            run.scene.reply(ask.id, decide(json!({"decision": "allow"})));
        }
        None
    });
    let Matter::Approval(raw) = ask.matter() else { panic!("{ask:?}") };
    let approval: Value = serde_json::from_str(raw.get()).unwrap();
    assert_eq!(approval["plan"], "# Plan\n1. Do it");
    run.scene.reply(ask.id, decide(json!({"decision": "allow"})));
    let result = run.scene.model.wait_nth_result("plan", 1);
    assert!(result.text.contains("approved"), "{}", result.text);
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
}

#[test]
fn a_plan_that_is_denied_is_no_plan() {
    let run = RunScene::new(&["--title", "planning"]);
    let plan = Block::tool("ExitPlanMode", json!({"plan": "# Plan"}));
    run.play("noplan", vec![vec![Block::tool("EnterPlanMode", json!({}))], vec![plan]]);
    let ask = run.wait("plan to approve", || {
        for ask in run.scene.open() {
            let Matter::Approval(raw) = ask.matter() else { continue };
            if raw.get().contains("ExitPlanMode") {
                return Some(ask);
            }
            run.scene.reply(ask.id, decide(json!({"decision": "allow"})));
        }
        None
    });
    run.scene.reply(ask.id, decide(json!({"decision": "deny", "message": "shorter"})));
    let result = run.scene.model.wait_nth_result("noplan", 1);
    assert_eq!(result.text, "The person did not allow this: shorter.");
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
}

/// As the Gobby document has it.
#[test]
fn gobby_all_other_tools_are_approved_at_once_and_questions_are_not() {
    let run = RunScene::new(&["--approvals", "all"]);
    let question = Block::ask(&json!([crate::claude_scene::database()]));
    run.play("all", vec![vec![touch("at-once")], vec![question]]);
    let ask = run.scene.wait_open(1).remove(0);
    assert!(run.project.join("at-once").exists());
    assert!(matches!(ask.matter(), Matter::Questions(_)));
    assert_eq!(run.scene.history().len(), 1, "nothing but the question was asked");
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    run.scene.model.wait_nth_result("all", 1);
}

#[test]
fn the_configuration_says_who_is_asked() {
    let run = RunScene::with_config("[run]\napprovals = \"all\"\n", &[]);
    run.play("config", vec![vec![touch("by-config")]]);
    run.scene.model.wait_result("config");
    assert!(run.project.join("by-config").exists());
    assert!(run.scene.history().is_empty());
}
