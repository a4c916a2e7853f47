//! What the API cannot make sense of is said, with the place, and changes nothing.

use serde_json::{Value, json};

use crate::asking::database;
use crate::http::{Answer, Call};
use crate::watched_hub::WatchedHub;

fn paths(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.problem(), (422, "invalid".into()));
    let problem = answer.json();
    let violations = problem["violations"].as_array().unwrap();
    violations.iter().map(|violation| violation["path"].as_str().unwrap().to_owned()).collect()
}

fn ask() -> Value {
    json!({"asker": {"agent": "tester"}, "questions": database()["questions"]})
}

/// The ask with one value put somewhere.
fn ask_with(pointer: &str, key: &str, value: Value) -> Value {
    let mut ask = ask();
    ask.pointer_mut(pointer).unwrap()[key] = value;
    ask
}

#[test]
fn what_is_not_announced_as_json_is_not_read() {
    let hub = WatchedHub::start();
    let call = |kind| {
        let call = Call::post("/api/v1/asks").token(&hub.agent);
        hub.call(&call.body(kind, ask().to_string()))
    };
    // What a form on a foreign page can send without asking first is among them.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        assert_eq!(call(kind).problem(), (415, "not_json".into()), "{kind}");
    }
    let unnamed = Call::post("/api/v1/asks").token(&hub.agent);
    assert_eq!(hub.call(&unnamed).problem(), (415, "not_json".into()));
    for kind in ["application/json", "Application/JSON; charset=utf-8", "application/x+json"] {
        assert_eq!(call(kind).status, 201, "{kind}");
    }
    hub.end();
}

#[test]
fn what_is_not_json_is_not_understood() {
    let hub = WatchedHub::start();
    let whole = ask().to_string();
    for broken in [
        "",
        "{",
        "{\"asker\": tester}",
        &whole[..whole.len() - 1],
        &format!("{whole}}}"),
        &format!("{whole} {whole}"),
    ] {
        let call = Call::post("/api/v1/asks").token(&hub.agent);
        let answer = hub.call(&call.body("application/json", broken));
        assert_eq!(answer.problem(), (400, "not_json".into()), "{broken}");
    }
    let call = Call::post("/api/v1/asks").token(&hub.agent);
    let answer = hub.call(&call.body("application/json", b"{\"asker\": \"\xff\"}".as_slice()));
    assert_eq!(answer.status, 400, "not even text: {answer:?}");
    hub.end();
}

#[test]
fn wrong_types_and_unknown_fields_are_named_with_their_place() {
    let hub = WatchedHub::start();
    for (body, path) in [
        (json!([]), "body"),
        (json!("ask"), "body"),
        (ask_with("", "token", json!("x")), "token"),
        (ask_with("", "asker", json!("tester")), "asker"),
        (ask_with("/asker", "agent", json!(7)), "asker.agent"),
        (ask_with("/asker", "colour", json!("red")), "asker.colour"),
        (ask_with("", "policy", json!({"deadlineSeconds": "soon"})), "policy.deadlineSeconds"),
        (ask_with("", "policy", json!({"deadlineSeconds": -1})), "policy.deadlineSeconds"),
        (ask_with("", "policy", json!({"onDeadline": "guess"})), "policy.onDeadline"),
        (ask_with("", "kind", json!("order")), "kind"),
        (ask_with("", "kind", Value::Null), "kind"),
        (ask_with("", "kind", json!({"question": null})), "kind"),
        (
            json!([{"agent": "tester"}, null, "question", database()["questions"], null, null]),
            "body",
        ),
        (ask_with("", "asker", json!(["tester", null, null, null, null, null])), "asker"),
        (ask_with("", "policy", json!([])), "policy"),
        (ask_with("", "policy", json!({"receipt": 5})), "policy.receipt"),
        (ask_with("", "questions", json!({})), "questions"),
        (ask_with("", "metadata", json!("remember")), "metadata"),
        (ask_with("", "metadata", json!(["remember"])), "metadata"),
        (ask_with("", "metadata", json!({"source": "x".repeat(20_000)})), "metadata"),
        (
            ask_with("", "metadata", (0..100).fold(json!({}), |deep, _| json!({"a": deep}))),
            "metadata",
        ),
        (
            json!({"asker": {"agent": "tester"}, "kind": "approval", "metadata": {},
                "approval": {"tool": "Bash", "input": {}}}),
            "metadata",
        ),
        (ask_with("/questions/0", "question", json!("")), "questions[0].question"),
        (ask_with("/questions/0/options/1", "label", json!(5)), "questions[0].options[1].label"),
    ] {
        let answer = hub.call(&Call::post("/api/v1/asks").token(&hub.agent).json(&body));
        assert_eq!(paths(&answer), [path], "{body}");
    }
    let id = hub.ask();
    for (verb, body, path) in [
        ("answer", json!({}), "answers"),
        ("answer", json!({"answers": {"Database": "SQLite"}}), "answers"),
        ("answer", json!({"answers": [{"selected": "SQLite"}]}), "answers[0].selected"),
        ("answer", json!({"answers": [{"selected": ["Oracle"]}]}), "answers[0].selected[0]"),
        ("answer", json!({"answers": [{"choice": "SQLite"}]}), "answers[0].choice"),
        ("answer", json!({"answers": [], "person": "bob"}), "person"),
        ("answer", json!({"answers": [[["SQLite"], null, null, false]]}), "answers[0]"),
        ("answer", json!({"decision": 5}), "decision"),
        ("decline", json!([]), "body"),
        ("decline", json!({"reason": 5}), "reason"),
        ("discuss", json!(["hm"]), "body"),
        ("discuss", json!({}), "words"),
        ("extend", json!({"seconds": "60"}), "seconds"),
    ] {
        let path_of = format!("/api/v1/asks/{id}/{verb}");
        let answer = hub.call(&Call::post(&path_of).token(&hub.person).json(&body));
        let found = paths(&answer);
        assert_eq!(found, [path], "{verb} {body}");
    }
    for query in ["state=lost", "limit=0", "limit=501", "limit=many", "after=x", "colour=red"] {
        let path = format!("/api/v1/asks?{query}");
        let answer = hub.call(&Call::get(&path).token(&hub.person));
        assert_eq!(answer.problem(), (422, "invalid".into()), "{query}");
    }
    assert_eq!(hub.look(&id)["state"], "open");
    assert_eq!(hub.refused(), [""; 0], "mistakes are no break-ins");
    hub.end();
}

#[test]
fn what_is_not_there_is_not_found_whatever_it_is_called() {
    let hub = WatchedHub::start();
    for path in [
        "/api/v1/asks/019a0000-0000-7000-8000-000000000000",
        "/api/v1/asks/x",
        "/api/v1/asks/..%2f..%2fperson.token",
        "/api/v1/asks/%00",
        "/api/v2/asks",
        "/person.token",
        "/../person.token",
        "//",
    ] {
        let answer = hub.call(&Call::get(path).token(&hub.person));
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
    }
    let answer = hub.call(&Call::new("PATCH", "/api/v1/asks").token(&hub.person));
    assert_eq!(answer.problem(), (405, "wrong_method".into()));
    hub.end();
}
