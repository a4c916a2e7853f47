//! The answer in every form an agent takes.

use handraise_testkit::Key::{Enter, Text};
use serde_json::{Value, json};

use crate::asking::{Asked, Asking, Place, database, two_questions};

/// The first option of the first question; the second, with words, of the second.
fn answered(format: &str) -> Asked {
    let mut asking = Asking::with(&two_questions(), &["--format", format], &Place::default());
    asking.press(&[Enter]).see("Question 2 of 2").press(&[Text("2")]).see("☑ ESLint");
    asking.press(&[Text("5")]).see("Please specify").press(&[Text("bun, too"), Enter]);
    asking.see("> Send these answers").press(&[Enter]);
    let asked = asking.end();
    assert_eq!(asked.code, 0, "{}", asked.screen);
    asked
}

#[test]
fn json_is_lossless_and_names_the_surface() {
    let asked = answered("json");
    let resolution: Value = serde_json::from_str(&asked.stdout).unwrap();
    assert_eq!(
        resolution["answers"],
        json!([{"selected": ["PostgreSQL (Recommended)"], "words": null, "notes": null, "leftOpen": false},
               {"selected": ["ESLint + Prettier"], "words": "bun, too", "notes": null, "leftOpen": false}])
    );
    assert_eq!(
        resolution["responder"],
        json!({"person": null, "device": null, "surface": "terminal", "proof": "tty"})
    );
    assert!(resolution["at"].as_str().unwrap().ends_with('Z'));
}

#[test]
fn claude_gets_updated_input_with_the_questions_as_sent() {
    let asked = answered("claude");
    let result: Value = serde_json::from_str(&asked.stdout).unwrap();
    assert_eq!(
        result,
        json!({"behavior": "allow", "updatedInput": {
            "questions": two_questions()["questions"],
            "answers": {
                "Which database should we use for this project?": "PostgreSQL (Recommended)",
                "Which features should we enable?": "ESLint + Prettier, \"bun, too\""}}})
    );
}

#[test]
fn summary_is_the_documents() {
    assert_eq!(
        answered("summary").stdout,
        "User answered the following questions:\n\
         \n\
         1. Database (Which database should we use for this project?)\n   Selected: PostgreSQL\n\
         \n\
         2. Features (Which features should we enable?)\n   Selected: ESLint + Prettier\n   \
         Own words: bun, too\n\
         \n\
         Proceeding with user selections.\n"
    );
}

#[test]
fn gencode_has_the_result_shape() {
    let result: Value = serde_json::from_str(&answered("gencode").stdout).unwrap();
    assert_eq!(
        result,
        json!({"answers": [
            {"question": "Which database should we use for this project?", "header": "Database",
             "selectedOptions": ["PostgreSQL (Recommended)"]},
            {"question": "Which features should we enable?", "header": "Features",
             "selectedOptions": ["ESLint + Prettier"], "customInput": "bun, too"}]})
    );
}

#[test]
fn text_is_the_answer_alone_or_a_map() {
    assert_eq!(
        serde_json::from_str::<Value>(&answered("text").stdout).unwrap(),
        json!({"Which database should we use for this project?": "PostgreSQL (Recommended)",
               "Which features should we enable?": "ESLint + Prettier, \"bun, too\""})
    );
    let mut asking = Asking::with(&database(), &["--format", "text"], &Place::default());
    asking.press(&[Text("2")]);
    assert_eq!(asking.end().stdout, "MongoDB\n");
}
