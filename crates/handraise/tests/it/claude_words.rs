//! What a person says arrives as it was said: compared with what the model read.

use handraise_broker::State;
use serde_json::{Value, json};

use crate::claude_scene::{DEFAULT, Scene, answers, auth, database, features, layout, said};

#[test]
fn own_words_reach_the_model_of_claude_as_they_were_typed() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let database = database();
    let question = database["question"].as_str().unwrap();
    let words = [
        "MariaDB, please",
        "the \"fast\" one, or 'none'",
        "first line\nsecond line\n\n  indented",
        "🦆 naïve 日本 שלום",
        "back\\slash & <b>bold</b> $(rm -rf /) `x` %s {0}",
        "null",
    ];
    for (n, words) in words.iter().enumerate() {
        let tag = format!("words{n}");
        let ask = scene.ask(&session, &tag, std::slice::from_ref(&database));
        scene.answer(ask.id, json!([{"words": words}]));
        let read = scene.model.wait_result(&tag).text;
        assert_eq!(read, said(&format!("\"{question}\"=\"{words}\"")));
        session.wait_closed();
        let seen = scene.wait_seen(ask.id);
        assert_eq!((seen.state(), &answers(&seen)[0]["words"]), (State::Delivered, &json!(words)));
    }
    let long = "all of it, and more; ".repeat(500).trim_end().to_owned();
    let ask = scene.ask(&session, "long", std::slice::from_ref(&database));
    scene.answer(ask.id, json!([{"words": &long[..9_900]}]));
    let read = scene.model.wait_result("long").text;
    assert_eq!(read, said(&format!("\"{question}\"=\"{}\"", &long[..9_900])));
    assert_eq!(scene.wait_seen(ask.id).state(), State::Delivered);
}

#[test]
fn several_options_words_notes_and_a_preview_reach_the_model_of_claude() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let question = |question: &Value| question["question"].clone();
    let (features, layout) = (features(), layout());
    let cases = [
        (
            "labels",
            vec![features.clone()],
            json!([{"selected": ["say \"hi\"", "Billing, taxes"], "words": "and docs, \"soon\""}]),
            format!(
                "{}=\"\"Billing, taxes\", \"say \\\"hi\\\"\", \"and docs, \\\"soon\\\"\"\"",
                question(&features)
            ),
        ),
        (
            "words",
            vec![features.clone()],
            json!([{"words": "nothing of that"}]),
            format!("{}=\"nothing of that\"", question(&features)),
        ),
        (
            "notes",
            vec![auth()],
            json!([{"selected": ["JWT"], "notes": "short-lived, \"please\""}]),
            format!("{}=\"JWT\" notes: short-lived, \"please\"", question(&auth())),
        ),
        (
            "preview",
            vec![layout.clone()],
            json!([{"selected": ["Sidebar"], "notes": "wide\nenough"}]),
            format!(
                "{}=\"Sidebar\" selected preview:\n{} notes: wide\nenough",
                question(&layout),
                layout["options"][0]["preview"].as_str().unwrap()
            ),
        ),
    ];
    for (tag, questions, answers, read) in cases {
        let ask = scene.ask(&session, tag, &questions);
        scene.answer(ask.id, answers);
        assert_eq!(scene.model.wait_result(tag).text, said(&read));
        session.wait_closed();
        assert_eq!(scene.wait_seen(ask.id).state(), State::Delivered, "{tag}");
    }
}

#[test]
fn the_hub_learns_the_words_typed_into_claude_codes_dialog() {
    let scene = Scene::new();
    let session = scene.session(DEFAULT);
    let words = "MariaDB, the \"small\" one";
    let ask = scene.ask(&session, "typed", &[database()]);
    session.answer(&["4"]);
    session.type_text(words);
    session.wait_for(words);
    session.press("Enter");
    scene.model.wait_result("typed");
    let seen = scene.wait_seen(ask.id);
    assert_eq!(answers(&seen)[0]["words"], json!(words));
    // One of two is passed over in the dialog.
    let ask = scene.ask(&session, "passed_over", &[database(), auth()]);
    session.answer(&["2", "Tab", "Enter"]);
    scene.model.wait_result("passed_over");
    let seen = scene.wait_seen(ask.id);
    assert_eq!(answers(&seen)[0]["selected"], json!(["SQLite"]));
    assert_eq!(answers(&seen)[1]["leftOpen"], json!(true));
}
