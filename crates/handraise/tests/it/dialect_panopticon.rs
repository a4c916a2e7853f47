//! Panopticon's page and scripts before a hub: one test for each thing that its plan "AskUserQuestion
//! Interception" promises on the wire, and for what must not happen there.

use std::fs;

use serde_json::{Value, json};

use crate::asking::{database, features, two_questions};
use crate::http::{Answer, Call};
use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

/// The session of the plan's sample, and the call in it.
const SESSION: &str = "286e638d-add1-490d-b6f4-6b99c8514f58";
const CALL: &str = "toolu_017wfzbruBz63jsFiqrgkpbc";
const AGENT: &str = "agent-pan-1";
const GET_ROUTE: &str = "GET /api/agents/{id}/pending-questions";
const POST_ROUTE: &str = "POST /api/agents/{id}/answer-question";

/// The plan's own sample, with the white space it has there.
const QUESTIONS: &str = r#"[{
          "question": "Which work items should we import?",
          "header": "Work Items",
          "options": [
            {"label": "User Stories + Defects", "description": "Most common..."},
            {"label": "All except Features", "description": "Include Tasks..."}
          ],
          "multiSelect": false
        }]"#;

/// Asks as an agent, in these words; returns the ask's id.
fn ask_in(hub: &WatchedHub, params: &str) -> String {
    let call = Call::post("/api/v1/asks").token(&hub.agent).body("application/json", params);
    let asked = hub.call(&call);
    assert_eq!(asked.status, 201, "{asked:?}");
    asked.json()["id"].as_str().unwrap().to_owned()
}

/// Asks in the session of the sample.
fn ask(hub: &WatchedHub, questions: &Value) -> String {
    let asker =
        json!({"agent": "claude-code", "session": SESSION, "directory": "/w/feature-pan-1"});
    ask_in(hub, &json!({"asker": asker, "questions": questions["questions"]}).to_string())
}

fn yes_or_no(text: &str) -> Value {
    json!({"questions": [{"question": text, "header": "H", "multiSelect": false,
        "options": [{"label": "Yes", "description": ""}, {"label": "No", "description": ""}]}]})
}

fn look_as(hub: &WatchedHub, token: &str, agent: &str) -> Answer {
    hub.call(&Call::get(&format!("/api/agents/{agent}/pending-questions")).token(token))
}

/// What the person's page is told of an agent.
fn pending(hub: &WatchedHub, agent: &str) -> Value {
    let told = look_as(hub, &hub.person, agent);
    assert_eq!((told.status, told.header("content-type")), (200, Some("application/json")));
    told.json()
}

fn calls(told: &Value) -> Vec<&str> {
    let calls = told["questions"].as_array().unwrap().iter();
    calls.map(|call| call["toolId"].as_str().unwrap()).collect()
}

fn nothing() -> Value {
    json!({"pending": false, "questions": []})
}

fn send(hub: &WatchedHub, agent: &str, kind: &str, body: impl Into<Vec<u8>>) -> Answer {
    let path = format!("/api/agents/{agent}/answer-question");
    hub.call(&Call::post(&path).token(&hub.person).body(kind, body))
}

/// Answers as the page does.
fn answer(hub: &WatchedHub, agent: &str, answers: &[&str]) -> Answer {
    send(hub, agent, "application/json", json!({"answers": answers}).to_string())
}

fn taken(answer: &Answer) {
    assert_eq!((answer.status, answer.text.as_str()), (200, r#"{"success":true}"#));
    assert_eq!(answer.header("content-type"), Some("application/json"));
}

/// The plan's failure; returns its reason.
fn failed(answer: &Answer) -> String {
    assert_eq!((answer.status, answer.header("content-type")), (500, Some("application/json")));
    let body = answer.json();
    assert_eq!(body["error"], "Failed to send answer", "{answer:?}");
    assert_eq!(body.as_object().unwrap().len(), 2, "{answer:?}");
    body["reason"].as_str().unwrap().to_owned()
}

/// How the ask was answered; null while it is open.
fn answers(hub: &WatchedHub, id: &str) -> Value {
    hub.look(id)["resolution"]["answers"].clone()
}

fn decline_elsewhere(hub: &WatchedHub, id: &str) {
    let path = format!("/api/v1/asks/{id}/decline");
    assert_eq!(hub.call(&Call::post(&path).token(&hub.person).json(&json!({}))).status, 200);
}

/// Notes where an agent works, as Panopticon does.
fn note_agent(hub: &WatchedHub, agent: &str, state: &str) {
    let directory = hub.place().join(".panopticon/agents").join(agent);
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("state.json"), state).unwrap();
}

#[test]
fn panopticon_get_tells_the_pending_questions_of_an_agent_in_its_shape() {
    let hub = WatchedHub::start();
    let asker = format!(r#"{{"agent": "claude-code", "session": "{SESSION}"}}"#);
    let key = format!("{SESSION}/{CALL}");
    let params = format!(r#"{{"asker": {asker}, "key": "{key}", "questions": {QUESTIONS}}}"#);
    let id = ask_in(&hub, &params);
    let told = look_as(&hub, &hub.person, SESSION);
    let asked_at = hub.look(&id)["askedAt"].as_str().unwrap().to_owned();
    let timestamp = told.json()["questions"][0]["timestamp"].as_str().unwrap().to_owned();
    assert_eq!(
        told.text,
        format!(
            r#"{{"pending":true,"questions":[{{"toolId":"{CALL}","sessionId":"{SESSION}","timestamp":"{timestamp}","questions":{QUESTIONS}}}]}}"#
        )
    );
    let (whole, fraction) = timestamp.strip_suffix('Z').unwrap().split_once('.').unwrap();
    assert!(asked_at.starts_with(whole) && fraction.len() == 3, "{asked_at} {timestamp}");
    hub.end();
}

#[test]
fn panopticon_post_of_a_label_answers_the_question_with_success() {
    let hub = WatchedHub::start();
    let id = ask(&hub, &json!({"questions": serde_json::from_str::<Value>(QUESTIONS).unwrap()}));
    taken(&answer(&hub, SESSION, &["User Stories + Defects"]));
    let ask = hub.look(&id);
    assert_eq!(ask["resolution"]["answers"][0]["selected"], json!(["User Stories + Defects"]));
    hub.end();
}

#[test]
fn panopticon_unknown_agent_has_nothing_pending() {
    let hub = WatchedHub::start();
    ask(&hub, &database());
    assert_eq!(pending(&hub, "agent-pan-9"), nothing());
    assert_eq!(pending(&hub, "019a0000-0000-7000-8000-000000000000"), nothing());
    assert_eq!(failed(&answer(&hub, "agent-pan-9", &["SQLite"])), "this agent waits for no answer");
    hub.end();
}

#[test]
fn panopticon_agent_is_known_by_the_workspace_in_its_state() {
    let hub = WatchedHub::start();
    let state = json!({"id": AGENT, "workspace": "/w/feature-pan-1"});
    note_agent(&hub, AGENT, &state.to_string());
    assert_eq!(pending(&hub, AGENT), nothing(), "it has asked nothing yet");
    let id = ask(&hub, &database());
    let elsewhere = json!({"agent": "claude-code", "directory": "/w/feature-pan-10"});
    let other = json!({"asker": elsewhere, "questions": database()["questions"]});
    let other = ask_in(&hub, &other.to_string());
    assert_eq!(calls(&pending(&hub, AGENT)), [&id]);
    taken(&answer(&hub, AGENT, &["SQLite"]));
    assert_eq!(answers(&hub, &id)[0]["selected"], json!(["SQLite"]));
    assert_eq!(hub.look(&other)["state"], "open");
    hub.end();
}

#[test]
fn panopticon_state_that_cannot_be_read_is_that_of_an_unknown_agent() {
    let hub = WatchedHub::start();
    ask(&hub, &database());
    for (agent, state) in [
        ("broken", "{"),
        ("empty", ""),
        ("number", r#"{"workspace": 5}"#),
        ("null", r#"{"workspace": null}"#),
        ("relative", r#"{"workspace": "w/feature-pan-1"}"#),
    ] {
        note_agent(&hub, agent, state);
        assert_eq!(pending(&hub, agent), nothing(), "{agent}");
        failed(&answer(&hub, agent, &["SQLite"]));
    }
    hub.end();
}

#[test]
fn panopticon_session_of_the_hub_is_an_agent_too() {
    let hub = WatchedHub::start();
    let new = json!({"agent": "claude-code", "directory": "/w/other"});
    let session = hub.call(&Call::post("/api/v1/sessions").token(&hub.agent).json(&new)).json();
    let session = session["id"].as_str().unwrap();
    let id = ask(&hub, &database());
    assert_eq!(pending(&hub, session), nothing(), "it does not say yet which session it is");
    let path = format!("/api/v1/sessions/{session}/progress");
    let progress = json!({"agentSession": SESSION});
    let noted = hub.call(&Call::post(&path).token(&hub.agent).json(&progress));
    assert_eq!(noted.status, 200, "{noted:?}");
    assert_eq!(calls(&pending(&hub, session)), [&id]);
    taken(&answer(&hub, session, &["SQLite"]));
    hub.end();
}

#[test]
fn panopticon_answered_questions_are_pending_no_more() {
    let hub = WatchedHub::start();
    let (first, second) = (ask(&hub, &database()), ask(&hub, &features()));
    assert_eq!(calls(&pending(&hub, SESSION)), [&first, &second], "in the order they were asked");
    taken(&answer(&hub, SESSION, &["SQLite"]));
    assert_eq!(calls(&pending(&hub, SESSION)), [&second]);
    taken(&answer(&hub, SESSION, &["Tailwind CSS", "TypeScript"]));
    assert_eq!(pending(&hub, SESSION), nothing());
    assert_eq!(answers(&hub, &second)[0]["selected"], json!(["TypeScript", "Tailwind CSS"]));
    hub.end();
}

#[test]
fn panopticon_labels_of_several_questions_come_in_one_flat_array() {
    let hub = WatchedHub::start();
    let (first, second) = (ask(&hub, &two_questions()), ask(&hub, &yes_or_no("Go on?")));
    assert_eq!(calls(&pending(&hub, SESSION)).len(), 2);
    taken(&answer(&hub, SESSION, &["MongoDB", "TypeScript", "Tailwind CSS", "Yes"]));
    let given = answers(&hub, &first);
    assert_eq!(given[0]["selected"], json!(["MongoDB"]));
    assert_eq!(given[1]["selected"], json!(["TypeScript", "Tailwind CSS"]));
    assert_eq!(answers(&hub, &second)[0]["selected"], json!(["Yes"]));
    hub.end();
}

#[test]
fn panopticon_labels_that_fit_in_two_ways_are_refused_with_the_reason() {
    let hub = WatchedHub::start();
    let mut other = features();
    other["questions"][0]["question"] = json!("Which of them later?");
    let ids = [ask(&hub, &features()), ask(&hub, &other)];
    let reason = failed(&answer(&hub, SESSION, &["TypeScript", "Tailwind CSS"]));
    assert!(reason.contains("more than one way"), "{reason}");
    for id in &ids {
        assert_eq!(hub.look(id)["state"], "open");
    }
    // One for each can be told apart, once the same label cannot be for the same question.
    taken(&answer(&hub, SESSION, &["TypeScript", "TypeScript"]));
    hub.end();
}

#[test]
fn panopticon_labels_that_do_not_fit_are_refused_with_where_and_change_nothing() {
    let hub = WatchedHub::start();
    let id = ask(&hub, &two_questions());
    let head = hub.look(&id)["seq"].clone();
    for (answers, reason) in [
        (&[][..], "answers: none, one for each question needed"),
        (&["SQLite"], "questions[0].questions[1]: no answer, one at least needed"),
        (
            &["TypeScript"],
            "answers[0]: an option of another question, an answer to questions[0].questions[0] needed",
        ),
        (&["SQLite", "TypeScript", "TypeScript"], "answers[2]: left over, nothing more needed"),
        (&["", "TypeScript"], "answers[0].words: nothing but spaces, text needed"),
        (
            &["a\u{1b}[2Jb", "TypeScript"],
            "answers[0].words: control character U+001B, text without control characters needed",
        ),
    ] {
        assert_eq!(failed(&answer(&hub, SESSION, answers)), reason);
        assert_eq!((&hub.look(&id)["state"], &hub.look(&id)["seq"]), (&json!("open"), &head));
    }
    taken(&answer(&hub, SESSION, &["SQLite", "TypeScript"]));
    hub.end();
}

/// Its plan leaves open whether there is a field for "Other".
#[test]
fn panopticon_text_that_is_no_label_is_an_answer_in_own_words() {
    let hub = WatchedHub::start();
    let id = ask(&hub, &database());
    let words = "neither: \"DuckDB\", $(rm -rf /) `x`";
    taken(&answer(&hub, SESSION, &[words]));
    assert_eq!(answers(&hub, &id)[0]["words"], words);
    hub.end();
}

#[test]
fn panopticon_own_words_are_refused_where_only_options_count() {
    let hub = WatchedHub::start();
    let asker = json!({"agent": "claude-code", "session": SESSION});
    let mut params = json!({"asker": asker, "questions": database()["questions"]});
    let first = ask_in(&hub, &params.to_string());
    params["policy"] = json!({"ownWords": "refuse"});
    let second = ask_in(&hub, &params.to_string());
    // Neither the first, which alone would have been taken.
    failed(&answer(&hub, SESSION, &["SQLite", "DuckDB"]));
    for id in [&first, &second] {
        assert_eq!(hub.look(id)["state"], "open");
    }
    taken(&answer(&hub, SESSION, &["SQLite", "MongoDB"]));
    hub.end();
}

#[test]
fn panopticon_answer_is_kept_with_who_gave_it_and_where() {
    let hub = WatchedHub::start();
    let id = ask(&hub, &database());
    taken(&answer(&hub, SESSION, &["SQLite"]));
    let responder = hub.look(&id)["resolution"]["responder"].clone();
    assert_eq!(
        (&responder["person"], &responder["surface"], &responder["proof"]),
        (&json!("ann"), &json!("dialect:panopticon"), &json!("token")),
    );
    hub.end();
}

#[test]
fn panopticon_answer_counts_if_it_is_first_and_not_if_it_is_second() {
    let hub = WatchedHub::start();
    let api = |id: &str| {
        let path = format!("/api/v1/asks/{id}/answer");
        let params = json!({"answers": [{"selected": ["SQLite"]}]});
        hub.call(&Call::post(&path).token(&hub.person).json(&params))
    };
    let id = ask(&hub, &database());
    taken(&answer(&hub, SESSION, &["MongoDB"]));
    assert_eq!(api(&id).problem(), (409, "already_resolved".into()));
    assert_eq!(answers(&hub, &id)[0]["selected"], json!(["MongoDB"]));
    let id = ask(&hub, &database());
    pending(&hub, SESSION);
    assert_eq!(api(&id).status, 200);
    let reason = failed(&answer(&hub, SESSION, &["MongoDB"]));
    assert!(reason.starts_with("already answered by ann at "), "{reason}");
    assert_eq!(answers(&hub, &id)[0]["selected"], json!(["SQLite"]));
    hub.end();
}

#[test]
fn panopticon_duplicate_post_is_refused_and_does_not_reach_the_next_question() {
    let hub = WatchedHub::start();
    let first = ask(&hub, &yes_or_no("Keep the old table?"));
    let second = ask(&hub, &yes_or_no("Drop the new one?"));
    pending(&hub, SESSION);
    taken(&answer(&hub, SESSION, &["Yes"]));
    let reason = failed(&answer(&hub, SESSION, &["Yes"]));
    assert!(reason.starts_with("already answered by ann at "), "{reason}");
    assert_eq!(hub.look(&second)["state"], "open");
    assert_eq!(answers(&hub, &first)[0]["selected"], json!(["Yes"]));
    // Once it has looked again, it is about the second.
    assert_eq!(calls(&pending(&hub, SESSION)), [&second]);
    taken(&answer(&hub, SESSION, &["No"]));
    hub.end();
}

#[test]
fn panopticon_answer_to_a_question_that_ended_does_not_go_to_the_next() {
    let hub = WatchedHub::start();
    let first = ask(&hub, &yes_or_no("Keep the old table?"));
    let second = ask(&hub, &yes_or_no("Drop the new one?"));
    pending(&hub, SESSION);
    let path = format!("/api/v1/asks/{first}/withdraw");
    assert_eq!(hub.call(&Call::post(&path).token(&hub.agent).json(&json!({}))).status, 200);
    let reason = failed(&answer(&hub, SESSION, &["Yes"]));
    assert!(reason.starts_with("withdrawn by the agent at "), "{reason}");
    failed(&answer(&hub, SESSION, &["Yes", "Yes"]));
    assert_eq!(hub.look(&second)["state"], "open");
    hub.end();
}

#[test]
fn panopticon_late_post_does_not_answer_what_its_page_never_showed() {
    let hub = WatchedHub::start();
    assert_eq!(pending(&hub, SESSION), nothing());
    let id = ask(&hub, &yes_or_no("Drop the table?"));
    let late = "what this agent waits with was asked after this page last looked; look again";
    assert_eq!(failed(&answer(&hub, SESSION, &["Yes"])), late);
    assert_eq!(hub.look(&id)["state"], "open");
    // What another device of the same person was told makes no difference.
    let (_, phone) = hub.pair();
    assert_eq!(look_as(&hub, &phone, SESSION).json()["pending"], true);
    assert_eq!(failed(&answer(&hub, SESSION, &["Yes"])), late);
    assert_eq!(calls(&pending(&hub, SESSION)), [&id]);
    let newer = ask(&hub, &yes_or_no("Drop all of them?"));
    failed(&answer(&hub, SESSION, &["Yes", "Yes"]));
    taken(&answer(&hub, SESSION, &["Yes"]));
    assert_eq!(hub.look(&newer)["state"], "open");
    hub.end();
}

/// The page may have been told of the second question and still show the first: what the hub said may be
/// on its way, or another window of the same device may have looked.
#[test]
fn panopticon_answer_that_fits_what_has_just_ended_and_what_took_its_place_is_refused() {
    let hub = WatchedHub::start();
    let first = ask(&hub, &yes_or_no("Delete the scratch file?"));
    assert_eq!(calls(&pending(&hub, SESSION)), [&first]);
    decline_elsewhere(&hub, &first);
    let mut choice = yes_or_no("Delete the production database?");
    choice["questions"][0]["options"][1]["label"] = json!("Never");
    let second = ask(&hub, &choice);
    assert_eq!(calls(&pending(&hub, SESSION)), [&second]);
    let reason = failed(&answer(&hub, SESSION, &["Yes"]));
    assert!(reason.starts_with("what this agent waits with has just changed"), "{reason}");
    assert_eq!(hub.look(&second)["state"], "open");
    // What fits only one of them is about that one.
    let reason = failed(&answer(&hub, SESSION, &["No"]));
    assert!(reason.starts_with("already declined by "), "{reason}");
    taken(&answer(&hub, SESSION, &["Never"]));
    hub.end();
}

#[test]
fn panopticon_page_that_was_told_by_the_hub_before_this_one_has_to_look_first() {
    let hub = WatchedHub::start();
    let first = ask(&hub, &yes_or_no("Delete the scratch file?"));
    pending(&hub, SESSION);
    let hub = hub.restart();
    decline_elsewhere(&hub, &first);
    let second = ask(&hub, &yes_or_no("Delete the production database?"));
    let reason = failed(&answer(&hub, SESSION, &["Yes"]));
    assert!(reason.ends_with("look at pending-questions first"), "{reason}");
    assert_eq!(hub.look(&second)["state"], "open");
    pending(&hub, SESSION);
    taken(&answer(&hub, SESSION, &["No"]));
    hub.end();
}

/// A script that never looks may answer what is there.
#[test]
fn panopticon_post_without_a_get_is_about_what_is_open() {
    let hub = WatchedHub::start();
    let nothing_there = failed(&answer(&hub, SESSION, &["SQLite"]));
    assert_eq!(nothing_there, "this agent waits for no answer");
    ask(&hub, &database());
    taken(&answer(&hub, SESSION, &["SQLite"]));
    failed(&answer(&hub, SESSION, &["SQLite"]));
    hub.end();
}

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
fn panopticon_is_shown_no_approvals_and_nothing_that_only_a_dialog_answers() {
    let hub = WatchedHub::start();
    let asker = json!({"agent": "claude-code", "session": SESSION});
    let approval = json!({"asker": asker, "kind": "approval",
        "approval": {"tool": "Bash", "input": {"command": "ls"}}});
    let approval = ask_in(&hub, &approval.to_string());
    let in_dialog = json!({"asker": asker, "questions": database()["questions"],
        "policy": {"answerIn": "dialog"}});
    let in_dialog = ask_in(&hub, &in_dialog.to_string());
    assert_eq!(failed(&answer(&hub, SESSION, &["SQLite"])), "this agent waits for no answer");
    assert_eq!(pending(&hub, SESSION), nothing());
    for id in [&approval, &in_dialog] {
        assert_eq!(hub.look(id)["state"], "open");
    }
    hub.end();
}

#[test]
fn panopticon_answer_that_cannot_be_stored_is_its_failure() {
    let hub = WatchedHub::start();
    let id = ask(&hub, &database());
    let (file, elsewhere) = (hub.home().join("handraise.db"), hub.place().join("elsewhere.db"));
    fs::rename(&file, &elsewhere).unwrap();
    let reason = failed(&answer(&hub, SESSION, &["SQLite"]));
    assert!(reason.starts_with("the hub could not store this"), "{reason}");
    fs::rename(&elsewhere, &file).unwrap();
    assert_eq!(hub.look(&id)["state"], "open");
    taken(&answer(&hub, SESSION, &["SQLite"]));
    hub.end();
}

#[test]
fn panopticon_answer_is_heard_of_by_everybody_who_follows() {
    let hub = WatchedHub::start();
    let id = ask(&hub, &database());
    let mut socket = Socket::follow(&hub, &hub.person, Some(0)).unwrap().live();
    taken(&answer(&hub, SESSION, &["SQLite"]));
    loop {
        let frame = socket.frame();
        if frame["name"] == "ask.resolved" {
            assert_eq!(frame["ask"]["id"], json!(id), "{frame}");
            break;
        }
    }
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

#[test]
fn panopticon_tells_the_oldest_of_too_many() {
    let hub = WatchedHub::start();
    let ids: Vec<_> = (0..52).map(|n| ask(&hub, &yes_or_no(&format!("Number {n}?")))).collect();
    assert_eq!(calls(&pending(&hub, SESSION)), ids[..50]);
    taken(&answer(&hub, SESSION, &["Yes"; 50]));
    assert_eq!(calls(&pending(&hub, SESSION)), ids[50..]);
    hub.end();
}
