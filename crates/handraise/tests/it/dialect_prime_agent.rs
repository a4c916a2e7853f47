//! prime-agent's document "AskUserQuestion Callbacks", sentence by sentence, on the built binary. A test
//! is named after the sentence it is for. The samples of JSON are in `wire/src/dialects/prime_agent_tests.rs`.
//!
//! | sentence | elsewhere |
//! |---|---|
//! | Claude Code can ask clarifying questions … and receive user responses over WebSocket | `run_dialects.rs` |
//! | SDK calls `can_use_tool` with `AskUserQuestion` | `sdk_promises.rs` |
//! | … awaits the response with a 55s timeout | `run_promises.rs`: the preset |
//! | Return `PermissionResultAllow(updated_input={questions, answers})` | `run_dialects.rs` |
//! | Return `PermissionResultDeny(message="User response timeout", interrupt=True)` | `run_promises.rs`, `run_dialects.rs`, `sdk_promises.rs` |
//! | Disable normal chat input while `waiting_for_user` is true (queued on backend) | `run_dialects.rs`, `run_chat.rs` |
//! | Submit `ask_user_response` with `cancelled: true` when the user cancels | `run_dialects.rs` for what the agent is told |

use serde_json::json;

use crate::dialect_scene::{
    Door, FEATURES, FORMAT, features_question, format_question, of_session, prime_agent_cancels,
    prime_agent_says, ruled,
};
use crate::watched_hub::WatchedHub;

#[test]
fn prime_agent_handles_ask_user_response_messages_and_extends_session_status_payloads() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (mut page, status) = door.prime_agent("session-123");
    let nothing = json!({"type": "session_status", "session_id": "session-123",
        "is_processing": false, "waiting_for_user": false, "pending_question_id": null});
    assert_eq!(status, nothing);
    let id = door.asks(&of_session("session-123", "t", json!([format_question()])));
    page.is_asked(&id);
    let waiting = json!({"type": "session_status", "session_id": "session-123",
        "is_processing": false, "waiting_for_user": true, "pending_question_id": id});
    assert_eq!(page.hears(), waiting);
    page.says(&prime_agent_says(&id, json!({FORMAT: "Summary"})));
    assert_eq!(page.hears(), nothing);
    assert_eq!(door.answer_to(&id), json!(["Summary"]));
    assert_eq!(door.look(&id)["resolution"]["responder"]["surface"], "dialect:prime-agent");
    hub.end();
}

#[test]
fn prime_agent_maintains_pending_question_state_sends_websocket_events_waits_for_responses() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (mut page, _) = door.prime_agent("s-1");
    for (call, label) in [("t-1", "Summary"), ("t-2", "Detailed")] {
        let id = door.asks(&of_session("s-1", call, json!([format_question()])));
        page.is_asked(&id);
        page.waits_for(Some(&id));
        page.says(&prime_agent_says(&id, json!({FORMAT: label})));
        page.waits_for(None);
        assert_eq!(door.answer_to(&id), json!([label]));
    }
    hub.end();
}

#[test]
fn prime_agent_answers_values_are_strings() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let id = door.asks_for_a_format();
    let (mut page, _) = door.prime_agent("s-1");
    page.is_asked(&id);
    for other in [json!(1), json!(true), json!({"label": "Summary"}), json!([1]), json!(null)] {
        page.says(&prime_agent_says(&id, json!({FORMAT: other})));
        let refused = page.hears_error("invalid_answers");
        assert_eq!(refused["question_id"], id);
    }
    page.says(&prime_agent_says(&id, json!({FORMAT: "Detailed"})));
    page.waits_for(None);
    assert_eq!(door.answer_to(&id), json!(["Detailed"]));
    hub.end();
}

#[test]
fn prime_agent_for_multi_select_join_selections_with_a_comma_and_a_space() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (mut page, _) = door.prime_agent("s-1");
    for (call, joined, labels) in [
        ("t-1", "Auth, Search", json!(["Auth", "Search"])),
        ("t-2", "Search, Auth", json!(["Auth", "Search"])),
        ("t-3", "Search", json!(["Search"])),
        ("t-4", "Billing, taxes", json!(["Billing, taxes"])),
        ("t-5", "Auth, \"Billing, taxes\"", json!(["Auth", "Billing, taxes"])),
        // A page that follows the document marks nothing.
        ("t-6", "Billing, taxes, Search", json!(["Billing, taxes", "Search"])),
    ] {
        let id = door.asks(&of_session("s-1", call, json!([features_question()])));
        page.is_asked(&id);
        page.waits_for(Some(&id));
        page.says(&prime_agent_says(&id, json!({FEATURES: joined})));
        page.waits_for(None);
        assert_eq!(door.answer_to(&id), labels, "{joined}");
    }
    hub.end();
}

#[test]
fn prime_agent_normalize_answers_multi_select_joined() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let id = door.asks(&of_session("s-1", "t", json!([features_question(), format_question()])));
    let (mut page, _) = door.prime_agent("s-1");
    page.is_asked(&id);
    let lists = json!({FORMAT: ["Summary"], FEATURES: ["Search", "Billing, taxes", "and docs"]});
    page.says(&prime_agent_says(&id, lists));
    page.waits_for(None);
    let answers = &door.look(&id)["resolution"]["answers"];
    assert_eq!(answers[0]["selected"], json!(["Billing, taxes", "Search"]));
    assert_eq!(answers[0]["words"], "and docs");
    assert_eq!(answers[1]["selected"], json!(["Summary"]));
    hub.end();
}

#[test]
fn prime_agent_free_text_answers_are_allowed_even_if_not_in_options() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (mut page, _) = door.prime_agent("s-1");
    for (call, words) in [("t-1", "as a poem"), ("t-2", "a, \"b\"\nc 🦀 ש"), ("t-3", "summary")]
    {
        let id = door.asks(&of_session("s-1", call, json!([format_question()])));
        page.is_asked(&id);
        page.waits_for(Some(&id));
        page.says(&prime_agent_says(&id, json!({FORMAT: words})));
        page.waits_for(None);
        assert_eq!(door.answer_to(&id), words);
    }
    hub.end();
}

#[test]
fn prime_agent_late_responses_after_timeout_are_ignored() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let rules = json!({"deadlineSeconds": 1});
    let id = door.asks(&ruled(of_session("s-1", "t", json!([format_question()])), rules));
    let (mut page, _) = door.prime_agent("s-1");
    page.is_asked(&id);
    page.hears_a("ask_user_timeout");
    page.waits_for(None);
    for late in [prime_agent_says(&id, json!({FORMAT: "Summary"})), prime_agent_cancels(&id)] {
        page.says(&late);
        page.knock();
    }
    assert_eq!(door.look(&id)["resolution"]["kind"], "no_answer");
    hub.end();
}

#[test]
fn prime_agent_responses_from_non_active_connections_are_rejected_with_session_taken() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let id = door.asks_for_a_format();
    let (mut first, _) = door.prime_agent("s-1");
    first.is_asked(&id);
    let (mut second, _) = door.prime_agent("s-1");
    second.is_asked(&id);
    let taken = json!({"type": "error", "error": "session_taken"});
    assert_eq!(first.hears(), taken, "it is told at once");
    for message in [prime_agent_says(&id, json!({FORMAT: "Summary"})), prime_agent_cancels(&id)] {
        first.says(&message);
        assert_eq!(first.hears(), taken);
    }
    assert!(door.is_open(&id));
    second.says(&prime_agent_says(&id, json!({FORMAT: "Detailed"})));
    second.waits_for(None);
    assert_eq!(door.answer_to(&id), json!(["Detailed"]));
    hub.end();
}

#[test]
fn prime_agent_creates_a_question_id_stores_pending_state_and_sends_ask_user_question() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (mut page, _) = door.prime_agent("s-1");
    let id = door.asks_for_a_format();
    let asked = page.is_asked(&id);
    let sample = json!({"type": "ask_user_question", "question_id": id,
        "questions": [format_question()], "timeout_seconds": null});
    assert_eq!(asked, sample);
    assert!(door.is_open(&id), "it is kept before it is shown");
    hub.end();
}

#[test]
fn prime_agent_awaits_the_response_with_a_55s_timeout() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (mut page, _) = door.prime_agent("s-1");
    let rules = json!({"deadlineSeconds": 55, "onDeadline": "interrupt"});
    let id = door.asks(&ruled(of_session("s-1", "t", json!([format_question()])), rules));
    assert_eq!(page.is_asked(&id)["timeout_seconds"], 55);
    hub.end();
}

#[test]
fn prime_agent_on_timeout_emit_ask_user_timeout() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let rules = json!({"deadlineSeconds": 1});
    let id = door.asks(&ruled(of_session("s-1", "t", json!([format_question()])), rules));
    let (mut page, _) = door.prime_agent("s-1");
    page.is_asked(&id);
    let sample = json!({"type": "ask_user_timeout", "question_id": id,
        "error": "User response timed out"});
    assert_eq!(page.hears(), sample);
    page.waits_for(None);
    hub.end();
}

#[test]
fn prime_agent_on_cancel_emit_ask_user_timeout() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let id = door.asks_for_a_format();
    let (mut page, _) = door.prime_agent("s-1");
    page.is_asked(&id);
    page.says(&prime_agent_cancels(&id));
    let told = page.hears_a("ask_user_timeout");
    assert_eq!(told["question_id"], id);
    page.waits_for(None);
    hub.end();
}

#[test]
fn prime_agent_submit_ask_user_response_with_cancelled_true_when_the_user_cancels() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (mut page, _) = door.prime_agent("s-1");
    for (call, data) in [
        ("t-1", json!({"cancelled": true})),
        ("t-2", json!({"cancelled": true, "answers": {}})),
        ("t-3", json!({"cancelled": true, "answers": {FORMAT: "Summary"}})),
    ] {
        let id = door.asks(&of_session("s-1", call, json!([format_question()])));
        page.is_asked(&id);
        page.waits_for(Some(&id));
        let mut data = data;
        data["question_id"] = json!(id);
        page.says(&json!({"type": "ask_user_response", "data": data}));
        page.hears_a("ask_user_timeout");
        page.waits_for(None);
        let resolution = &door.look(&id)["resolution"];
        assert_eq!(resolution["kind"], "declined", "never an answer: {resolution}");
        assert_eq!(resolution["responder"]["surface"], "dialect:prime-agent");
    }
    hub.end();
}

#[test]
fn prime_agent_optional_header_tag() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let bare = json!([{"question": "Go on?", "options": [{"label": "Yes"}, {"label": "No"}]}]);
    let id = door.asks(&of_session("s-1", "t", bare.clone()));
    let (mut page, _) = door.prime_agent("s-1");
    assert_eq!(page.is_asked(&id)["questions"], bare, "nothing is made up");
    hub.end();
}

#[test]
fn prime_agent_if_the_client_is_disconnected_when_the_question_is_asked_the_event_is_buffered() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (page, _) = door.prime_agent("s-1");
    page.leaves();
    let id = door.asks_for_a_format();
    let (mut page, status) = door.prime_agent("s-1");
    assert_eq!(status["waiting_for_user"], true, "it hears so first: {status}");
    assert_eq!(status["pending_question_id"], id);
    assert_eq!(page.is_asked(&id)["questions"], json!([format_question()]));
    hub.end();
}

#[test]
fn prime_agent_on_reconnect_the_pending_question_is_replayed_so_the_user_can_respond() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let rules = json!({"deadlineSeconds": 300});
    let id = door.asks(&ruled(of_session("s-1", "t", json!([format_question()])), rules));
    for _ in 0..3 {
        let (mut page, _) = door.prime_agent("s-1");
        let left = page.is_asked(&id)["timeout_seconds"].as_u64().unwrap();
        assert!((1..=300).contains(&left), "what is left of it: {left}");
        page.leaves();
        assert!(door.is_open(&id), "that nobody looks is no answer");
    }
    let (mut page, _) = door.prime_agent("s-1");
    page.is_asked(&id);
    page.says(&prime_agent_says(&id, json!({FORMAT: "Summary"})));
    page.waits_for(None);
    page.leaves();
    let (mut page, status) = door.prime_agent("s-1");
    assert_eq!(status["waiting_for_user"], false);
    page.knock();
    assert_eq!(door.answer_to(&id), json!(["Summary"]));
    hub.end();
}
