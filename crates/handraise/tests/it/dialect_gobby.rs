//! Gobby's plan "AskUserQuestion Response Mechanism for Web Chat UI", sentence by sentence, on the built
//! binary. A test is named after the sentence it is for. The messages are in
//! `wire/src/dialects/gobby_tests.rs`.
//!
//! | sentence | elsewhere |
//! |---|---|
//! | … the callback blocks until the web UI sends the user's answers through a new `ask_user_response` WebSocket message | `run_dialects.rs` |
//! | All other tools are auto-approved | `sdk_promises.rs`, `run_promises.rs` |
//! | User response should timeout after 300 seconds (configurable) | `run_promises.rs`: the preset |
//! | callback returns `PermissionResultAllow` with answers | `run_dialects.rs` |
//! | One pending question per session | not so: Claude Code asks several at once, and all are shown: `dialect_sight.rs` |

use serde_json::json;

use crate::dialect_scene::{
    Door, FEATURES, FORMAT, features_question, format_question, gobby_says, gone_is_declined,
    of_session, ruled,
};
use crate::watched_hub::WatchedHub;

#[test]
fn gobby_the_existing_tool_status_with_status_calling_already_delivers_ask_user_question_to_the_frontend()
 {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let mut page = door.gobby("");
    let id = door.asks_for_a_format();
    let sample = json!({"type": "tool_status", "message_id": id, "conversation_id": "s-1",
        "tool_call_id": "toolu_1", "tool_name": "AskUserQuestion", "server_name": "builtin",
        "status": "calling", "arguments": {"questions": [format_question()]}});
    assert_eq!(page.hears(), sample);
    assert_eq!(door.front_end("gobby/s-1").hears(), sample, "whoever comes later sees it, too");
    hub.end();
}

#[test]
fn gobby_on_timeout_can_use_tool_should_return_a_rejection_or_default_value() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let mut page = door.gobby("s-1");
    let rules = json!({"deadlineSeconds": 1, "onDisconnect": "decline"});
    let id = door.asks(&ruled(of_session("s-1", "t", json!([format_question()])), rules));
    page.sees_call("t", "calling");
    let told = page.sees_call("t", "error");
    let words = told["error"].as_str().unwrap();
    assert!(words.starts_with("Nobody answered within 1 s."), "a rejection: {words}");
    assert_eq!(door.look(&id)["resolution"]["kind"], "no_answer", "and no default value");
    hub.end();
}

#[test]
fn gobby_answers_payload_from_websocket_must_be_validated_against_the_options_provided_in_the_tool_call()
 {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let mut page = door.gobby("s-1");
    let rules = json!({"ownWords": "refuse"});
    let id = door.asks(&ruled(of_session("s-1", "t", json!([format_question()])), rules));
    page.sees_call("t", "calling");
    for not_offered in ["Poem", "summary", "Summary, Detailed", " Summary", ""] {
        page.says(&gobby_says("s-1", "t", json!({FORMAT: not_offered})));
        let refused = page.hears_code("invalid_answers");
        assert_eq!(
            (&refused["conversation_id"], &refused["tool_call_id"]),
            (&json!("s-1"), &json!("t"))
        );
        assert!(door.is_open(&id), "{not_offered:?}");
    }
    page.says(&gobby_says("s-1", "t", json!({FORMAT: "Summary"})));
    page.sees_call("t", "completed");
    hub.end();
}

#[test]
fn gobby_reject_invalid_or_extra_keys() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let mut page = door.gobby("s-1");
    let questions = json!([format_question(), features_question()]);
    let id = door.asks(&of_session("s-1", "t", questions));
    page.sees_call("t", "calling");
    for keys in [
        json!({FORMAT: "Summary", FEATURES: "Auth", "Which colour?": "red"}),
        json!({FORMAT: "Summary", "Which features": "Auth"}),
        json!({"0": "Summary", "1": "Auth"}),
        json!({"Format": "Summary", "Features": "Auth"}),
        json!({FORMAT: "Summary", FEATURES: "Auth", "": ""}),
        json!({FORMAT: "Summary"}),
        json!({}),
    ] {
        page.says(&gobby_says("s-1", "t", keys.clone()));
        let refused = page.hears_code("invalid_answers");
        let words = refused["message"].as_str().unwrap();
        assert!(!words.contains("colour") && !words.contains("red"), "nothing is quoted: {words}");
        assert!(door.is_open(&id), "{keys}");
    }
    page.says(&gobby_says("s-1", "t", json!({FORMAT: "Summary", FEATURES: "Auth"})));
    page.sees_call("t", "completed");
    hub.end();
}

#[test]
fn gobby_disconnect_policy_reject_immediately_to_free_up_the_agent() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let mut page = door.gobby("s-1");
    let ask = ruled(of_session("s-1", "t", json!([format_question()])), gone_is_declined());
    let id = door.asks(&ask);
    page.sees_call("t", "calling");
    page.leaves();
    // The agent waits, and hears it without anybody's doing.
    let path = format!("/asks/{id}/resolution?wait=30");
    let url = format!("http://{}", door.address);
    let told = handraise_testkit::plain_request(&url, &door.agent, "GET", &path, None).unwrap();
    assert_eq!((told.status, &told.body["kind"]), (200, &json!("declined")), "{told:?}");
    assert_eq!(told.body["reason"], "the gobby front end that showed it was closed");
    let responder = &told.body["responder"];
    assert_eq!(
        (&responder["person"], &responder["surface"]),
        (&json!("onDisconnect"), &json!("rule"))
    );
    hub.end();
}

#[test]
fn gobby_extract_conversation_id_and_answers_from_message_data() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let mut page = door.gobby("");
    let id = door.asks_for_a_format();
    page.sees_call("toolu_1", "calling");
    let whole = gobby_says("s-1", "toolu_1", json!({FORMAT: "Summary"}));
    for field in ["type", "conversation_id", "tool_call_id", "answers"] {
        let mut without = whole.clone();
        without.as_object_mut().unwrap().remove(field);
        page.says(&without);
        let words = page.hears_code("malformed")["message"].as_str().unwrap().to_owned();
        assert!(words.starts_with(&format!("{field}: nothing, ")), "{words}");
    }
    assert!(door.is_open(&id));
    page.says(&whole);
    page.sees_call("toolu_1", "completed");
    hub.end();
}

#[test]
fn gobby_look_up_chat_session_call_provide_answer() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let mut page = door.gobby("");
    let ids = ["s-1", "s-2"].map(|session| {
        let id = door.asks(&of_session(session, "toolu_1", json!([format_question()])));
        assert_eq!(page.sees_call("toolu_1", "calling")["conversation_id"], session);
        id
    });
    // The call has the same name in both: the conversation tells them apart.
    for (n, session, label) in [(1, "s-2", "Detailed"), (0, "s-1", "Summary")] {
        page.says(&gobby_says(session, "toolu_1", json!({FORMAT: label})));
        assert_eq!(page.sees_call("toolu_1", "completed")["conversation_id"], session);
        assert_eq!(door.answer_to(&ids[n]), json!([label]));
    }
    hub.end();
}

#[test]
fn gobby_if_no_session_or_no_pending_question_log_warning_and_ignore() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let mut page = door.gobby("");
    let summary = || json!({FORMAT: "Summary"});
    page.says(&gobby_says("nobody", "toolu_1", summary()));
    page.knock();
    let id = door.asks_for_a_format();
    page.sees_call("toolu_1", "calling");
    for ignored in [
        gobby_says("nobody", "toolu_1", summary()),
        gobby_says("s-1", "toolu_2", summary()),
        gobby_says("", "", summary()),
        gobby_says("nobody", &id, summary()),
    ] {
        page.says(&ignored);
        page.knock();
    }
    assert!(door.is_open(&id));
    page.says(&gobby_says("s-1", "toolu_1", summary()));
    page.sees_call("toolu_1", "completed");
    page.says(&gobby_says("s-1", "toolu_1", json!({FORMAT: "Detailed"})));
    page.knock();
    assert_eq!(door.answer_to(&id), json!(["Summary"]), "the first counts");
    let warned = hub.said();
    let warned = warned.lines().filter(|line| line.contains("WARN") && line.contains("front end"));
    assert_eq!(warned.count(), 6, "{}", hub.said());
    hub.end();
}

#[test]
fn gobby_sends_ask_user_response_websocket_message_with_conversation_id_tool_call_id_answers() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let id = door.asks_for_a_format();
    let mut page = door.front_end("gobby");
    page.sees_call("toolu_1", "calling");
    page.says_text(
        r#"{"type":"ask_user_response","conversation_id":"s-1","tool_call_id":"toolu_1",
            "answers":{"How should I format the output?":"Detailed"}}"#,
    );
    page.sees_call("toolu_1", "completed");
    assert_eq!(door.answer_to(&id), json!(["Detailed"]));
    assert_eq!(door.look(&id)["resolution"]["responder"]["surface"], "dialect:gobby");
    hub.end();
}

#[test]
fn gobby_single_select_radio_multi_select_checkbox_other_shows_text_input() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let mut page = door.gobby("s-1");
    let questions = || json!([format_question(), features_question()]);
    for (call, single, multi, expected) in [
        (
            "t-1",
            "Summary",
            "Search, Auth",
            json!([[["Summary"], null], [["Auth", "Search"], null]]),
        ),
        ("t-2", "a poem", "Auth, and docs", json!([[[], "a poem"], [["Auth"], "and docs"]])),
        ("t-3", "Detailed", "neither", json!([[["Detailed"], null], [[], "neither"]])),
    ] {
        let id = door.asks(&of_session("s-1", call, questions()));
        page.sees_call(call, "calling");
        page.says(&gobby_says("s-1", call, json!({FORMAT: single, FEATURES: multi})));
        page.sees_call(call, "completed");
        let answers = door.look(&id)["resolution"]["answers"].take();
        let answers = answers.as_array().unwrap().iter();
        let chosen: Vec<_> = answers.map(|a| json!([a["selected"], a["words"]])).collect();
        assert_eq!(json!(chosen), expected, "{call}");
    }
    hub.end();
}

#[test]
fn gobby_frontend_shows_completed_state() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (mut one, mut other) = (door.gobby(""), door.gobby("s-1"));
    let id = door.asks_for_a_format();
    one.sees_call("toolu_1", "calling");
    other.sees_call("toolu_1", "calling");
    one.says(&gobby_says("s-1", "toolu_1", json!({FORMAT: "Summary"})));
    let completed = json!({"type": "tool_status", "message_id": id, "conversation_id": "s-1",
        "tool_call_id": "toolu_1", "tool_name": "AskUserQuestion", "server_name": "builtin",
        "status": "completed", "result": {"answers": {FORMAT: "Summary"}}});
    assert_eq!(one.hears(), completed);
    assert_eq!(other.hears(), completed, "every page does");
    hub.end();
}

#[test]
fn gobby_session_is_one_conversation_or_all() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (mut all, mut second) = (door.gobby(""), door.gobby("s-2"));
    let first = door.asks_for_a_format();
    let id = door.asks(&of_session("s-2", "toolu_2", json!([format_question()])));
    all.sees_call("toolu_1", "calling");
    all.sees_call("toolu_2", "calling");
    assert_eq!(second.sees_call("toolu_2", "calling")["message_id"], id, "and no other's");
    second.says(&gobby_says("s-1", "toolu_1", json!({FORMAT: "Summary"})));
    second.knock();
    assert!(door.is_open(&first), "another conversation's call is not answered there");
    hub.end();
}
