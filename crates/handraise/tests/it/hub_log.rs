//! What the hub logs while it works.

use serde_json::json;

use crate::http::Call;
use crate::watched_hub::WatchedHub;

const WORDS: [&str; 4] = ["Which database", "PostgreSQL", "mTLS, please", "a phone"];

#[test]
fn info_has_a_line_for_each_event_and_nobodys_words() {
    let hub = WatchedHub::with("127.0.0.1:0", "", "info");
    let id = hub.ask();
    let path = format!("/api/v1/asks/{id}/answer");
    let answer = json!({"answers": [{"words": "mTLS, please"}]});
    let refused = hub.call(&Call::post(&path).token(&hub.agent).json(&answer));
    assert_eq!(refused.status, 403);
    let answered = hub.call(&Call::post(&path).token(&hub.person).json(&answer));
    assert_eq!(answered.status, 200, "{answered:?}");
    let (device, _) = hub.pair();
    hub.revoke(&device);
    let path = format!("/api/v1/asks/{id}/receipt");
    let receipt = Call::post(&path).token(&hub.agent).json(&json!({"level": "handed"}));
    assert_eq!(hub.call(&receipt).status, 200);
    hub.refusal("needs_person", "POST /api/v1/asks/{id}/answer");
    let said = hub.end_saying();
    let line = |words: &[&str]| {
        let found = said.lines().any(|line| words.iter().all(|word| line.contains(word)));
        assert!(found, "no line with {words:?} in:\n{said}");
    };
    line(&["INFO", "listening", "http://127.0.0.1:"]);
    line(&["INFO", "ask.opened", &id, "kind=\"question\""]);
    line(&["INFO", "ask.resolved", &id, "kind=\"answered\"", "surface=Api"]);
    line(&["INFO", "ask.delivered", &id]);
    line(&["INFO", "access.refused", "needs_person"]);
    line(&["INFO", "device.changed", &device, "change=Added"]);
    line(&["INFO", "device.changed", &device, "change=Revoked"]);
    line(&["INFO", "stopping"]);
    for words in WORDS {
        assert!(!said.contains(words), "{words:?} is in:\n{said}");
    }
}

#[test]
fn without_being_told_to_the_hub_logs_nothing_while_all_is_well() {
    let hub = WatchedHub::with("127.0.0.1:0", "", "warn");
    hub.ask();
    assert_eq!(hub.end_saying(), "");
}
