//! Who may speak to Panopticon's addresses, and what they make of bad and hostile input.

use std::fs;

use serde_json::json;

use crate::asking::database;
use crate::http::Call;
use crate::panopticon_scene::{
    AGENT, GET_ROUTE, POST_ROUTE, SESSION, answer, answers, ask, ask_in, calls, failed, look_as,
    note_agent, nothing, pending, send, taken,
};
use crate::watched_hub::WatchedHub;

#[test]
fn panopticon_malformed_posts_fail_in_its_shape_and_change_nothing() {
    let hub = WatchedHub::start();
    let id = ask(&hub, &database());
    let head = hub.look(&id)["seq"].clone();
    let json = "application/json";
    for (kind, body, reason) in [
        (json, "", "the body is not JSON"),
        (json, "{", "the body is not JSON"),
        (json, r#"{"answers": ["SQLite"]} x"#, "the body is not JSON"),
        (json, "\"SQLite\"", "body: a string, an object needed"),
        (json, r#"[["SQLite"]]"#, "body: a list, an object needed"),
        (json, "{}", "answers: nothing, a value needed"),
        (json, r#"{"answers": null}"#, "answers: null, a list needed"),
        (json, r#"{"answers": "SQLite"}"#, "answers: a string, a list needed"),
        (json, r#"{"answers": {"0": "SQLite"}}"#, "answers: an object, a list needed"),
        (json, r#"{"answers": [1]}"#, "answers[0]: a number, a string needed"),
        (json, r#"{"answers": [["SQLite"]]}"#, "answers[0]: a list, a string needed"),
        (json, r#"{"answers": ["SQLite"], "answers": ["SQLite"]}"#, "a field given twice"),
        ("text/plain", r#"{"answers": ["SQLite"]}"#, "the body must be JSON"),
        ("application/x-www-form-urlencoded", "answers=SQLite", "the body must be JSON"),
    ] {
        let found = failed(&send(&hub, SESSION, kind, body));
        assert!(found.contains(reason), "{body}: {found}");
    }
    let bytes = [br#"{"answers": [""#.as_slice(), &[0xff, 0xfe], br#""]}"#].concat();
    failed(&send(&hub, SESSION, json, bytes));
    let many = json!({"answers": vec!["SQLite"; 10_000]}).to_string();
    assert!(failed(&send(&hub, SESSION, json, many)).contains("10000 elements"));
    let long = json!({"answers": ["x".repeat(20_000)]}).to_string();
    assert!(failed(&send(&hub, SESSION, json, long)).contains("10,000 or fewer"));
    assert_eq!((&hub.look(&id)["state"], &hub.look(&id)["seq"]), (&json!("open"), &head));
    // What its page may send beside is passed over.
    let more = r#"{"toolId": "toolu_1", "answers": ["SQLite"], "x": [{}]}"#;
    taken(&send(&hub, SESSION, "application/json; charset=utf-8", more));
    hub.end();
}

#[test]
fn panopticon_oversized_posts_are_refused_as_everywhere() {
    let hub = WatchedHub::start();
    let id = ask(&hub, &database());
    let refused = send(&hub, SESSION, "application/json", vec![b' '; 10_000_000]);
    assert_eq!(refused.problem(), (413, "too_large".into()));
    hub.refusal("too_large", POST_ROUTE);
    assert_eq!(hub.look(&id)["state"], "open");
    hub.end();
}

#[test]
fn panopticon_without_a_persons_token_nothing_is_told_and_nothing_taken() {
    let hub = WatchedHub::start();
    let id = ask(&hub, &database());
    let (get, post) = (
        format!("/api/agents/{SESSION}/pending-questions"),
        format!("/api/agents/{SESSION}/answer-question"),
    );
    for body in [json!({"answers": ["SQLite"]}).to_string(), String::new(), "{".into()] {
        for (call, route) in [(Call::get(&get), GET_ROUTE), (Call::post(&post), POST_ROUTE)] {
            let call = call.body("application/json", body.clone());
            let stranger = hub.call(&call);
            assert_eq!(stranger.problem(), (401, "no_token".into()));
            let bad = hub.call(&call.clone().token(&"0".repeat(64)));
            assert_eq!(bad.problem(), (401, "bad_token".into()));
            let agent = hub.call(&call.token(&hub.agent));
            assert_eq!(agent.problem(), (403, "needs_person".into()));
            for code in ["no_token", "bad_token", "needs_person"] {
                hub.refusal(code, route);
            }
        }
    }
    assert_eq!(hub.look(&id)["state"], "open");
    hub.end();
}

#[test]
fn panopticon_page_from_elsewhere_is_refused_and_noted() {
    let hub = WatchedHub::start();
    let id = ask(&hub, &database());
    let get = format!("/api/agents/{SESSION}/pending-questions");
    let post = format!("/api/agents/{SESSION}/answer-question");
    let body = json!({"answers": ["SQLite"]});
    for (call, route) in [(Call::get(&get), GET_ROUTE), (Call::post(&post).json(&body), POST_ROUTE)]
    {
        let call = call.token(&hub.person).header("origin", "https://panopticon.example");
        let refused = hub.call(&call);
        assert_eq!(refused.problem(), (403, "foreign_origin".into()));
        assert_eq!(refused.header("access-control-allow-origin"), None);
        hub.refusal("foreign_origin", route);
    }
    assert_eq!(hub.look(&id)["state"], "open");
    hub.end();
}

#[test]
fn panopticon_page_from_an_allowed_origin_works_after_its_preflight() {
    let hub = WatchedHub::configured("allow_origins = [\"http://localhost:3011\"]\n");
    ask(&hub, &database());
    let origin = "http://localhost:3011";
    let get = format!("/api/agents/{SESSION}/pending-questions");
    let post = format!("/api/agents/{SESSION}/answer-question");
    let preflight = Call::new("OPTIONS", &post)
        .header("origin", origin)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization,content-type");
    let allowed = hub.call(&preflight);
    assert_eq!(
        (allowed.status, allowed.header("access-control-allow-origin")),
        (204, Some(origin))
    );
    assert!(allowed.header("access-control-allow-methods").unwrap().contains("POST"));
    let headers = allowed.header("access-control-allow-headers").unwrap();
    assert!(headers.contains("authorization") && headers.contains("content-type"), "{headers}");
    let body = json!({"answers": ["SQLite"]});
    let wrong = json!({"answers": []});
    for (call, status) in [
        (Call::get(&get), 200),
        (Call::post(&post).json(&wrong), 500),
        (Call::post(&post).json(&body), 200),
    ] {
        let read = hub.call(&call.token(&hub.person).header("origin", origin));
        assert_eq!(read.status, status);
        // The failure, too, can be read by the page.
        assert_eq!(read.header("access-control-allow-origin"), Some(origin));
    }
    hub.end();
}

#[test]
fn panopticon_hostile_names_name_no_agent() {
    let hub = WatchedHub::start();
    let state = json!({"workspace": "/w/feature-pan-1"}).to_string();
    note_agent(&hub, AGENT, &state);
    let id = ask(&hub, &database());
    let outside = hub.place().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("state.json"), &state).unwrap();
    let long = "x".repeat(5000);
    for agent in [
        "..",
        "%2e%2e",
        "..%2F..%2Foutside",
        "..%2f..%2foutside%2f",
        &format!("%2e%2e%2fagents%2f{AGENT}"),
        &format!(".%2F{AGENT}"),
        &format!("{AGENT}%2F"),
        &format!("{AGENT}%00"),
        &format!("{}%2F", outside.display().to_string().replace('/', "%2F")),
        &outside.display().to_string().replace('/', "%2F"),
        "%ff%fe",
        "%1b%5b2J",
        "%3Cscript%3E",
        "~",
        "*",
        &long,
    ] {
        assert_eq!(pending(&hub, agent), nothing(), "{agent}");
        failed(&answer(&hub, agent, &["SQLite"]));
    }
    assert_eq!(hub.look(&id)["state"], "open");
    assert_eq!(calls(&pending(&hub, AGENT)), [&id]);
    hub.end();
}

#[test]
fn panopticon_hostile_questions_come_back_byte_for_byte() {
    let hub = WatchedHub::start();
    let questions = concat!(
        r#"[ {"header":"\u003cb\u003e", "question":"<script>alert(1)</script> \u001b]0;x\u0007 "#,
        r#"\ud83d\ude00 \u202e \\ \" 日本", "n": 1.0e+2, "options":[{"label":"a\u0000b"},"#,
        r#"{"label":"$(x) `y` '\";--","description":"</div>"} ], "multiSelect" :false}]"#,
    );
    let asker = format!(r#"{{"agent": "claude-code", "session": "{SESSION}"}}"#);
    let id = ask_in(&hub, &format!(r#"{{"asker": {asker}, "questions": {questions}}}"#));
    let told = look_as(&hub, &hub.person, SESSION);
    assert!(told.text.ends_with(&format!(r#""questions":{questions}}}]}}"#)), "{}", told.text);
    // A label is chosen by exactly its bytes, whatever they are.
    taken(&answer(&hub, SESSION, &["a\u{0}b"]));
    assert_eq!(answers(&hub, &id)[0]["selected"], json!(["a\u{0}b"]));
    hub.end();
}

#[test]
fn panopticon_addresses_take_no_other_methods() {
    let hub = WatchedHub::start();
    let get = format!("/api/agents/{SESSION}/pending-questions");
    let post = format!("/api/agents/{SESSION}/answer-question");
    for call in [Call::post(&get), Call::delete(&get), Call::get(&post)] {
        let refused = hub.call(&call.token(&hub.person).json(&json!({"answers": []})));
        assert_eq!(refused.problem(), (405, "wrong_method".into()));
    }
    hub.end();
}
