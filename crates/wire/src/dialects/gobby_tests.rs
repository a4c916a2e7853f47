//! Every message of Gobby's plan "AskUserQuestion Response Mechanism for Web Chat UI", in its direction.

use handraise_broker::Reply;
use handraise_question::Surface;
use serde_json::json;

use super::super::fixtures::{answered, asked, overruled, replied, silent, surface};
use super::*;

fn question() -> Value {
    json!([{"question": "question text", "header": "H", "multiSelect": false,
            "options": [{"label": "selected label", "description": "d"}, {"label": "second label"}]}])
}

fn json(frame: &str) -> Value {
    serde_json::from_str(frame).unwrap()
}

fn ended(ask: &Record) -> Value {
    json(&Gobby.ended(&Ended::of("c-1", ask).unwrap()).unwrap())
}

#[test]
fn gobby_tool_status_calling_delivers_ask_user_question_to_the_front_end() {
    let ask = asked(&question());
    let frame = Gobby.asked(&Asked { session: "c-1", ask: &ask, seconds_left: Some(300) });
    let sample = json!({
        "type": "tool_status",
        "message_id": ask.id.to_string(),
        "conversation_id": "c-1",
        "tool_call_id": "toolu_1",
        "tool_name": "AskUserQuestion",
        "server_name": "builtin",
        "status": "calling",
        "arguments": {"questions": question()}
    });
    assert_eq!(json(&frame), sample);
    assert!(frame.contains(ask.matter().as_sent().get()), "byte for byte: {frame}");
}

#[test]
fn gobby_sample_ask_user_response_with_conversation_id_tool_call_id_answers() {
    let sample = json!({
        "type": "ask_user_response",
        "conversation_id": "c-1",
        "tool_call_id": "toolu_1",
        "answers": {"question text": "selected label"}
    });
    let answers = json!({"question text": "selected label"});
    let says = Says::Answers(answers.as_object().unwrap().clone());
    let session = Some("c-1".into());
    let response = Said::Response { session, ask: "toolu_1".into(), says };
    assert_eq!(Gobby.read(&sample.to_string()).unwrap(), response);
}

#[test]
fn gobby_front_end_shows_completed_state() {
    let ask = asked(&question());
    for anywhere in [Surface::Web, surface("gobby")] {
        let done = ended(&answered(&ask, json!([{"selected": ["selected label"]}]), anywhere));
        assert_eq!(
            (&done["status"], &done["tool_call_id"]),
            (&json!("completed"), &json!("toolu_1"))
        );
        assert_eq!(done["result"], json!({"answers": {"question text": "selected label"}}));
        assert_eq!(done.get("error"), None);
    }
}

#[test]
fn gobby_on_timeout_it_is_a_rejection() {
    let done = ended(&silent(&asked(&question())));
    assert_eq!(done["status"], "error");
    assert!(done["error"].as_str().unwrap().starts_with("Nobody answered within"), "{done}");
}

#[test]
fn whatever_is_no_answer_is_an_error_with_the_words_the_model_reads() {
    let ask = asked(&question());
    for reply in [Reply::Decline(Some("no".into())), Reply::Discuss("why?".into())] {
        let done = ended(&replied(&ask, reply, Surface::Web));
        assert_eq!(done["status"], "error");
        assert!(done["error"].as_str().unwrap().contains("No option was chosen"), "{done}");
    }
}

#[test]
fn an_answer_the_agent_did_not_take_is_an_error_in_the_end() {
    let ask = asked(&question());
    let mine = answered(&ask, json!([{"selected": ["second label"]}]), surface("gobby"));
    let took = json!({"kind": "answered", "answers": [{"selected": ["selected label"]}]});
    let ask = overruled(&mine, took);
    let ended = Ended::of("c-1", &ask).unwrap();
    let told = json(&Gobby.amiss(&ended, &ended.trouble().unwrap()));
    assert_eq!((&told["type"], &told["status"]), (&json!("tool_status"), &json!("error")));
    assert!(told["error"].as_str().unwrap().contains("another answer"), "{told}");
}

#[test]
fn gobby_no_session_or_no_pending_question_is_ignored() {
    for why in [Refusal::Unknown, Refusal::Late] {
        let refused = Refused { why: &why, session: Some("c"), ask: Some("t") };
        assert_eq!(Gobby.refused(&refused), None);
    }
}

#[test]
fn what_is_refused_names_its_card() {
    let why = Refusal::new("invalid_answers", "answers[0]: a number, text needed");
    let told = Gobby.refused(&Refused { why: &why, session: Some("c"), ask: Some("t") }).unwrap();
    let expected = json!({"type": "error", "code": "invalid_answers", "conversation_id": "c",
        "tool_call_id": "t", "message": "answers[0]: a number, text needed"});
    assert_eq!(json(&told), expected);
}

#[test]
fn whatever_is_not_of_the_dialect_is_named_without_being_quoted() {
    for (message, words) in [
        ("nope", "message: not JSON"),
        ("7", "message: JSON of another kind"),
        (r#"{"type": "SECRET"}"#, "type: another, ask_user_response needed"),
        (r#"{"type": "ask_user_response"}"#, "conversation_id: nothing, text needed"),
        (
            r#"{"type": "ask_user_response", "conversation_id": "SECRET"}"#,
            "tool_call_id: nothing, text needed",
        ),
        (
            r#"{"type": "ask_user_response", "conversation_id": "c", "tool_call_id": "t", "answers": []}"#,
            "answers: a list, an object needed",
        ),
    ] {
        let said = Gobby.read(message).unwrap_err().to_string();
        assert!(said.starts_with(words), "{message}: {said}");
        assert!(!said.contains("SECRET"), "{said}");
    }
}

#[test]
fn a_call_goes_by_its_own_name_where_the_key_says_it_and_by_the_asks_where_it_does_not() {
    let mut ask = asked(&question());
    assert_eq!(Gobby.id(&ask), "toolu_1");
    for key in [Some("s-1/toolu_1/again/1"), Some("s-1/"), Some("s-2/toolu_1"), Some("x"), None] {
        let mut opened = handraise_broker::Opened::clone(&ask.opened);
        opened.key = key.map(str::to_owned);
        ask.opened = std::sync::Arc::new(opened);
        assert_eq!(Gobby.id(&ask), ask.id.to_string(), "{key:?}");
    }
}
