//! Every sample of prime-agent's document "AskUserQuestion Callbacks", in its direction, and what the
//! document leaves open.

use handraise_broker::Reply;
use handraise_question::Surface;
use serde_json::json;

use super::super::fixtures::{answered, asked, overruled, replied, silent, surface};
use super::*;

/// The document's sample of a question; its name for it is another one.
fn format_question() -> Value {
    json!([
        {
          "question": "How should I format the output?",
          "header": "Format",
          "options": [
            {"label": "Summary", "description": "Brief overview"},
            {"label": "Detailed", "description": "Full explanation"}
          ],
          "multiSelect": false
        }
    ])
}

fn json(frame: &str) -> Value {
    serde_json::from_str(frame).unwrap()
}

fn ended(ask: &Record) -> Option<Value> {
    PrimeAgent.ended(&Ended::of("session-123", ask).unwrap()).map(|frame| json(&frame))
}

#[test]
fn prime_agent_sample_ask_user_question() {
    let ask = asked(&format_question());
    let id = ask.id.to_string();
    let frame =
        PrimeAgent.asked(&Asked { session: "session-123", ask: &ask, seconds_left: Some(55) });
    let sample = json!({
      "type": "ask_user_question",
      "question_id": id,
      "questions": format_question(),
      "timeout_seconds": 55
    });
    assert_eq!(json(&frame), sample);
    assert!(frame.contains(ask.matter().as_sent().get()), "byte for byte: {frame}");
}

#[test]
fn without_a_deadline_there_is_no_number_of_seconds() {
    let ask = asked(&format_question());
    let frame = PrimeAgent.asked(&Asked { session: "s", ask: &ask, seconds_left: None });
    assert_eq!(json(&frame)["timeout_seconds"], Value::Null);
}

#[test]
fn prime_agent_sample_ask_user_timeout() {
    let ask = asked(&format_question());
    let sample = json!({
      "type": "ask_user_timeout",
      "question_id": ask.id.to_string(),
      "error": "User response timed out"
    });
    assert_eq!(ended(&silent(&ask)), Some(sample));
}

#[test]
fn prime_agent_sample_session_status() {
    let waiting = Status { session: "session-123", is_working: true, waiting: Some("q_123") };
    let sample = json!({
      "type": "session_status",
      "session_id": "session-123",
      "is_processing": false,
      "waiting_for_user": true,
      "pending_question_id": "q_123"
    });
    assert_eq!(PrimeAgent.status(&waiting).map(|frame| json(&frame)), Some(sample));
    let working = PrimeAgent.status(&Status { waiting: None, ..waiting }).unwrap();
    let expected = json!({"type": "session_status", "session_id": "session-123",
        "is_processing": true, "waiting_for_user": false, "pending_question_id": null});
    assert_eq!(json(&working), expected);
}

#[test]
fn prime_agent_sample_ask_user_response() {
    let sample = r#"{
      "type": "ask_user_response",
      "data": {
        "question_id": "q_123",
        "answers": {
          "How should I format the output?": "Summary"
        },
        "cancelled": false
      }
    }"#;
    let answers = json!({"How should I format the output?": "Summary"});
    let says = Says::Answers(answers.as_object().unwrap().clone());
    let response = Said::Response { session: None, ask: "q_123".into(), says };
    assert_eq!(PrimeAgent.read(sample).unwrap(), response);
}

#[test]
fn prime_agent_cancelled_true_needs_no_answers() {
    for data in [
        json!({"question_id": "q", "cancelled": true}),
        json!({"question_id": "q", "cancelled": true, "answers": {"a": "b"}}),
        json!({"question_id": "q", "cancelled": true, "answers": null}),
    ] {
        let message = json!({"type": "ask_user_response", "data": data}).to_string();
        let response = Said::Response { session: None, ask: "q".into(), says: Says::Cancelled };
        assert_eq!(PrimeAgent.read(&message).unwrap(), response, "{message}");
    }
}

#[test]
fn prime_agent_on_cancel_ask_user_timeout_is_emitted() {
    let ask = asked(&format_question());
    let cancelled = replied(&ask, Reply::Decline(None), surface("prime-agent"));
    let told = ended(&cancelled).unwrap();
    assert_eq!((&told["type"], &told["error"]), (&json!("ask_user_timeout"), &json!(CANCELLED)));
}

#[test]
fn an_answer_from_here_is_known_here_and_one_from_elsewhere_is_told_with_its_author() {
    let ask = asked(&format_question());
    let answers = json!([{"selected": ["Summary"]}]);
    assert_eq!(ended(&answered(&ask, answers.clone(), surface("prime-agent"))), None);
    for elsewhere in [Surface::Web, Surface::Terminal, surface("gobby")] {
        let told = ended(&answered(&ask, answers.clone(), elsewhere)).unwrap();
        assert_eq!(told["type"], "ask_user_timeout");
        let error = told["error"].as_str().unwrap();
        assert!(error.starts_with("already answered by ann at "), "{error}");
    }
}

#[test]
fn an_answer_the_agent_did_not_take_is_said_to_be_none() {
    let ask = asked(&format_question());
    let mine = answered(&ask, json!([{"selected": ["Summary"]}]), surface("prime-agent"));
    let took = json!({"kind": "answered", "answers": [{"selected": ["Detailed"]}]});
    let ask = overruled(&mine, took);
    let ended = Ended::of("s", &ask).unwrap();
    let told = json(&PrimeAgent.amiss(&ended, &ended.trouble().unwrap()));
    assert_eq!((&told["type"], &told["error"]), (&json!("error"), &json!("not_delivered")));
    assert!(told["message"].as_str().unwrap().contains("another answer"), "{told}");
}

#[test]
fn prime_agent_responses_from_non_active_connections_are_rejected_with_session_taken() {
    let refused = Refused { why: &Refusal::Taken, session: Some("s"), ask: Some("q") };
    let sample = json!({"type": "error", "error": "session_taken"});
    assert_eq!(PrimeAgent.refused(&refused).map(|frame| json(&frame)), Some(sample));
}

#[test]
fn prime_agent_late_responses_after_timeout_are_ignored() {
    let refused = Refused { why: &Refusal::Late, session: None, ask: Some("q") };
    assert_eq!(PrimeAgent.refused(&refused), None);
}

#[test]
fn whatever_is_not_of_the_dialect_is_named_without_being_quoted() {
    for (message, words) in [
        ("", "message: not JSON"),
        ("[]", "message: JSON of another kind"),
        ("{}", "type: nothing, text needed"),
        (r#"{"type": 5}"#, "type: a number, text needed"),
        (r#"{"type": "SECRET"}"#, "type: another, ask_user_response or user_message needed"),
        (r#"{"type": "ask_user_response"}"#, "data: nothing, an object needed"),
        (r#"{"type": "ask_user_response", "data": []}"#, "data: a list, an object needed"),
        (r#"{"type": "ask_user_response", "data": {}}"#, "data.question_id: nothing, text needed"),
        (
            r#"{"type": "ask_user_response", "data": {"question_id": "SECRET"}}"#,
            "data.answers: nothing, an object needed",
        ),
        (
            r#"{"type": "ask_user_response", "data": {"question_id": "q", "answers": "SECRET"}}"#,
            "data.answers: text, an object needed",
        ),
        (
            r#"{"type": "ask_user_response", "data": {"question_id": "q", "cancelled": "SECRET"}}"#,
            "data.cancelled: text, true or false needed",
        ),
        (r#"{"type": "user_message", "data": {}}"#, "data.content: nothing, text needed"),
    ] {
        let said = PrimeAgent.read(message).unwrap_err().to_string();
        assert!(said.starts_with(words), "{message}: {said}");
        assert!(!said.contains("SECRET"), "{said}");
    }
}

#[test]
fn words_to_the_agent_are_a_message_of_their_own() {
    let message = json!({"type": "user_message", "data": {"content": "and keep it small"}});
    let read = PrimeAgent.read(&message.to_string()).unwrap();
    assert_eq!(read, Said::Words("and keep it small".into()));
}
