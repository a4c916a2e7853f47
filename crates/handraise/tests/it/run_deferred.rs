//! Questions that wait for days: Claude Code goes away, and comes back with the answer.

use handraise_broker::{MessageKind, MessageState, SessionState, State};
use handraise_testkit::{Block, pause};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::claude_scene::{chosen, database};
use crate::run_scene::{RunScene, children, is_alive};

#[test]
fn a_question_that_waits_too_long_sends_claude_code_away_until_it_is_answered() {
    let run = RunScene::new(&["--defer-after", "1s"]);
    run.ask("later", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.wait_state(&[SessionState::Deferred]);
    let runner = run.program.as_ref().unwrap().pid();
    assert_eq!(children(runner), [0; 0], "Claude Code is gone");
    assert!(run.scene.get(ask.id).is_open(), "the question is not");
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    let result = run.scene.model.wait_result("later");
    assert_eq!(result.text, chosen(&[(&database(), "SQLite")]));
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
    run.wait_state(&[SessionState::Idle]);
    assert_eq!(run.scene.history().len(), 1, "it was asked once");
}

#[test]
fn a_question_that_is_answered_in_time_sends_nobody_away() {
    let run = RunScene::new(&["--defer-after", "1h"]);
    run.ask("soon", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    let result = run.scene.model.wait_result("soon");
    assert_eq!(result.text, chosen(&[(&database(), "SQLite")]));
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
    assert_eq!(run.scene.history().len(), 1, "it was asked once");
}

#[test]
fn after_a_reboot_of_everything_the_answer_brings_the_session_back() {
    let mut run = RunScene::new(&["--defer-after", "1s"]);
    run.ask("reboot", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.wait_state(&[SessionState::Deferred]);
    let _ = run.program.take().unwrap().kill();
    run.scene.hub.kill();
    run.scene.hub.restart();
    assert_eq!(run.session().state, SessionState::Deferred);
    let words = run.say("and hurry");
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    let result = run.scene.model.wait_result("reboot");
    assert_eq!(result.text, chosen(&[(&database(), "SQLite")]));
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
    run.wait_message("words that waited", |message| {
        message.key == words.key && message.state == Some(MessageState::Delivered)
    });
    let session = run.wait_state(&[SessionState::Idle]);
    let runner = session.runner.clone().unwrap().pid;
    run.end();
    run.wait("end of the runner", || (!is_alive(runner)).then_some(()));
    assert_eq!(run.session().state, SessionState::Ended);
}

#[test]
fn what_was_answered_while_nobody_was_there_is_found_when_the_hub_starts() {
    let mut run = RunScene::new(&["--defer-after", "1s"]);
    run.ask("found", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.wait_state(&[SessionState::Deferred]);
    let _ = run.program.take().unwrap().kill();
    run.scene.hub.kill();
    // The environment of the hub is another one than Claude Code had: that was kept.
    run.scene.hub.restart();
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    run.scene.hub.kill();
    run.scene.hub.restart();
    let result = run.scene.model.wait_result("found");
    assert_eq!(result.text, chosen(&[(&database(), "SQLite")]));
    run.wait_state(&[SessionState::Idle]);
    run.end();
    run.wait_state(&[SessionState::Ended]);
}

#[test]
fn words_said_while_it_is_away_are_heard_after_the_answer() {
    let run = RunScene::new(&["--defer-after", "1s"]);
    run.ask("words", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.wait_state(&[SessionState::Deferred]);
    let said = run.say("and one more thing");
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    run.wait_message("delivery of the words", |message| {
        message.key == said.key && message.state == Some(MessageState::Delivered)
    });
    for request in run.scene.model.requests() {
        let text = request["messages"].to_string();
        assert!(!text.contains("and one more thing") || text.contains("=\\\"SQLite\\\""), "{text}");
    }
    run.wait_message("answer", |message| message.kind == MessageKind::Answer);
    run.play("more", vec![vec![Block::text("Here still.")]]);
    run.wait_words("Here still.");
}

#[test]
fn an_interrupt_while_it_is_away_takes_the_question_back() {
    let run = RunScene::new(&["--defer-after", "1s"]);
    run.ask("dropped", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.wait_state(&[SessionState::Deferred]);
    run.interrupt();
    assert_eq!(run.scene.wait_ended(ask.id).resolved().unwrap().kind(), "withdrawn");
    run.wait_state(&[SessionState::Stopped]);
    run.play("on", vec![vec![Block::text("Going on.")]]);
    run.wait_words("Going on.");
    let read = run.scene.model.wait_result("dropped").text;
    assert!(read.contains("withdrawn before anybody answered"), "{read}");
}

#[test]
fn a_session_that_nobody_runs_can_still_be_ended() {
    let mut run = RunScene::new(&["--defer-after", "1s"]);
    run.ask("over", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.wait_state(&[SessionState::Deferred]);
    let _ = run.program.take().unwrap().kill();
    run.end();
    let session = run.wait_state(&[SessionState::Ended]);
    assert_eq!(session.trouble, None);
    assert_eq!(run.scene.wait_ended(ask.id).resolved().unwrap().kind(), "withdrawn");
}

#[test]
fn two_questions_at_once_send_nobody_away_until_one_is_left() {
    let run = RunScene::new(&["--defer-after", "1s"]);
    let two =
        vec![Block::ask(&json!([database()])), Block::ask(&json!([crate::claude_scene::auth()]))];
    run.play("pair", vec![two]);
    let asks = run.scene.wait_open(2);
    run.scene.answer(asks[0].id, json!([{"selected": ["SQLite"]}]));
    run.wait_state(&[SessionState::Deferred, SessionState::Working]);
    run.scene.answer(asks[1].id, json!([{"selected": ["JWT"]}]));
    for ask in asks {
        run.scene.wait_record(ask.id, "delivery", |record| record.state() == State::Delivered);
    }
    let texts: Vec<_> = run.scene.model.wait_results(2).into_iter().map(|one| one.text).collect();
    assert!(texts.iter().any(|text| text.contains("\"SQLite\"")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("\"JWT\"")), "{texts:?}");
}

#[test]
fn an_answer_that_was_about_to_be_handed_over_when_claude_code_died_is_told_first() {
    let run = RunScene::new(&["--defer-after", "1h"]);
    run.ask("gap", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    let claude = run.claude_pid();
    pause(claude);
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    run.scene.wait_ended(ask.id);
    // The runner has heard of it when it has nothing more to wait for.
    run.say("Go on. SCRIPT:told");
    run.scene.model.script("told", vec![vec![Block::text("I see.")]]);
    kill_process(Pid::from_raw(claude.cast_signed()).unwrap(), Signal::KILL).unwrap();
    run.wait_state(&[SessionState::Stopped]);
    run.say("And again. SCRIPT:told");
    run.wait_words("I see.");
    let read =
        run.scene.model.requests().iter().any(|one| one.to_string().contains("You were cut off"));
    assert!(read);
}
