use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::{Ask, Limits, Reading, Select};

fn read(json: &Value, limits: &Limits) -> Result<Reading, Vec<String>> {
    Ask::read(json.to_string().as_bytes(), limits)
        .map_err(|violations| violations.as_slice().iter().map(ToString::to_string).collect())
}

fn question(text: &str) -> Value {
    json!({"question": text, "header": "Header", "multiSelect": false, "options": [
        {"label": "A", "description": "first"}, {"label": "B", "description": "second"}]})
}

fn refused(json: &Value) -> Vec<String> {
    read(json, &Limits::STRICT).unwrap_err()
}

#[test]
fn a_good_ask_is_read_whole() {
    let reading = read(&json!({"questions": [question("Q?")]}), &Limits::STRICT).unwrap();
    assert_eq!(reading.warnings, []);
    let questions = reading.ask.questions();
    assert_eq!(questions[0].text(), "Q?");
    assert_eq!(questions[0].header(), Some("Header"));
    assert_eq!(questions[0].select(), Select::Single);
    assert_eq!(questions[0].options()[1].description(), Some("second"));
}

#[test]
fn counts_are_checked_at_both_ends() {
    assert_eq!(refused(&json!({"questions": []})), ["questions: 0 questions, 1–4 needed"]);
    let five: Vec<_> = (0..5).map(|i| question(&format!("Q{i}?"))).collect();
    assert_eq!(refused(&json!({"questions": five})), ["questions: 5 questions, 1–4 needed"]);
    for n in [1, 5] {
        let options: Vec<_> =
            (0..n).map(|i| json!({"label": format!("L{i}"), "description": "d"})).collect();
        let mut q = question("Q?");
        q["options"] = options.into();
        let expected = if n == 1 { "1 option" } else { "5 options" };
        assert_eq!(
            refused(&json!({"questions": [question("P?"), q]})),
            [format!("questions[1].options: {expected}, 2–4 needed")]
        );
    }
}

#[test]
fn every_violation_is_reported_at_once_with_its_path() {
    let ask = json!({"questions": [
        {"question": "Q?", "header": "Thirteen char", "options": [
            {"label": "", "description": "d"},
            {"label": "x".repeat(51), "description": "y".repeat(201)},
            {"label": 7, "description": null},
            "text"]},
        "not a question",
        {"question": "Q?", "header": "", "multiSelect": "yes", "options": {}}]});
    assert_eq!(
        refused(&ask),
        [
            "questions[0].header: 13 characters, 1–12 needed",
            "questions[0].options[0].label: 0 characters, 1–50 needed",
            "questions[0].options[1].label: 51 characters, 1–50 needed",
            "questions[0].options[1].description: 201 characters, 1–200 needed",
            "questions[0].options[2].label: a number, a text needed",
            "questions[0].options[2].description: null, a text needed",
            "questions[0].options[3]: a string, an option object needed",
            "questions[0].multiSelect: missing, true or false needed",
            "questions[1]: a string, a question object needed",
            "questions[2].header: 0 characters, 1–12 needed",
            "questions[2].options: an object, a list of options needed",
            "questions[2].multiSelect: a string, true or false needed",
            "questions[2].question: the same text as questions[0].question, a text of its own needed",
        ]
    );
}

#[test]
fn characters_are_counted_as_people_see_them() {
    let mut q = question("Q?");
    q["header"] = "👨‍👩‍👧".repeat(12).into();
    assert!(read(&json!({"questions": [q]}), &Limits::STRICT).is_ok());
}

#[test]
fn duplicates_are_refused_under_every_limit() {
    let mut twice = question("Q?");
    twice["options"][1]["label"] = "A".into();
    for limits in [Limits::STRICT, Limits::CLAUDE_CODE, Limits::WIDE] {
        assert_eq!(
            read(&json!({"questions": [twice]}), &limits).unwrap_err(),
            ["questions[0].options[1].label: the same label as questions[0].options[0].label, \
              a label of its own needed"]
        );
        assert!(read(&json!({"questions": [question("Q?"), question("Q?")]}), &limits).is_err());
    }
}

#[test]
fn what_claude_code_lets_through_is_let_through() {
    let ask = json!({"questions": [{"question": "Q?", "header": "A header of any length",
        "options": [{"label": "l".repeat(300), "description": ""}, {"label": "B", "description": "d"}]}]});
    let reading = read(&ask, &Limits::CLAUDE_CODE).unwrap();
    assert_eq!(reading.ask.questions()[0].select(), Select::Single);
    assert!(read(&ask, &Limits::STRICT).is_err());
    let one = json!({"questions": [{"question": "Q?", "header": "h", "options": [{"label": "A", "description": "d"}]}]});
    assert!(read(&one, &Limits::CLAUDE_CODE).is_err());
}

#[test]
fn the_wide_limits_allow_open_questions_and_many_options() {
    let options: Vec<_> = (0..50).map(|i| json!({"label": format!("L{i}")})).collect();
    let mut questions =
        vec![json!({"question": "Open?"}), json!({"question": "Empty?", "options": []})];
    questions.extend((2..20).map(|i| json!({"question": format!("Q{i}"), "options": options})));
    let reading = read(&json!({"questions": questions}), &Limits::WIDE).unwrap();
    assert!(reading.ask.questions()[0].is_open());
    assert!(reading.ask.questions()[1].is_open());
    questions.push(json!({"question": "one too many"}));
    assert_eq!(
        read(&json!({"questions": questions}), &Limits::WIDE).unwrap_err(),
        ["questions: 21 questions, 1–20 needed"]
    );
}

#[test]
fn unknown_fields_are_kept_and_forged_answers_dropped() {
    let mut q = question("Q?");
    q["x"] = 1.into();
    q["options"][0]["y"] = json!([2]);
    let ask = json!({"questions": [q], "metadata": {"source": "remember"}, "z": 3,
        "answers": {"Q?": "A"}, "annotations": {"Q?": {"notes": "n"}}});
    let Reading { ask, warnings } = read(&ask, &Limits::STRICT).unwrap();
    assert_eq!(ask.questions()[0].unknown().get("x"), Some("1"));
    assert_eq!(ask.questions()[0].options()[0].unknown().get("y"), Some("[2]"));
    assert_eq!(ask.metadata().map(RawValue::get), Some(r#"{"source":"remember"}"#));
    assert_eq!(ask.unknown().names().collect::<Vec<_>>(), ["z"]);
    assert_eq!(
        warnings.iter().map(|w| w.path.as_str()).collect::<Vec<_>>(),
        ["answers", "annotations"]
    );
}

#[test]
fn long_labels_and_a_late_recommendation_are_advised_against() {
    let mut q = question("Q?");
    q["options"][0]["label"] = "one two three four five six".into();
    q["options"][1]["label"] = "B (Recommended)".into();
    let warnings = read(&json!({"questions": [q]}), &Limits::STRICT).unwrap().warnings;
    assert_eq!(
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "questions[0].options[0].label: 6 words, 1–5 needed",
            "questions[0].options[1]: recommended but not first, first place needed",
        ]
    );
}

#[test]
fn what_is_not_an_ask_is_named() {
    let said = |bytes: &[u8]| Ask::read(bytes, &Limits::STRICT).unwrap_err().to_string();
    assert_eq!(said(b""), "input: empty, AskUserQuestion JSON needed");
    assert_eq!(said(b" \n"), "input: empty, AskUserQuestion JSON needed");
    assert_eq!(said(b"[]"), "input: a list, an object with questions needed");
    assert_eq!(said(b"{}"), "questions: missing, a list of questions needed");
    assert_eq!(said(b"\xff"), "input: not UTF-8 at byte 0, AskUserQuestion JSON needed");
    assert!(said(b"hello").starts_with("input: not JSON (expected value at line 1 column 1)"));
    assert!(said("[".repeat(100_000).as_bytes()).starts_with("input: not JSON (EOF"));
    assert_eq!(
        said(br#"{"questions": [{"question": "\ud800", "header": "H", "multiSelect": true, "options": [
            {"label": "a", "description": "d"}, {"label": "b", "description": "d"}]}]}"#),
        "questions[0].question: text with half a character, a text needed"
    );
    assert_eq!(said(&vec![b' '; 5_242_880]), "input: 5,242,880 bytes, 1,048,576 or fewer needed");
}

#[test]
fn unknown_fields_are_never_fatal_whatever_they_hold() {
    let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
    let json = format!(
        r#"{{"a": 1e999, "b": {deep}, "c": "\ud800", "questions": [
            {{"question": "Q?", "x": {deep}, "options": [{{"label": "l", "y": -1e999}}]}}]}}"#
    );
    let ask = Ask::read(json.as_bytes(), &Limits::WIDE).unwrap().ask;
    assert_eq!(ask.unknown().get("a"), Some("1e999"));
    assert_eq!(ask.questions()[0].unknown().get("x"), Some(deep.as_str()));
}

#[test]
fn of_two_fields_with_one_name_the_last_counts() {
    let json = br#"{"questions": [], "questions": [{"question": "A?", "question": "B?"}]}"#;
    let ask = Ask::read(json, &Limits::WIDE).unwrap().ask;
    assert_eq!(ask.questions()[0].text(), "B?");
    assert_eq!(ask.as_sent().get(), r#"[{"question": "A?", "question": "B?"}]"#);
}

#[test]
fn a_byte_order_mark_is_no_obstacle() {
    let json = format!("\u{feff}{}", json!({"questions": [question("Q?")]}));
    assert!(Ask::read(json.as_bytes(), &Limits::STRICT).is_ok());
}

proptest! {
    #[test]
    fn no_input_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Ask::read(&bytes, &Limits::WIDE);
    }

    #[test]
    fn no_shape_panics_and_what_is_read_keeps_its_text(
        text in "\\PC{1,40}", label in ".{1,20}", other in ".{1,20}", n in 0..60_usize,
    ) {
        let mut options = vec![json!({"label": label}), json!({"label": other})];
        options.extend((0..n).map(|i| json!({"label": format!("{i}/{label}")})));
        let ask = json!({"questions": [{"question": text, "options": options}]});
        if let Ok(reading) = read(&ask, &Limits::WIDE) {
            prop_assert_eq!(reading.ask.questions()[0].text(), text);
            prop_assert_eq!(reading.ask.questions()[0].options()[0].label(), label);
        }
    }
}
