//! The real Claude Code, watched: with hooks, with several questions at once, and by one watch after the
//! other.

use handraise_broker::State;
use handraise_testkit::{Block, Program};
use serde_json::{Value, json};

use crate::claude_scene::{DEFAULT, Scene, auth, chosen, database};
use crate::watch_pane::Watched;
use crate::watch_scene::Watch;

#[test]
fn watch_leaves_a_session_with_hooks_to_them() {
    let scene = Scene::new();
    let mut command = scene.hub.command();
    command.args(["watch", "--json", "--claude"]).arg(scene.claude.config());
    let watch = Watch(Program::spawn(&mut command, ""));
    let session = scene.session(DEFAULT);
    let pid = json!(session.pid());
    watch.wait("found", |line| line["pid"] == pid);
    for (n, answer) in ["SQLite", "MySQL"].into_iter().enumerate() {
        let ask = scene.ask(&session, &format!("db{n}"), &[database()]);
        watch.wait("left_alone", |line| line["pid"] == pid);
        scene.answer(ask.id, json!([{"selected": [answer]}]));
        let seen = scene.wait_seen(ask.id);
        assert_eq!(seen.state(), State::Delivered);
        assert_eq!(seen.last_receipt().unwrap().text, Some(chosen(&[(&database(), answer)])));
        session.wait_closed();
    }
    session.kill();
    watch.wait("gone", |line| line["pid"] == pid);
    assert_eq!(scene.asks().len(), 2, "each was asked once");
    for event in ["asked", "typed", "alarm", "not_asked", "stopped"] {
        assert_eq!(watch.count(event), 0, "{event}: {:#?}", watch.lines());
    }
}

/// Two calls of one turn, answered at the hub.
fn two_at_once(first: usize, then: usize) {
    let watched = Watched::in_window((120, 50));
    let answers = [json!([{"selected": ["SQLite"]}]), json!([{"selected": ["JWT"]}])];
    let turn = vec![Block::ask(&json!([database()])), Block::ask(&json!([auth()]))];
    watched.play("two", vec![turn]);
    let open = watched.wait("two open asks", || Some(watched.open()).filter(|all| all.len() == 2));
    let about = |n: usize, question: &Value| {
        let text = question["question"].as_str().unwrap();
        assert!(open[n].matter().as_sent().get().contains(text), "they are in their order");
    };
    about(0, &database());
    about(1, &auth());
    watched.answer(open[first].id, answers[first].clone());
    watched.answer(open[then].id, answers[then].clone());
    for (ask, answers) in open.iter().zip(&answers) {
        let seen = watched.wait_seen(ask.id);
        assert_eq!(seen.state(), State::Delivered);
        let taken = &seen.resolved().unwrap().resolution["answers"][0]["selected"];
        assert_eq!(taken, &answers[0]["selected"]);
    }
}

#[test]
fn watch_types_two_answers_in_the_order_of_their_dialogs() {
    two_at_once(0, 1);
}

#[test]
fn watch_lets_an_answer_wait_until_its_dialog_has_its_turn() {
    two_at_once(1, 0);
}

#[test]
fn watch_types_what_was_answered_while_nobody_watched() {
    // The settings of this one are written anew, without the hooks.
    let scene = Scene::new();
    std::fs::write(scene.claude.settings(), "{}").unwrap();
    let watch = || {
        let mut command = scene.hub.command();
        command.args(["watch", "--json", "--claude"]).arg(scene.claude.config());
        Watch(Program::spawn(&mut command, ""))
    };
    let session = scene.session(DEFAULT);
    let first = watch();
    let ask = scene.ask(&session, "db", &[database()]);
    first.wait("asked", |line| line["ask"] == json!(ask.id));
    first.kill();
    scene.answer(ask.id, json!([{"selected": ["MySQL"]}]));
    let second = watch();
    second.wait("typed", |line| line["ask"] == json!(ask.id));
    let seen = scene.wait_seen(ask.id);
    assert_eq!(seen.state(), State::Delivered);
    let read = seen.last_receipt().and_then(|receipt| receipt.text.clone());
    assert_eq!(read, Some(chosen(&[(&database(), "MySQL")])));
    // What nobody brought in time is asked anew: the person was told, and the session still waits.
    let ask = scene.ask(&session, "auth", &[auth()]);
    second.wait("asked", |line| line["ask"] == json!(ask.id));
    second.kill();
    scene.answer(ask.id, json!([{"selected": ["JWT"]}]));
    scene.withdraw(ask.id, "no process took the answer to the agent");
    let third = watch();
    let anew = scene.wait_open(1).remove(0);
    assert_eq!(anew.opened.key, ask.opened.key.as_ref().map(|key| format!("{key}/again/1")));
    scene.answer(anew.id, json!([{"selected": ["Session cookie"]}]));
    third.wait("typed", |line| line["ask"] == json!(anew.id));
    let seen = scene.wait_seen(anew.id);
    assert_eq!(seen.state(), State::Delivered);
    assert_eq!(scene.get(ask.id).state(), State::Undelivered, "nothing was typed for it");
}
