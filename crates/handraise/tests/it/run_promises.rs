//! What other front ends' documents promise of the agent's side, under `handraise run`. Promises of the
//! same documents about the SDKs are in `sdk_promises.rs`, those about chat in `run_chat.rs`.

use std::os::unix::fs::PermissionsExt;

use handraise_broker::Hub;
use handraise_broker::{HubError, OnDeadline, Power, Rejection, Reply, SessionState, State};
use handraise_testkit::{Block, ClaudeHome};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::claude_scene::{auth, chosen, database, features, said};
use crate::run_scene::RunScene;

fn seconds_to_answer(record: &handraise_broker::Record) -> Option<SignedDuration> {
    record.deadline_at.map(|end| end.duration_since(record.asked_at))
}

#[test]
fn overseer_claude_waits_for_an_answer_however_long_it_takes() {
    let run = RunScene::new(&[]);
    run.ask("wait", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    assert_eq!(seconds_to_answer(&ask), None);
    assert_eq!(run.session().state, SessionState::Working, "it is blocked, and shown so");
}

#[test]
fn overseer_every_question_of_one_call_is_in_one_panel() {
    let run = RunScene::new(&[]);
    run.ask("panel", &[database(), auth()]);
    let ask = run.scene.wait_open(1).remove(0);
    let raw = ask.matter().as_sent();
    let questions: Value = serde_json::from_str(raw.get()).unwrap();
    assert_eq!(questions.as_array().map(Vec::len), Some(2));
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}, {"selected": ["JWT"]}]));
    let read = run.scene.model.wait_result("panel").text;
    assert_eq!(read, chosen(&[(&database(), "SQLite"), (&auth(), "JWT")]));
}

#[test]
fn overseer_skip_is_no_empty_answer() {
    let run = RunScene::new(&[]);
    run.ask("skip", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.reply(ask.id, Reply::Decline(Some("skipped by the person".into())));
    let result = run.scene.model.wait_result("skip");
    assert!(result.is_error, "{result:?}");
    assert!(result.text.contains("skipped by the person"), "{}", result.text);
}

#[test]
fn gobby_the_answer_is_waited_for_300_seconds_and_silence_is_a_rejection() {
    let run = RunScene::new(&["--preset", "gobby"]);
    run.ask("gobby", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    assert_eq!(seconds_to_answer(&ask), Some(SignedDuration::from_secs(300)));
    assert_eq!(ask.policy().on_deadline, OnDeadline::Tell);
    assert!(!ask.policy().pause_while_typing);
}

#[test]
fn gobby_answers_are_keyed_by_the_question_and_given_with_the_questions() {
    let run = RunScene::new(&["--preset", "gobby", "--approvals", "all"]);
    run.ask("keyed", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    assert_eq!(run.scene.model.wait_result("keyed").text, chosen(&[(&database(), "SQLite")]));
}

#[test]
fn gobby_an_answer_that_was_not_offered_is_refused() {
    let run = RunScene::new(&["--preset", "gobby"]);
    run.ask("offered", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    let forms = serde_json::from_value(json!([{"selected": ["Oracle"]}])).unwrap();
    let refused =
        run.block_on(run.scene.hub.client(Power::Person).reply(ask.id, Reply::Answer(forms), None));
    assert!(matches!(refused, Err(HubError::Rejected(Rejection::Invalid(_)))), "{refused:?}");
    assert!(run.scene.get(ask.id).is_open());
}

#[test]
fn prime_agent_the_answer_is_waited_for_55_seconds_and_silence_ends_the_turn() {
    let run = RunScene::new(&["--preset", "prime-agent"]);
    run.ask("prime", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    assert_eq!(seconds_to_answer(&ask), Some(SignedDuration::from_secs(55)));
    assert_eq!(ask.policy().on_deadline, OnDeadline::Interrupt);
}

/// Claude Code drops the words of such a denial, so it is read on its way there.
#[test]
fn prime_agent_on_timeout_deny_user_response_timeout_with_interrupt() {
    let mut run = RunScene::without_run("");
    let (heard, listener) = (run.project.join("heard"), run.project.join("listener"));
    let claude = ClaudeHome::program();
    let script = format!("#!/bin/sh\ntee '{}' | '{}' \"$@\"\n", heard.display(), claude.display());
    std::fs::write(&listener, script).unwrap();
    std::fs::set_permissions(&listener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let listener = listener.display().to_string();
    run.run(&["--preset", "prime-agent", "--timeout", "1s"], &[&listener]);
    run.wait_state(&[SessionState::Idle]);
    run.ask("deny", &[database()]);
    let denial = run.wait("denial", || {
        let lines = std::fs::read_to_string(&heard).unwrap_or_default();
        let mut whole = lines.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.find(|line| line.contains("\"deny\"")).map(str::to_owned)
    });
    let denial: Value = serde_json::from_str(&denial).unwrap();
    let expected =
        json!({"behavior": "deny", "message": "User response timeout", "interrupt": true});
    assert_eq!(denial["response"]["response"], expected, "{denial}");
    run.wait_state(&[SessionState::Idle]);
    run.end();
    run.wait_state(&[SessionState::Ended]);
}

#[test]
fn prime_agent_late_responses_are_ignored() {
    let run = RunScene::new(&["--timeout", "1s"]);
    run.ask("late", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.wait_ended(ask.id);
    let forms = serde_json::from_value(json!([{"selected": ["SQLite"]}])).unwrap();
    let late =
        run.block_on(run.scene.hub.client(Power::Person).reply(ask.id, Reply::Answer(forms), None));
    assert!(matches!(late, Err(HubError::Rejected(Rejection::AlreadyResolved(_)))), "{late:?}");
    let read = run.scene.model.wait_result("late").text;
    assert!(read.starts_with("Nobody answered within 1 s."), "{read}");
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
}

#[test]
fn prime_agent_free_text_is_allowed_and_several_choices_are_joined() {
    let run = RunScene::new(&["--preset", "prime-agent"]);
    run.ask("free", &[database(), features()]);
    let ask = run.scene.wait_open(1).remove(0);
    let answers = json!([{"words": "DuckDB"}, {"selected": ["Auth", "Search"]}]);
    run.scene.answer(ask.id, answers);
    let read = run.scene.model.wait_result("free").text;
    let expected = "\"Which database should we use?\"=\"DuckDB\", \
                    \"Which features do you want?\"=\"Auth, Search\"";
    assert_eq!(read, said(expected));
}

#[test]
fn prime_agent_a_question_asked_while_nobody_was_there_waits_for_whoever_comes() {
    let mut run = RunScene::new(&[]);
    run.scene.model.script("nobody", vec![vec![Block::ask(&json!([database()]))]]);
    run.say("SCRIPT:nobody TAG:nobody");
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.hub.kill();
    run.scene.hub.restart();
    assert_eq!(run.scene.wait_open(1).remove(0).id, ask.id, "it is there again");
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    run.scene.model.wait_result("nobody");
}
