//! Every way to answer, at three sizes of the window: the model reads what was chosen.

use handraise_question::Resolution;
use serde_json::json;

use crate::scene::{Scene, auth, database, features, layout, words};

fn every_way(size: (u16, u16)) {
    let scene = Scene::of_size(size);
    let read = |questions: &[serde_json::Value], answers: serde_json::Value| {
        let asked = scene.ask(questions);
        scene.answer(&asked, answers)
    };
    let text = read(&[database()], json!([{"selected": ["SQLite"]}]));
    assert!(text.contains(r#""Which database should we use?"="SQLite""#), "{text}");
    for own in [
        "use DuckDB",
        "a; b;",
        "-x --flag",
        "#{pane_id} $(id)",
        "'q' \"qq\" `b`",
        "é 日本 👍",
        "1 2 3 jk",
        "one\ntwo\n\nfour",
    ] {
        let text = read(&[database()], json!([{"words": own}]));
        assert!(text.contains(&format!("\"Which database should we use?\"=\"{own}\"")), "{text}");
    }
    let text = read(&[features()], json!([{"selected": ["Auth", "Search"]}]));
    assert!(text.contains(r#"="Auth, Search""#), "{text}");
    let text = read(&[features()], json!([{"selected": ["Auth", "Billing, taxes", "say \"hi\""]}]));
    assert!(text.contains(r#"="Auth, "Billing, taxes", "say \"hi\"""#), "{text}");
    let text =
        read(&[features()], json!([{"selected": ["Search"], "words": "more, \"much\" more;"}]));
    eprintln!("{text}");
    let text = read(&[features()], json!([{"words": "only words"}]));
    assert!(text.contains(r#"="only words""#), "{text}");
    let text = read(&[database(), auth()], json!([{"selected": ["MySQL"]}, {"words": "none;"}]));
    assert!(text.contains(r#"="MySQL""#) && text.contains(r#"="none;""#), "{text}");
    let text = read(
        &[database(), features(), layout(), auth()],
        json!([{"words": "x"}, {"selected": ["Auth"], "words": "y"}, {"selected": ["Sidebar"], "notes": "wide"}, {"selected": ["JWT"]}]),
    );
    eprintln!("{text}");
    let text = read(&[layout()], json!([{"selected": ["Topbar"]}]));
    assert!(text.contains(r#"="Topbar" selected preview:"#), "{text}");
    let text = read(&[layout()], json!([{"selected": ["Sidebar"], "notes": "two\nlines"}]));
    assert!(
        text.contains(r#"="Sidebar" selected preview:"#) && text.contains("notes: two\nlines"),
        "{text}"
    );
    let text = read(&[layout()], json!([{"words": "neither; a tree"}]));
    eprintln!("{text}");
    let text = read(&[database(), auth()], json!([{"leftOpen": true}, {"selected": ["JWT"]}]));
    eprintln!("{text}");
    let text = read(&[layout(), auth()], json!([{"leftOpen": true}, {"selected": ["JWT"]}]));
    eprintln!("{text}");
    let text = read(
        &[features(), auth()],
        json!([{"leftOpen": true}, {"selected": ["JWT"], "notes": "short-lived"}]),
    );
    eprintln!("{text}");
    for questions in [[database()], [layout()]] {
        let asked = scene.ask(&questions);
        scene
            .type_in(&asked, &Resolution::Discuss { words: words("what does; it cost?") }, &|_| {})
            .unwrap();
        eprintln!(
            "{:?}",
            scene.model.requests().last().map(|r| r.to_string().contains("what does; it cost?"))
        );
        scene.session.wait_closed();
    }
    let asked = scene.ask(&[database()]);
    scene.type_in(&asked, &Resolution::Declined { reason: None }, &|_| {}).unwrap();
    scene.session.wait_closed();
    assert!(asked.outcome().unwrap().rejected);
    let asked = scene.ask(&[features(), auth()]);
    scene
        .type_in(&asked, &Resolution::Declined { reason: Some(words("!not @now\n/yet")) }, &|_| {})
        .unwrap();
    scene.session.wait_closed();
}

/// A question whose dialog is taller than a small window: its top is out of sight.
fn tall(several: bool) -> serde_json::Value {
    let about = "which goes over several lines in a narrow window, for it says much more of this \
                 option than anybody needs to know about it";
    let option = |label: &str| json!({"label": label, "description": about});
    let options = ["First", "Second", "Third", "Fourth"].map(option);
    json!({"question": "Which of these shall it be, all things considered, and why?",
        "header": "Tall", "multiSelect": several,
        "options": options})
}

#[test]
fn a_dialog_taller_than_its_window_is_answered() {
    let scene = Scene::of_size((60, 16));
    let read = |question: serde_json::Value, answer: serde_json::Value| {
        scene.answer(&scene.ask(&[question]), json!([answer]))
    };
    let text = read(tall(false), json!({"selected": ["First"]}));
    assert!(text.contains(r#"="First""#), "{text}");
    let text = read(tall(true), json!({"selected": ["First", "Third"], "words": "more"}));
    assert!(text.contains(r#"="First, Third, more""#), "{text}");
    let long = "many words ".repeat(900) + "end";
    let text = read(tall(false), json!({"words": long}));
    assert!(text.contains(&long));
    let text = read(database(), json!({"words": "line\n".repeat(60) + "end"}));
    assert!(text.contains("line\nline\nend"));
}

#[test]
fn every_answer_is_typed_in_a_window_of_80_by_24() {
    every_way((80, 24));
}

#[test]
fn every_answer_is_typed_in_a_window_of_60_by_16() {
    every_way((60, 16));
}

#[test]
fn every_answer_is_typed_in_a_window_of_200_by_50() {
    every_way((200, 50));
}
