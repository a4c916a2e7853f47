//! Interrupts, deadlines and deaths around a Claude Code that is run under the hub.

use handraise_broker::{MessageKind, MessageState, SessionState, State};
use handraise_testkit::{Block, pause};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::claude_scene::{auth, chosen, database};
use crate::run_scene::{RunScene, is_alive};

fn kill(pid: u32) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL).unwrap();
}

/// Everything the model was ever asked.
fn read_by_the_model(run: &RunScene) -> String {
    run.scene.model.requests().iter().map(|request| request["messages"].to_string()).collect()
}

#[test]
fn an_interrupt_takes_the_question_back_and_the_session_goes_on() {
    let run = RunScene::new(&[]);
    run.ask("stop", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.interrupt();
    let ended = run.scene.wait_ended(ask.id);
    assert_eq!(ended.resolved().unwrap().kind(), "withdrawn");
    run.wait_message("note", |message| {
        message.kind == MessageKind::Note && message.text == "Interrupted."
    });
    run.wait_state(&[SessionState::Idle]);
    run.ask("again", &[auth()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.answer(ask.id, json!([{"selected": ["JWT"]}]));
    run.scene.model.wait_result("again");
}

#[test]
fn the_hub_is_killed_while_a_question_waits_and_the_answer_still_arrives() {
    let mut run = RunScene::new(&[]);
    run.ask("hubkill", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    run.scene.hub.kill();
    run.scene.hub.restart();
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    let result = run.scene.model.wait_result("hubkill");
    assert_eq!(result.text, chosen(&[(&database(), "SQLite")]));
    assert_eq!(run.scene.wait_seen(ask.id).state(), State::Delivered);
    run.say("still there?");
    run.wait("delivery after the restart", || {
        let messages = run.messages();
        let last = messages.iter().rfind(|message| message.kind == MessageKind::User)?;
        (last.state == Some(MessageState::Delivered)).then_some(())
    });
}

#[test]
fn words_that_were_said_while_the_hub_was_down_are_not_lost_by_the_session() {
    let mut run = RunScene::new(&[]);
    run.play("before", vec![vec![Block::text("One.")]]);
    run.wait_words("One.");
    run.wait_state(&[SessionState::Idle]);
    run.scene.hub.kill();
    run.scene.hub.restart();
    run.play("after", vec![vec![Block::text("Two.")]]);
    run.wait_words("Two.");
}

#[test]
fn claude_code_is_killed_while_a_question_waits() {
    let run = RunScene::new(&[]);
    run.ask("gone", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    // A session without a transcript cannot be resumed: Claude Code starts a new one.
    run.scene.wait_written("About gone.");
    kill(run.claude_pid());
    let ended = run.scene.wait_ended(ask.id);
    assert_eq!(ended.resolved().unwrap().kind(), "withdrawn");
    let session = run.wait_state(&[SessionState::Stopped]);
    assert!(session.trouble.as_deref().unwrap_or_default().contains("signal 9"), "{session:?}");
    // The next words start it again where it was.
    run.scene.model.script("back", vec![vec![Block::text("Back again.")]]);
    run.say("SCRIPT:back");
    run.wait_words("Back again.");
    assert_eq!(run.wait_state(&[SessionState::Idle]).agent_session, session.agent_session);
    assert!(read_by_the_model(&run).contains("SCRIPT:gone"), "the same conversation");
}

#[test]
fn an_answer_the_model_never_read_is_the_first_thing_it_is_told_after_a_restart() {
    let run = RunScene::new(&[]);
    run.ask("missed", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    let claude = run.claude_pid();
    // It can do nothing more, but is still there.
    pause(claude);
    run.scene.answer(ask.id, json!([{"selected": ["SQLite"], "notes": "for now"}]));
    run.wait_message("answer", |message| message.kind == MessageKind::Answer);
    kill(claude);
    let record =
        run.scene.wait_record(ask.id, "undelivered", |record| record.state() == State::Undelivered);
    assert_eq!(record.resolved().unwrap().kind(), "answered");
    run.wait_state(&[SessionState::Stopped]);
    run.scene.model.script("first", vec![vec![Block::text("I see.")]]);
    run.say("Go on. SCRIPT:first");
    run.wait_words("I see.");
    let words = "You were cut off before you could read what the person had answered: \
                 \\\"Which database should we use?\\\"=\\\"SQLite\\\" notes: for now.\\n\\nGo on.";
    assert!(read_by_the_model(&run).contains(words), "{}", read_by_the_model(&run));
    run.scene
        .wait_record(ask.id, "delivered after all", |record| record.state() == State::Delivered);
}

#[test]
fn silence_is_told_as_silence() {
    let run = RunScene::new(&["--timeout", "1s"]);
    run.ask("silence", &[database()]);
    let result = run.scene.model.wait_result("silence");
    assert_eq!(
        result.text,
        "Nobody answered within 1 s. This is neither a choice nor consent. Do not choose for the \
         person."
    );
}

#[test]
fn silence_that_ends_the_turn_is_told_with_the_next_words() {
    let run = RunScene::new(&["--timeout", "1s", "--on-deadline", "interrupt"]);
    run.ask("silent", &[database()]);
    run.wait_message("end of the turn", |message| {
        message.kind == MessageKind::Note && message.text == "Interrupted."
    });
    let session = run.wait_state(&[SessionState::Idle]);
    assert_eq!(session.trouble, None);
    run.scene.model.script("next", vec![vec![Block::text("Understood.")]]);
    run.say("Here I am. SCRIPT:next");
    run.wait_words("Understood.");
    let first = "Nobody answered within 1 s. This is neither a choice nor consent. Do not choose \
                 for the person.\\n\\nHere I am.";
    assert!(read_by_the_model(&run).contains(first), "{}", read_by_the_model(&run));
    let asks = run.scene.history();
    assert_eq!(asks.len(), 1, "{asks:#?}");
}

#[test]
fn a_person_ends_the_session_and_nothing_is_left_behind() {
    let mut run = RunScene::new(&[]);
    run.ask("end", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    let claude = run.claude_pid();
    run.end();
    let ended = run.program.take().unwrap().wait_exit();
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(run.session().state, SessionState::Ended);
    assert_eq!(run.scene.wait_ended(ask.id).resolved().unwrap().kind(), "withdrawn");
    assert!(!is_alive(claude));
}

#[test]
fn a_run_that_is_killed_leaves_no_session_that_looks_alive() {
    let mut run = RunScene::new(&[]);
    run.ask("orphan", &[database()]);
    let ask = run.scene.wait_open(1).remove(0);
    let _ = run.program.take().unwrap().kill();
    let session = run.wait_state(&[SessionState::Ended]);
    assert!(session.trouble.is_some(), "{session:?}");
    assert_eq!(run.scene.wait_ended(ask.id).resolved().unwrap().kind(), "withdrawn");
}

#[test]
fn claude_code_does_not_go_on_without_whoever_ran_it() {
    let mut run = RunScene::new(&["--approvals", "all"]);
    let then =
        Block::tool("Bash", json!({"command": "touch unattended", "description": "Touches"}));
    run.play("alone", vec![vec![Block::ask(&json!([database()]))], vec![then]]);
    run.scene.wait_open(1);
    let claude = run.claude_pid();
    let _ = run.program.take().unwrap().kill();
    run.wait("end of Claude Code", || (!is_alive(claude)).then_some(()));
    assert!(!run.project.join("unattended").exists());
}

#[test]
fn a_call_that_is_too_large_to_be_asked_about_is_refused_and_the_session_goes_on() {
    let run = RunScene::new(&[]);
    let large = json!({"file_path": run.project.join("large"), "content": "x".repeat(1_400_000)});
    run.play("large", vec![vec![Block::tool("Write", large)]]);
    let result = run.scene.model.wait_result("large");
    assert!(result.is_error && result.text.contains("could not ask the person"), "{}", result.text);
    run.wait_state(&[SessionState::Idle]);
    run.play("small", vec![vec![Block::text("Still here.")]]);
    run.wait_words("Still here.");
}

#[test]
fn a_conversation_that_claude_code_has_not_kept_begins_anew() {
    let run = RunScene::new(&[]);
    run.play("kept", vec![vec![Block::text("One.")]]);
    run.wait_words("One.");
    run.wait_state(&[SessionState::Idle]);
    let claude = run.claude_pid();
    kill(claude);
    run.wait_state(&[SessionState::Stopped]);
    std::fs::remove_dir_all(run.scene.claude.config().join("projects")).unwrap();
    run.play("anew", vec![vec![Block::text("Two.")]]);
    run.wait_words("Two.");
    run.wait_message("note", |message| {
        message.kind == MessageKind::Note && message.text.contains("begins anew")
    });
}
