//! One test for each promise of Overseer's plan "Handle Questions from the Agent".

use handraise_question::{Limits, OwnWords, QuestionOption};
use serde_json::json;
use serde_json::value::RawValue;

use super::*;
use crate::stream::{Block, Message};

/// The plan's own sample of an incoming event.
const EVENT: &str = r#"{
  "type": "assistant",
  "message": {
    "role": "assistant",
    "content": [
      {
        "type": "tool_use",
        "id": "toolu_abc123",
        "name": "AskUserQuestion",
        "input": {
          "questions": [
            {
              "question": "Which auth method should we use?",
              "header": "Auth method",
              "options": [
                { "label": "JWT", "description": "Stateless tokens, good for APIs" },
                { "label": "Sessions", "description": "Server-side sessions with cookies" }
              ],
              "multiSelect": false
            }
          ]
        }
      }
    ]
  }
}"#;

fn event(blocks: &Value) -> String {
    json!({"type": "assistant", "message": {"role": "assistant", "content": blocks}}).to_string()
}

fn call(id: &str, questions: &Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": "AskUserQuestion", "input": {"questions": questions}})
}

fn question(text: &str, multi: bool, labels: &[&str]) -> Value {
    let options: Vec<_> =
        labels.iter().map(|label| json!({"label": label, "description": "what it is"})).collect();
    json!({"question": text, "header": "H", "options": options, "multiSelect": multi})
}

/// The questions in one event, in their order: the id of each call, and its input.
fn questions(event: &str) -> Vec<(String, String)> {
    let Message::Assistant(said) = Message::read(event.as_bytes()).unwrap() else { return vec![] };
    let calls = said.blocks.into_iter().filter_map(|block| match block {
        Block::ToolUse { id, name, input } => {
            (name == "AskUserQuestion").then(|| (id, input.get().to_owned()))
        }
        Block::Text(_) | Block::Other => None,
    });
    calls.collect()
}

fn one(event: &str) -> Ask {
    let [(_, input)] = &questions(event)[..] else { panic!("{event}") };
    Ask::read(input.as_bytes(), &Limits::WIDE).unwrap().ask
}

fn answered(ask: &Ask, forms: Value) -> Value {
    let forms = serde_json::from_value(forms).unwrap();
    let resolution = Resolution::Answered(ask.check(forms).unwrap());
    json!(answer("toolu_abc123", ask, &resolution))
}

fn content(ask: &Ask, forms: Value) -> Value {
    answered(ask, forms)["message"]["content"][0]["content"].clone()
}

#[test]
fn overseer_question_arrives_in_an_assistant_event() {
    assert_eq!(questions(EVENT)[0].0, "toolu_abc123");
    let ask = one(EVENT);
    let question = &ask.questions()[0];
    assert_eq!(question.text(), "Which auth method should we use?");
    assert_eq!(question.header(), Some("Auth method"));
    let labels: Vec<_> = question.choices().map(QuestionOption::label).collect();
    assert_eq!(labels, ["JWT", "Sessions"]);
}

#[test]
fn overseer_answer_is_a_tool_result_with_the_selected_label() {
    assert_eq!(
        answered(&one(EVENT), json!([{"selected": ["JWT"]}])),
        json!({"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_abc123", "content": "JWT", "is_error": false}]}})
    );
}

#[test]
fn overseer_multi_select_labels_are_joined_with_comma_space() {
    let ask =
        one(&event(&json!([call("t", &json!([question("Which?", true, &["JWT", "Sessions"])]))])));
    assert_eq!(content(&ask, json!([{"selected": ["Sessions", "JWT"]}])), "JWT, Sessions");
}

#[test]
fn overseer_several_questions_are_answered_with_a_json_string_of_the_map() {
    let several = json!([
        question("Which auth?", false, &["JWT", "Sessions"]),
        question("Which features?", true, &["Dark mode", "i18n", "Analytics"]),
    ]);
    let ask = one(&event(&json!([call("t", &several)])));
    let answers = json!([{"selected": ["JWT"]}, {"selected": ["Dark mode", "Analytics"]}]);
    assert_eq!(
        content(&ask, answers),
        r#"{"Which auth?":"JWT","Which features?":"Dark mode, Analytics"}"#
    );
}

#[test]
fn overseer_one_to_four_questions_come_in_one_call() {
    for count in 1..=4 {
        let several: Vec<_> =
            (0..count).map(|i| question(&format!("Q{i}?"), false, &["a", "b"])).collect();
        assert_eq!(one(&event(&json!([call("t", &json!(several))]))).questions().len(), count);
    }
}

#[test]
fn overseer_other_is_free_text() {
    let own = "Neither: use \"mTLS\", please";
    assert_eq!(content(&one(EVENT), json!([{"words": own}])), own);
}

#[test]
fn overseer_skip_is_a_refusal_and_never_an_empty_answer() {
    let skipped = Resolution::Declined { reason: OwnWords::try_from("skipped by the person").ok() };
    let answer = json!(answer("t", &one(EVENT), &skipped));
    let result = &answer["message"]["content"][0];
    assert_eq!(result["is_error"], true);
    assert_eq!(
        result["content"],
        "The person declined to answer: skipped by the person. No option was chosen; do not assume one."
    );
}

#[test]
fn overseer_whatever_is_no_answer_is_an_error_with_words() {
    let ask = one(EVENT);
    for resolution in [
        Resolution::Declined { reason: None },
        Resolution::Discuss { words: OwnWords::try_from("why?").unwrap() },
        Resolution::NoAnswer { after_seconds: 1 },
        Resolution::Withdrawn { reason: None },
    ] {
        let answer = json!(answer("t", &ask, &resolution));
        let result = &answer["message"]["content"][0];
        assert_eq!(result["is_error"], true);
        assert!(result["content"].as_str().is_some_and(|words| !words.is_empty()));
    }
}

#[test]
fn overseer_questions_in_the_middle_of_content_blocks_are_found_in_order() {
    let q = json!([question("Q?", false, &["a", "b"])]);
    let blocks = json!([
        {"type": "text", "text": "before"}, call("t1", &q), {"type": "thinking"}, 5, call("t2", &q),
        {"type": "tool_use", "id": "t3", "name": "Bash", "input": {"command": "ls"}},
        {"type": "text", "text": "after"}]);
    let ids: Vec<_> = questions(&event(&blocks)).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["t1", "t2"]);
}

#[test]
fn overseer_other_events_hold_no_questions() {
    for other in [
        json!({"type": "control_request", "request": {"subtype": "can_use_tool"}}),
        json!({"type": "content_block_delta", "delta": {"text": "AskUserQuestion"}}),
        json!({"type": "result"}),
        json!({"type": "user", "message": {"content": [call("t", &json!([]))]}}),
        json!({"type": "assistant", "message": {"content": "AskUserQuestion"}}),
        json!([]),
    ] {
        assert!(questions(&other.to_string()).is_empty(), "{other}");
    }
}

/// An agent that is blocked must hear something, also about a call that makes no sense.
#[test]
fn overseer_a_call_that_cannot_be_asked_is_answered_with_what_is_wrong() {
    let blocks = json!([
        call("t1", &json!([])), {"type": "tool_use", "id": "t2", "name": "AskUserQuestion"}]);
    let asked = questions(&event(&blocks));
    assert_eq!(asked.len(), 2);
    for (id, input) in asked {
        let input: Box<RawValue> = RawValue::from_string(input).unwrap();
        let why = crate::stream::questions(&input).unwrap_err();
        let answer = json!(refuse(&id, why));
        let result = &answer["message"]["content"][0];
        assert_eq!((&result["tool_use_id"], &result["is_error"]), (&json!(id), &json!(true)));
        assert!(result["content"].as_str().unwrap().starts_with("Nobody was asked: "));
    }
}

#[test]
fn overseer_a_question_left_open_is_said_so_beside_the_answers() {
    let several =
        json!([question("One?", false, &["a", "b"]), question("Two?", false, &["a", "b"])]);
    let ask = one(&event(&json!([call("t", &several)])));
    let answers = json!([{"selected": ["a"]}, {"leftOpen": true, "notes": "ask Bo"}]);
    assert_eq!(
        content(&ask, answers),
        r#"{"One?":"a","Two?":"The person left this question open on purpose. Their note: ask Bo"}"#
    );
}
