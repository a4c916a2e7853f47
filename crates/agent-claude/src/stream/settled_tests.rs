use std::sync::Arc;

use handraise_broker::{AskId, Asker, Delivery, Level, Opened, Phase, Policy, Resolved};
use jiff::Timestamp;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::super::heard::{Asked, Message};
use super::*;

/// Lines of Claude Code 2.1.325, shortened.
const SAMPLES: &str = include_str!("../../samples/stream.jsonl");

fn sample(part: &str) -> Message {
    let line = SAMPLES.lines().find(|line| line.contains(part)).unwrap();
    Message::read(line.as_bytes()).unwrap()
}

fn request(id: &str) -> CanUseTool {
    let Message::Request(request) = sample(id) else { panic!() };
    let Asked::CanUseTool(call) = request.asked else { panic!() };
    *call
}

fn user(part: &str) -> User {
    let Message::User(user) = sample(part) else { panic!() };
    user
}

#[test]
fn a_question_is_put_byte_for_byte() {
    let call = request("b351f019");
    let matter = matter(&call, None).unwrap();
    assert_eq!(format!(r#"{{"questions":{}}}"#, matter.as_sent()), call.input.get());
}

#[test]
fn a_call_is_put_with_what_claude_code_says_of_it() {
    let matter = matter(&request("c57db5da"), None).unwrap();
    let approval: Value = serde_json::from_str(matter.as_sent().get()).unwrap();
    assert_eq!(approval["tool"], "Bash");
    assert_eq!(approval["description"], "touch a file");
    assert_eq!(approval["suggestions"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_plan_is_taken_from_where_it_is() {
    let plan = |call: &CanUseTool, seen: Option<&str>| {
        let matter = matter(call, seen).unwrap();
        let approval: Value = serde_json::from_str(matter.as_sent().get()).unwrap();
        approval["plan"].clone()
    };
    let mut call = request("910247e1");
    assert_eq!(plan(&call, None), Value::Null);
    assert_eq!(plan(&call, Some("# Seen")), "# Seen");
    let written = json!({"plan": "# Written", "planFilePath": "/plans/a.md"});
    call.input = to_raw_value(&written).unwrap();
    assert_eq!(plan(&call, None), "# Written");
}

#[test]
fn what_claude_code_took_is_read_from_what_it_says() {
    let question = matter(&request("b351f019"), None).unwrap();
    let receipt = |part| receipt(&question, "toolu_ask", None, &user(part)).unwrap();
    let answered = receipt("questions have been answered");
    assert_eq!(answered.level, Level::Seen);
    assert!(answered.text.unwrap().starts_with("Your questions have been answered"));
    let took = answered.took.unwrap();
    assert_eq!(took["kind"], "answered");
    assert_eq!(took["answers"][0]["selected"], json!(["SQLite"]));
    assert_eq!(receipt("user-rejected").took, Some(json!({"kind": "declined"})));
}

#[test]
fn words_of_ours_tell_nothing_new() {
    let bash = matter(&request("c57db5da"), None).unwrap();
    let receipt = receipt(&bash, "toolu_bash", Some("nope"), &user("nope")).unwrap();
    assert_eq!((receipt.text.as_deref(), receipt.took), (Some("nope"), None));
}

#[test]
fn a_message_about_another_call_tells_nothing() {
    let question = matter(&request("b351f019"), None).unwrap();
    assert!(receipt(&question, "toolu_other", None, &user("user-rejected")).is_none());
}

#[test]
fn what_was_shown_goes_back_byte_for_byte() {
    let odd = r#"{"n":123456789012345678901234567890, "z":-0,"e":1e999,"s":"\ud800"}"#;
    let allowed = |matter: Matter, resolution: Value| {
        let opened = Opened {
            asker: Asker::default(),
            key: None,
            owner: None,
            matter,
            policy: Policy::default(),
            rival_dialog: false,
            deadline_at: None,
        };
        let at = Timestamp::UNIX_EPOCH;
        let mut record = Record::open(AskId::from_bytes([0; 16]), Arc::new(opened), 1, at);
        let resolved = Resolved { resolution, responder: None, at, submit: None };
        record.phase =
            Phase::Resolved { resolved: Arc::new(resolved), delivery: Delivery::Awaited };
        serde_json::to_string(&permission(&record).unwrap()).unwrap()
    };
    let call = format!(r#"{{"tool":"pay","input":{odd},"suggestions":[{odd}]}}"#);
    let call = Matter::approval(RawValue::from_string(call).unwrap()).unwrap();
    assert_eq!(
        allowed(call, json!({"kind": "answered", "decision": "allow", "remember": true})),
        format!(r#"{{"behavior":"allow","updatedInput":{odd},"updatedPermissions":[{odd}]}}"#)
    );
    let asked = format!(
        r#"{{"questions":[{{"question":"Which?","options":[{{"label":"A"}}],"odd":{odd}}}]}}"#
    );
    let asked = questions(&RawValue::from_string(asked).unwrap()).unwrap();
    let chosen = json!({"kind": "answered", "answers": [{"selected": ["A"]}]});
    assert!(allowed(asked, chosen).contains(odd));
}
