use serde_json::json;

use super::*;

fn read(arguments: &str) -> Result<AskUser, Violations> {
    AskUser::read(&RawValue::from_string(arguments.to_owned()).unwrap())
}

fn wrong(arguments: &str) -> Vec<String> {
    let violations = read(arguments).unwrap_err();
    violations.as_slice().iter().map(|violation| violation.path.clone()).collect()
}

#[test]
fn questions_are_kept_byte_for_byte() {
    let questions =
        r#"[ {"question":"Q\u003f 🙋",  "mine": 1.50, "options":[{"label":"a","x":1e2}]} ]"#;
    let ask = read(&format!(r#"{{"why":"because","questions":{questions},"title":"t"}}"#)).unwrap();
    assert_eq!(ask.matter.as_sent().get(), questions);
    assert_eq!(ask.why.as_deref(), Some("because"));
    assert_eq!(ask.title.as_deref(), Some("t"));
}

#[test]
fn nothing_beside_the_questions_is_needed() {
    let ask = read(r#"{"questions":[{"question":"Q?"}],"why":null,"title":" "}"#).unwrap();
    assert_eq!((ask.why, ask.title), (None, None));
}

#[test]
fn every_mistake_is_named_at_once() {
    let many: Vec<_> = (0..21).map(|i| json!({"question": format!("{i}?")})).collect();
    let arguments = json!({"questions": many, "why": 5, "title": "t".repeat(1001)});
    assert_eq!(wrong(&arguments.to_string()), ["questions", "why", "title"]);
    assert_eq!(wrong("{}"), ["questions"]);
    assert_eq!(wrong("[]"), ["input"]);
    assert_eq!(wrong("null"), ["input"]);
    assert_eq!(wrong(r#""text""#), ["input"]);
    let deep = format!(
        r#"{{"questions":[{{"question":"Q?","x":{}{}}}]}}"#,
        "[".repeat(120),
        "]".repeat(120)
    );
    assert_eq!(wrong(&deep), ["questions"]);
}

#[test]
fn mistakes_are_not_quoted() {
    let said = read(r#"{"questions":"SECRET","why":["SECRET"]}"#).unwrap_err().to_string();
    assert!(!said.contains("SECRET"), "{said}");
}

#[test]
fn a_ticket_is_the_id_of_an_ask() {
    let id = "01a1e070-e1d9-7240-9024-06ea3e9ba722";
    let ticket =
        |arguments: &str| ticket(&RawValue::from_string(arguments.to_owned()).unwrap(), "ask_user");
    assert_eq!(ticket(&json!({"ticket": id}).to_string()).unwrap().to_string(), id);
    for arguments in ["{}", "[]", r#"{"ticket":7}"#, r#"{"ticket":"x"}"#, r#"{"ticket":null}"#] {
        assert!(ticket(arguments).is_err(), "{arguments}");
    }
}
