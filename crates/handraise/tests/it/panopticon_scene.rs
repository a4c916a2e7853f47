//! Panopticon's page before a hub, and the agent it is about.

use std::fs;

use serde_json::{Value, json};

use crate::http::{Answer, Call};
use crate::watched_hub::WatchedHub;

/// The session of the plan's sample, and the call in it.
pub(crate) const SESSION: &str = "286e638d-add1-490d-b6f4-6b99c8514f58";
pub(crate) const CALL: &str = "toolu_017wfzbruBz63jsFiqrgkpbc";
pub(crate) const AGENT: &str = "agent-pan-1";
pub(crate) const GET_ROUTE: &str = "GET /api/agents/{id}/pending-questions";
pub(crate) const POST_ROUTE: &str = "POST /api/agents/{id}/answer-question";

/// The plan's own sample, with the white space it has there.
pub(crate) const QUESTIONS: &str = r#"[{
          "question": "Which work items should we import?",
          "header": "Work Items",
          "options": [
            {"label": "User Stories + Defects", "description": "Most common..."},
            {"label": "All except Features", "description": "Include Tasks..."}
          ],
          "multiSelect": false
        }]"#;

/// Asks as an agent, in these words; returns the ask's id.
pub(crate) fn ask_in(hub: &WatchedHub, params: &str) -> String {
    let call = Call::post("/api/v1/asks").token(&hub.agent).body("application/json", params);
    let asked = hub.call(&call);
    assert_eq!(asked.status, 201, "{asked:?}");
    asked.json()["id"].as_str().unwrap().to_owned()
}

/// Asks in the session of the sample.
pub(crate) fn ask(hub: &WatchedHub, questions: &Value) -> String {
    let asker =
        json!({"agent": "claude-code", "session": SESSION, "directory": "/w/feature-pan-1"});
    ask_in(hub, &json!({"asker": asker, "questions": questions["questions"]}).to_string())
}

pub(crate) fn yes_or_no(text: &str) -> Value {
    json!({"questions": [{"question": text, "header": "H", "multiSelect": false,
        "options": [{"label": "Yes", "description": ""}, {"label": "No", "description": ""}]}]})
}

pub(crate) fn look_as(hub: &WatchedHub, token: &str, agent: &str) -> Answer {
    hub.call(&Call::get(&format!("/api/agents/{agent}/pending-questions")).token(token))
}

/// What the person's page is told of an agent.
pub(crate) fn pending(hub: &WatchedHub, agent: &str) -> Value {
    let told = look_as(hub, &hub.person, agent);
    assert_eq!((told.status, told.header("content-type")), (200, Some("application/json")));
    told.json()
}

pub(crate) fn calls(told: &Value) -> Vec<&str> {
    let calls = told["questions"].as_array().unwrap().iter();
    calls.map(|call| call["toolId"].as_str().unwrap()).collect()
}

pub(crate) fn nothing() -> Value {
    json!({"pending": false, "questions": []})
}

pub(crate) fn send(hub: &WatchedHub, agent: &str, kind: &str, body: impl Into<Vec<u8>>) -> Answer {
    let path = format!("/api/agents/{agent}/answer-question");
    hub.call(&Call::post(&path).token(&hub.person).body(kind, body))
}

/// Answers as the page does.
pub(crate) fn answer(hub: &WatchedHub, agent: &str, answers: &[&str]) -> Answer {
    send(hub, agent, "application/json", json!({"answers": answers}).to_string())
}

pub(crate) fn taken(answer: &Answer) {
    assert_eq!((answer.status, answer.text.as_str()), (200, r#"{"success":true}"#));
    assert_eq!(answer.header("content-type"), Some("application/json"));
}

/// The plan's failure; returns its reason.
pub(crate) fn failed(answer: &Answer) -> String {
    assert_eq!((answer.status, answer.header("content-type")), (500, Some("application/json")));
    let body = answer.json();
    assert_eq!(body["error"], "Failed to send answer", "{answer:?}");
    assert_eq!(body.as_object().unwrap().len(), 2, "{answer:?}");
    body["reason"].as_str().unwrap().to_owned()
}

/// How the ask was answered; null while it is open.
pub(crate) fn answers(hub: &WatchedHub, id: &str) -> Value {
    hub.look(id)["resolution"]["answers"].clone()
}

pub(crate) fn decline_elsewhere(hub: &WatchedHub, id: &str) {
    let path = format!("/api/v1/asks/{id}/decline");
    assert_eq!(hub.call(&Call::post(&path).token(&hub.person).json(&json!({}))).status, 200);
}

/// Notes where an agent works, as Panopticon does.
pub(crate) fn note_agent(hub: &WatchedHub, agent: &str, state: &str) {
    let directory = hub.place().join(".panopticon/agents").join(agent);
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("state.json"), state).unwrap();
}
