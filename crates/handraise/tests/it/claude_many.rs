//! Many sessions at once, and calls that look alike: every answer reaches its own.

use std::collections::HashMap;

use handraise_broker::{Record, State};
use handraise_testkit::Block;
use serde_json::{Value, json};

use crate::claude_scene::{DEFAULT, Scene, answers, auth, chosen, database};

fn call(record: &Record) -> &str {
    record.opened.key.as_deref().unwrap().rsplit_once('/').unwrap().1
}

#[test]
fn ten_sessions_of_claude_get_each_its_own_answer() {
    let scene = Scene::new();
    // Three share a directory; of those, two ask the same.
    let places = ["shared", "shared", "shared", "a", "b", "c", "d", "e", "f", "g"];
    let projects: Vec<_> = places.map(|place| scene.claude.project(place)).into();
    let sessions: Vec<_> = projects
        .iter()
        .map(|project| scene.claude.session(project, &["--permission-mode", DEFAULT]))
        .collect();
    for (n, session) in sessions.iter().enumerate() {
        let question = if n < 2 { database() } else { numbered(n) };
        scene.put(session, &format!("session{n}"), &[question]);
    }
    let open = scene.wait_open(10);
    let mut seen = vec![];
    for record in open.iter().rev() {
        let title = record.asker().title.clone().unwrap();
        let n: usize = title.rsplit_once("TAG:session").unwrap().1.parse().unwrap();
        assert_eq!(record.asker().directory, Some(projects[n].display().to_string()));
        scene.answer(record.id, json!([{"words": format!("for session {n}")}]));
        seen.push(n);
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..10).collect::<Vec<_>>());
    for (n, session) in sessions.iter().enumerate() {
        let read = scene.model.wait_result(&format!("session{n}")).text;
        assert!(read.contains(&format!("=\"for session {n}\".")), "session {n}: {read}");
        session.wait_closed();
    }
    for record in open {
        assert_eq!(scene.wait_seen(record.id).state(), State::Delivered);
    }
}

fn numbered(n: usize) -> Value {
    let mut question = database();
    question["question"] = json!(format!("Which database for part {n}?"));
    question
}

#[test]
fn two_identical_calls_of_claude_at_once_are_not_mixed_up() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let twins = vec![Block::ask(&json!([database()])), Block::ask(&json!([database()]))];
    scene.model.script("twins", vec![twins.clone(), twins]);
    session.prompt("SCRIPT:twins TAG:twins");
    // At the hub, the later one first.
    let open = scene.wait_open(2);
    let mut expected = HashMap::new();
    for (record, label) in open.iter().rev().zip(["MySQL", "Postgres"]) {
        scene.answer(record.id, json!([{"selected": [label]}]));
        expected.insert(call(record).to_owned(), label);
    }
    for n in 0..2 {
        let result = scene.model.wait_nth_result("twins", n);
        let label = expected[&result.tool_use_id];
        assert_eq!(result.text, chosen(&[(&database(), label)]), "{}", result.tool_use_id);
    }
    for record in &open {
        assert_eq!(scene.wait_seen(record.id).state(), State::Delivered);
    }
    // One at the hub, and in the dialog whichever it shows.
    let open = scene.wait_open(2);
    session.wait_dialog("Which database should we use?");
    session.press("2");
    let left = scene.wait_open(1).remove(0);
    scene.answer(left.id, json!([{"selected": ["MySQL"]}]));
    let results =
        [scene.model.wait_nth_result("twins", 2), scene.model.wait_nth_result("twins", 3)];
    for record in open {
        let seen = scene.wait_seen(record.id);
        assert_eq!(seen.state(), State::Delivered);
        let label = answers(&seen)[0]["selected"][0].as_str().unwrap().to_owned();
        let result = results.iter().find(|result| result.tool_use_id == call(&seen)).unwrap();
        assert_eq!(result.text, chosen(&[(&database(), &label)]));
    }
    scene.wait_open(0);
}

#[test]
fn a_session_of_claude_is_known_by_its_title_and_branch() {
    let scene = Scene::new();
    let project = scene.claude.project("shop");
    let git = std::process::Command::new("git")
        .args(["init", "--quiet", "--initial-branch=feature/login"])
        .current_dir(&project)
        .status();
    assert!(git.unwrap().success());
    let session = scene.claude.session(&project, &["--permission-mode", DEFAULT]);
    let ask = scene.ask(&session, "untitled", &[database()]);
    assert_eq!(ask.asker().title.as_deref(), Some("SCRIPT:untitled TAG:untitled"));
    assert_eq!(ask.asker().branch.as_deref(), Some("feature/login"));
    scene.answer(ask.id, json!([{"selected": ["MySQL"]}]));
    session.wait_closed();
    session.prompt("/rename the login page");
    session.wait_for("Session renamed to: the login page");
    let ask = scene.ask(&session, "titled", &[database()]);
    assert_eq!(ask.asker().title.as_deref(), Some("the login page"));
    assert_eq!(ask.asker().preamble.as_deref(), Some("Let me ask about titled."));
}

#[test]
fn one_session_of_claude_in_two_terminals_keeps_the_questions_of_both() {
    let scene = Scene::new();
    let project = scene.claude.project("shop");
    let one = scene.claude.session(&project, &["--permission-mode", DEFAULT]);
    let ask = scene.ask(&one, "first", &[database()]);
    scene.answer(ask.id, json!([{"selected": ["MySQL"]}]));
    scene.wait_seen(ask.id);
    one.wait_closed();
    let id = ask.asker().session.clone().unwrap();
    let two = scene.claude.session(&project, &["--permission-mode", DEFAULT, "--resume", &id]);
    let ask = scene.ask(&two, "second", &[auth()]);
    assert_eq!(ask.asker().session, Some(id));
    // The other one ends a turn, and then itself.
    scene.greet(&one);
    one.press("C-c");
    one.wait_for("Press Ctrl-C again to exit");
    one.press("C-c");
    one.wait_ended();
    assert!(scene.get(ask.id).is_open(), "{:?}", scene.get(ask.id).phase);
    scene.answer(ask.id, json!([{"selected": ["JWT"]}]));
    assert_eq!(scene.model.wait_result("second").text, chosen(&[(&auth(), "JWT")]));
    assert_eq!(scene.wait_seen(ask.id).state(), State::Delivered);
}

#[test]
fn a_resumed_claude_asks_anew() {
    let scene = Scene::new();
    let project = scene.claude.project("shop");
    let session = scene.claude.session(&project, &["--permission-mode", DEFAULT]);
    let killed = scene.ask(&session, "killed", &[database()]);
    session.kill();
    assert_eq!(scene.wait_ended(killed.id).resolved().unwrap().kind(), "withdrawn");
    drop(session);
    let id = killed.asker().session.clone().unwrap();
    let session = scene.claude.session(&project, &["--permission-mode", DEFAULT, "--resume", &id]);
    let ask = scene.ask(&session, "resumed", &[auth()]);
    assert_eq!(ask.asker().session, Some(id));
    scene.answer(ask.id, json!([{"selected": ["JWT"]}]));
    assert_eq!(scene.model.wait_result("resumed").text, chosen(&[(&auth(), "JWT")]));
    let lost = scene.model.wait_result("killed").text;
    assert!(lost.contains("Tool call interrupted"), "{lost}");
    assert_eq!(scene.wait_seen(ask.id).state(), State::Delivered);
    scene.wait_open(0);
}
