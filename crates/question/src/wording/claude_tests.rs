use proptest::prelude::*;
use serde_json::json;

use super::super::fixtures::{answered, ask, own};
use super::*;
use crate::Limits;

fn permitted(ask: &Ask, resolution: &Resolution) -> Value {
    serde_json::from_str(&serde_json::to_string(&permission(ask, resolution)).unwrap()).unwrap()
}

#[test]
fn answers_are_keyed_by_the_exact_question_text() {
    let ask = ask(&json!({"questions": [
        {"question": " Which\u{1b}[31m database? ", "header": "Database",
         "options": [{"label": "PostgreSQL (Recommended)"}, {"label": "SQLite", "preview": "one file"}]},
        {"question": "Which features?", "header": "Features", "multiSelect": true,
         "options": [{"label": "Auth"}, {"label": "Billing, taxes"}, {"label": "Search"}]}]}));
    let resolution = answered(
        &ask,
        &json!([
        {"selected": ["SQLite"], "notes": "because small"},
        {"selected": ["Search", "Billing, taxes"], "words": "dark mode"}]),
    );
    let allowed = permitted(&ask, &resolution);
    assert_eq!(allowed["behavior"], "allow");
    assert_eq!(
        allowed["updatedInput"]["answers"],
        json!({" Which\u{1b}[31m database? ": "SQLite",
               "Which features?": "\"Billing, taxes\", Search, dark mode"})
    );
    assert_eq!(
        allowed["updatedInput"]["annotations"],
        json!({" Which\u{1b}[31m database? ": {"preview": "one file", "notes": "because small"}})
    );
}

#[test]
fn the_questions_and_the_metadata_go_back_byte_for_byte() {
    let sent = r#"[ {"question":"Caf\u00e9?", "x":1.50, "options":[{"label":"a","description":"b","z":[1e3]}]} ]"#;
    let metadata = r#"{ "source":"caf\u00e9", "n":1.50 }"#;
    let json = format!(r#"{{"metadata":{metadata},"questions":{sent}}}"#);
    let ask = Ask::read(json.as_bytes(), &Limits::WIDE).unwrap().ask;
    let resolution = answered(&ask, &json!([{"selected": ["a"]}]));
    let text = serde_json::to_string(&permission(&ask, &resolution)).unwrap();
    assert_eq!(
        text,
        format!(
            r#"{{"behavior":"allow","updatedInput":{{"questions":{sent},"answers":{{"Café?":"a"}},"metadata":{metadata}}}}}"#
        )
    );
}

#[test]
fn a_question_left_open_says_so_in_words_the_model_reads() {
    let ask = ask(&json!({"questions": [
        {"question": "A?", "options": [{"label": "x"}]}, {"question": "B?"}, {"question": "C?"}]}));
    let resolution = answered(
        &ask,
        &json!([{"selected": ["x"]}, {"leftOpen": true}, {"leftOpen": true, "notes": "ask Bo"}]),
    );
    let input = &permitted(&ask, &resolution)["updatedInput"];
    assert_eq!(input["answers"], json!({"A?": "x"}));
    assert_eq!(
        input["annotations"],
        json!({"B?": {"notes": "The person left this question open on purpose."},
               "C?": {"notes": "The person left this question open on purpose. Their note: ask Bo"}})
    );
}

#[test]
fn nothing_but_an_answer_is_an_allow() {
    let ask = ask(&json!({"questions": [{"question": "A?", "options": [{"label": "x"}]}]}));
    for resolution in [
        Resolution::Declined { reason: Some(own("allow")) },
        Resolution::Discuss { words: own("hm") },
        Resolution::NoAnswer { after_seconds: 1 },
        Resolution::Withdrawn { reason: None },
    ] {
        let denied = permitted(&ask, &resolution);
        assert_eq!(denied["behavior"], "deny");
        assert!(denied.get("updatedInput").is_none());
        assert!(denied["message"].as_str().is_some_and(|message| !message.is_empty()));
    }
}

#[test]
fn a_key_that_names_no_question_is_refused() {
    let ask = ask(&json!({"questions": [{"question": "A?", "options": [{"label": "x"}]}]}));
    assert!(read(&ask, &json!({"A?": "x", "a?": "x"}), &Value::Null).is_err());
    assert!(read(&ask, &json!({}), &Value::Null).is_err());
    assert!(read(&ask, &json!({"A?": ""}), &Value::Null).is_err());
    assert!(read(&ask, &json!({"A?": 1}), &Value::Null).is_err());
}

proptest! {
    #[test]
    fn what_the_person_chose_comes_back_whole(
        label in "[a-z,\" ]{0,8}[a-z]",
        words in prop::option::of("\\PC{1,30}w"),
        notes in prop::option::of("\\PC{0,20}n"),
        open in any::<bool>(),
    ) {
        let ask = ask(&json!({"questions": [
            {"question": "A?", "multiSelect": true, "options": [{"label": label}, {"label": "Z"}]},
            {"question": "B?", "options": [{"label": "Y"}]}]}));
        let second = if open { json!({"leftOpen": true, "notes": notes}) } else { json!({"selected": ["Y"], "notes": notes}) };
        let resolution = answered(&ask, &json!([{"selected": [label, "Z"], "words": words}, second]));
        let input = permitted(&ask, &resolution)["updatedInput"].take();
        let back = read(&ask, &input["answers"], &input["annotations"]).unwrap();
        prop_assert_eq!(Resolution::Answered(back), resolution);
    }
}

#[test]
fn what_was_left_open_in_a_dialog_comes_back_as_that() {
    let ask = ask(&json!({"questions": [
        {"question": "A?", "options": [{"label": "x"}, {"label": "y"}]},
        {"question": "B?", "options": [{"label": "x"}, {"label": "y"}]}]}));
    let sentence = left_open(Some("later"));
    let open = |answers: &Value, annotations: &Value| {
        taken(&ask, answers, annotations).unwrap().forms()[0].clone()
    };
    let expected =
        AnswerForm { left_open: true, notes: Some("later".into()), ..AnswerForm::default() };
    assert_eq!(open(&json!({"A?": sentence, "B?": "x"}), &Value::Null), expected);
    let noted = json!({"A?": {"notes": sentence}});
    assert_eq!(open(&json!({"A?": "(notes only)", "B?": "x"}), &noted), expected);
    assert_eq!(open(&json!({"B?": "x"}), &noted), expected);
}

#[test]
fn a_label_that_the_dialog_has_tidied_up_is_that_label() {
    let ask = ask(&json!({"questions": [{"question": "A?", "options": [
        {"label": "⚠\u{FE0F} Delete  all "}, {"label": "Keep"}]}]}));
    let chosen = taken(&ask, &json!({"A?": "⚠ Delete all"}), &Value::Null).unwrap().forms();
    assert_eq!(chosen[0].selected, ["⚠\u{FE0F} Delete  all "]);
    let words = taken(&ask, &json!({"A?": "Delete all"}), &Value::Null).unwrap().forms();
    assert_eq!(words[0].words.as_deref(), Some("Delete all"));
}
