//! A surface says that somebody looks: a person's word, kept by nobody.

use serde_json::{Value, json};

use crate::http::{Answer, Call};
use crate::watched_hub::WatchedHub;

const VIEW: &str = "a-window-that-nobody-writes-down";

fn put(hub: &WatchedHub, token: &str, body: &Value) -> Answer {
    hub.call(&Call::new("PUT", "/api/v1/attention").token(token).json(body))
}

fn look() -> Value {
    json!({"view": VIEW, "ask": null, "seconds": 30})
}

fn with(field: &str, value: Value) -> Value {
    let mut look = look();
    look[field] = value;
    look
}

fn head(hub: &WatchedHub) -> Value {
    hub.call(&Call::get("/api/v1/status").token(&hub.person)).json()["head"].clone()
}

#[test]
fn it_is_heard_within_its_limits() {
    let hub = WatchedHub::start();
    let id = hub.ask();
    for body in [
        look(),
        with("ask", json!(id)),
        with("ask", json!("019a0000-0000-7000-8000-000000000000")),
        with("seconds", json!(0)),
        with("seconds", json!(300)),
        with("view", json!("x")),
        with("view", json!("ü".repeat(64))),
        json!({"view": VIEW, "seconds": 1}),
    ] {
        let heard = put(&hub, &hub.person, &body);
        assert_eq!((heard.status, heard.text.as_str()), (204, ""), "{body}");
    }
    hub.end();
}

#[test]
fn what_makes_no_sense_is_refused_with_its_place() {
    let hub = WatchedHub::start();
    for (body, path) in [
        (with("view", json!("")), "view"),
        (with("view", json!("x".repeat(65))), "view"),
        (with("view", json!(7)), "view"),
        (with("seconds", json!(301)), "seconds"),
        (with("seconds", json!(-1)), "seconds"),
        (with("seconds", json!(1.5)), "seconds"),
        (with("seconds", Value::Null), "seconds"),
        (with("ask", json!("the last one")), "ask"),
        (with("person", json!("bob")), "person"),
        (json!({"seconds": 30}), "view"),
        (json!({"view": VIEW}), "seconds"),
        (json!([VIEW, null, 30]), "body"),
    ] {
        let refused = put(&hub, &hub.person, &body);
        assert_eq!(refused.problem(), (422, "invalid".into()), "{body}");
        assert_eq!(refused.json()["violations"][0]["path"], path, "{body}");
    }
    assert_eq!(hub.refused(), [""; 0], "mistakes are no break-ins");
    hub.end();
}

/// An agent that could say so would keep its person from hearing of what it asks.
#[test]
fn an_agent_cannot_say_that_a_person_looks() {
    let hub = WatchedHub::start();
    for body in [look(), with("seconds", json!(0)), json!({})] {
        let refused = put(&hub, &hub.agent, &body);
        assert_eq!(refused.problem(), (403, "needs_person".into()), "{body}");
    }
    hub.refusal("needs_person", "PUT /api/v1/attention");
    hub.end();
}

#[test]
fn nobody_writes_down_when_a_person_looked() {
    let hub = WatchedHub::start();
    hub.ask();
    let before = head(&hub);
    for seconds in [30, 30, 0] {
        assert_eq!(put(&hub, &hub.person, &with("seconds", json!(seconds))).status, 204);
    }
    assert_eq!(head(&hub), before, "it is no event");
    assert!(!hub.said().contains(VIEW), "it is in no line of the program's own log");
    for entry in std::fs::read_dir(hub.home()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let kept = std::fs::read(&path).unwrap();
            let kept = String::from_utf8_lossy(&kept);
            assert!(!kept.contains(VIEW), "it is in {}", path.display());
        }
    }
    hub.end();
}
