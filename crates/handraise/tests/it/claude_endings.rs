//! However a dialog ends, no ask is left open and no dialog is broken.

use std::path::PathBuf;

use handraise_broker::{Power, State};
use handraise_testkit::pause;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::claude_scene::{DEFAULT, Scene, answers, chosen, database, surface, took};

#[test]
fn a_question_of_claude_left_with_escape_is_declined() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let ask = scene.ask(&session, "escape", &[database()]);
    session.press("Escape");
    session.wait_closed();
    let ended = scene.wait_seen(ask.id);
    assert_eq!(ended.resolved().unwrap().kind(), "declined");
    assert_eq!((surface(&ended), ended.state()), (json!("dialog"), State::Delivered));
    // The session is as good as before.
    let ask = scene.ask(&session, "again", &[database()]);
    scene.answer(ask.id, json!([{"selected": ["MySQL"]}]));
    assert_eq!(scene.model.wait_result("again").text, chosen(&[(&database(), "MySQL")]));
}

#[test]
fn chat_about_this_in_claude_is_a_wish_to_talk() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let ask = scene.ask(&session, "chat", &[database()]);
    session.answer(&["5"]);
    let read = scene.model.wait_result("chat").text;
    assert!(read.contains("The user wants to clarify these questions"), "{read}");
    let ended = scene.wait_seen(ask.id);
    assert_eq!((ended.resolved().unwrap().kind(), surface(&ended)), ("discuss", json!("dialog")));
}

#[test]
fn a_claude_that_is_killed_takes_its_question_back() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let ask = scene.ask(&session, "killed", &[database()]);
    session.kill();
    let ended = scene.wait_ended(ask.id);
    assert_eq!(ended.resolved().unwrap().resolution["reason"], json!("Claude Code is gone"));
    scene.wait_open(0);
}

#[test]
fn a_claude_that_dies_with_everything_it_has_started_takes_its_question_back() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let ask = scene.ask(&session, "wiped_out", &[database()]);
    // Whoever waited cannot tell the hub, but its connection has ended.
    drop(session);
    let ended = scene.wait_ended(ask.id);
    assert_eq!(ended.resolved().unwrap().resolution["reason"], json!("Claude Code is gone"));
}

#[test]
fn a_claude_whose_terminal_is_closed_takes_its_question_back() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let ask = scene.ask(&session, "closed", &[database()]);
    session.close_terminal();
    session.wait_ended();
    assert_eq!(scene.wait_ended(ask.id).resolved().unwrap().kind(), "withdrawn");
    scene.wait_open(0);
}

#[test]
fn ctrl_c_leaves_a_dialog_of_claude_standing_and_twice_at_its_prompt_ends_it() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let ask = scene.ask(&session, "interrupted", &[database()]);
    // Claude Code does not take Ctrl-C for an answer: the question still stands in both places.
    session.press("C-c");
    session.press("C-c");
    session.wait_dialog("Which database should we use?");
    scene.answer(ask.id, json!([{"selected": ["Postgres"]}]));
    let read = scene.model.wait_result("interrupted").text;
    assert_eq!(read, chosen(&[(&database(), "Postgres")]));
    session.wait_closed();
    let ask = scene.ask(&session, "left", &[database()]);
    session.press("Escape");
    session.wait_closed();
    session.press("C-c");
    session.wait_for("Press Ctrl-C again to exit");
    session.press("C-c");
    session.wait_ended();
    assert_eq!(scene.wait_ended(ask.id).resolved().unwrap().kind(), "declined");
    scene.wait_open(0);
}

#[test]
fn a_hub_that_is_killed_and_comes_back_still_brings_claude_its_answer() {
    let mut scene = Scene::new();
    let session = scene.session(DEFAULT);
    let ask = scene.ask(&session, "restart", &[database()]);
    scene.hub.kill();
    scene.hub.restart();
    scene.answer(ask.id, json!([{"selected": ["SQLite"]}]));
    assert_eq!(scene.model.wait_result("restart").text, chosen(&[(&database(), "SQLite")]));
    session.wait_closed();
    assert_eq!(scene.wait_seen(ask.id).state(), State::Delivered);
}

#[test]
fn a_hub_that_was_away_learns_what_claude_took_meanwhile() {
    let mut scene = Scene::new();
    let session = scene.session(DEFAULT);
    let answered = scene.ask(&session, "answered", &[database()]);
    scene.hub.kill();
    session.answer(&["3"]);
    assert_eq!(scene.model.wait_result("answered").text, chosen(&[(&database(), "MySQL")]));
    session.wait_closed();
    scene.hub.restart();
    let seen = scene.wait_seen(answered.id);
    assert_eq!(
        (surface(&seen), &answers(&seen)[0]["selected"]),
        (json!("dialog"), &json!(["MySQL"]))
    );
    let left = scene.ask(&session, "left", &[database()]);
    scene.hub.kill();
    session.press("Escape");
    session.wait_closed();
    scene.hub.restart();
    // Whoever waited was ended with the dialog; the next turn settles it.
    scene.greet(&session);
    let ended = scene.wait_seen(left.id);
    assert_eq!((ended.resolved().unwrap().kind(), surface(&ended)), ("declined", json!("dialog")));
}

#[test]
fn a_hub_that_starts_settles_what_a_dead_claude_had_asked() {
    let mut scene = Scene::new();
    let session = scene.session(DEFAULT);
    let ask = scene.ask(&session, "dead", &[database()]);
    scene.hub.kill();
    // It, and everything it has started: nobody is left to tell.
    drop(session);
    scene.hub.restart();
    let ended = scene.wait_ended(ask.id);
    assert_eq!(ended.resolved().unwrap().resolution["reason"], json!("Claude Code is gone"));
}

#[test]
fn a_hub_settles_what_a_dead_claude_had_asked_without_calling_itself() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let ask = scene.ask(&session, "dead", &[database()]);
    // Whoever calls the hub needs one of these; the hub itself does not.
    let home = scene.hub.home();
    let tokens = [home.token_file(Power::Agent), home.agent_token_file("claude-code")];
    let hide = |token: &PathBuf| std::fs::rename(token, token.with_extension("hidden")).is_ok();
    let hidden = tokens.iter().filter(|token| hide(token)).collect::<Vec<_>>();
    assert!(!hidden.is_empty(), "hooks have a token");
    drop(session);
    let ended = scene.wait_ended(ask.id);
    assert_eq!(ended.resolved().unwrap().resolution["reason"], json!("Claude Code is gone"));
    for token in hidden {
        std::fs::rename(token.with_extension("hidden"), token).unwrap();
    }
}

#[test]
fn without_a_hub_claude_asks_as_always() {
    let scene = Scene::without_hub();
    let session = scene.session(DEFAULT);
    scene.put(&session, "alone", &[database()]);
    session.answer(&["2"]);
    assert_eq!(scene.model.wait_result("alone").text, chosen(&[(&database(), "SQLite")]));
    session.wait_closed();
    assert!(!session.screen().contains("hook error"), "{}", session.screen());
}

#[test]
fn a_hub_that_hangs_does_not_hold_claude_up() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let hub = i32::try_from(scene.hub.pid()).ok().and_then(Pid::from_raw).unwrap();
    pause(scene.hub.pid());
    scene.put(&session, "hung", &[database()]);
    session.answer(&["2"]);
    assert_eq!(scene.model.wait_result("hung").text, chosen(&[(&database(), "SQLite")]));
    session.wait_closed();
    kill_process(hub, Signal::CONT).unwrap();
    // What lay before its door is in when it has taken something that came later.
    scene.knock();
    // What reached the hub after all is settled with the next turn, or the one after it if it came late.
    scene.greet(&session);
    if !scene.open().is_empty() {
        scene.greet(&session);
    }
    scene.wait_open(0);
    let ask = scene.ask(&session, "again", &[database()]);
    scene.answer(ask.id, json!([{"selected": ["MySQL"]}]));
    assert_eq!(scene.model.wait_result("again").text, chosen(&[(&database(), "MySQL")]));
}

#[test]
fn an_answer_that_comes_too_late_for_claude_is_overruled() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let ask = scene.ask(&session, "overtaken", &[database()]);
    // Whoever waits for the hub is held up, as on a busy machine, while both answer.
    let waiting = scene.waiting_hook(&session);
    kill_process(waiting, Signal::STOP).unwrap();
    scene.answer(ask.id, json!([{"selected": ["MySQL"]}]));
    session.press("2");
    let read = scene.model.wait_result("overtaken").text;
    assert_eq!(read, chosen(&[(&database(), "SQLite")]));
    let seen = scene.wait_seen(ask.id);
    assert_eq!((seen.state(), surface(&seen)), (State::Overruled, json!("api")));
    assert_eq!(took(&seen)["answers"][0]["selected"], json!(["SQLite"]));
    kill_process(waiting, Signal::CONT).unwrap();
    session.wait_closed();
    scene.wait_open(0);
}
