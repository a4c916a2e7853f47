//! A page that an agent wrote, shown where it can do nothing.

use serde_json::{Value, json};

use crate::http::{Answer, Call};
use crate::watched_hub::WatchedHub;

const PAGE: &str = "<style>b { color: red }</style><b>Ja</b><script>alert(1)</script>";

/// An ask whose second question has a page for its second option.
fn ask(hub: &WatchedHub) -> String {
    let ask = json!({"asker": {"agent": "tester"}, "questions": [
        {"question": "First?", "options": [{"label": "a"}]},
        {"question": "Second?", "options": [
            {"label": "plain", "preview": " "}, {"label": "page", "preview": PAGE}]}]});
    let answer = hub.call(&Call::post("/api/v1/asks").token(&hub.agent).json(&ask));
    answer.json()["id"].as_str().unwrap().to_owned()
}

fn make(hub: &WatchedHub, id: &str, token: &str, params: &Value) -> Answer {
    hub.call(&Call::post(&format!("/api/v1/asks/{id}/previews")).token(token).json(params))
}

/// The address of a new preview.
fn address(hub: &WatchedHub, id: &str) -> String {
    let made = make(hub, id, &hub.person, &json!({"question": 1, "option": 1}));
    assert_eq!(made.status, 201, "{made:?}");
    let url = made.json()["url"].as_str().unwrap().to_owned();
    hub.keep_secret(url.strip_prefix("/previews/").unwrap());
    url
}

#[test]
fn a_preview_is_shown_once_to_whoever_has_its_address() {
    let hub = WatchedHub::start();
    let id = ask(&hub);
    let (one, two) = (address(&hub, &id), address(&hub, &id));
    for url in [&two, &one] {
        let shown = hub.call(&Call::get(url));
        assert_eq!((shown.status, shown.text.as_str()), (200, PAGE));
        let gone = hub.call(&Call::get(url));
        assert_eq!(gone.problem(), (404, "no_such_preview".into()), "shown twice");
    }
    hub.end();
}

#[test]
fn nothing_runs_in_a_preview_and_nobody_else_frames_it() {
    let hub = WatchedHub::start();
    let id = ask(&hub);
    let shown = hub.call(&Call::get(&address(&hub, &id)));
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        (
            "content-security-policy",
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; \
             sandbox; frame-ancestors 'self'",
        ),
        ("x-frame-options", "SAMEORIGIN"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
    ] {
        assert_eq!(shown.header(name), Some(value), "{name}");
    }
    hub.end();
}

#[test]
fn only_a_person_gets_one_and_only_where_there_is_one() {
    let hub = WatchedHub::start();
    let id = ask(&hub);
    let here = json!({"question": 1, "option": 1});
    assert_eq!(make(&hub, &id, &hub.agent, &here).problem(), (403, "needs_person".into()));
    for (question, option) in [(0, 0), (1, 0), (1, 2), (2, 0)] {
        let there = json!({"question": question, "option": option});
        let none = make(&hub, &id, &hub.person, &there);
        assert_eq!(none.problem(), (404, "no_such_preview".into()), "{there}");
    }
    let wrong = make(&hub, &id, &hub.person, &json!({"question": -1, "option": 1}));
    assert_eq!(wrong.problem(), (422, "invalid".into()));
    let approval = json!({"asker": {"agent": "tester"}, "kind": "approval",
                          "approval": {"tool": "Bash", "input": {}}});
    let approval = hub.call(&Call::post("/api/v1/asks").token(&hub.agent).json(&approval)).json();
    let none = make(&hub, approval["id"].as_str().unwrap(), &hub.person, &here);
    assert_eq!(none.problem(), (404, "no_such_preview".into()));
    let nobody = "01977420-dfe8-7101-8101-010101010101";
    assert_eq!(make(&hub, nobody, &hub.person, &here).problem(), (404, "no_such_ask".into()));
    let guess = hub.call(&Call::get("/previews/0123456789"));
    assert_eq!(guess.problem(), (404, "no_such_preview".into()));
    hub.end();
}
