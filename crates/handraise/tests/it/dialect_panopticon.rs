//! Panopticon's page and scripts before a hub: one test for each thing that its plan "AskUserQuestion
//! Interception" promises on the wire, and for what must not happen there.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use handraise_testkit::PATIENCE;
use serde_json::{Value, json};

use crate::asking::{database, features};
use crate::http::Call;
use crate::panopticon_scene::{
    AGENT, CALL, QUESTIONS, SESSION, answer, answers, ask, ask_in, calls, failed, look_as,
    note_agent, nothing, pending, taken, yes_or_no,
};
use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

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

/// Asks as an agent does that tells what its model has read.
fn ask_with_receipts(hub: &WatchedHub) -> String {
    let params = json!({"asker": {"agent": "claude-code", "session": SESSION},
        "questions": database()["questions"], "policy": {"receipt": "seen"}});
    ask_in(hub, &params.to_string())
}

/// Waits until a person's answer is stored.
fn wait_answered(hub: &WatchedHub, id: &str) {
    let start = Instant::now();
    while hub.look(id)["state"] == "open" {
        assert!(start.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn panopticon_post_succeeds_when_the_agent_has_taken_the_answer() {
    let hub = WatchedHub::start();
    let id = ask_with_receipts(&hub);
    thread::scope(|scope| {
        let posted = scope.spawn(|| answer(&hub, SESSION, &["SQLite"]));
        wait_answered(&hub, &id);
        for level in ["handed", "seen"] {
            assert!(!posted.is_finished(), "it does not know yet");
            let path = format!("/api/v1/asks/{id}/receipt");
            let told = Call::post(&path).token(&hub.agent);
            assert_eq!(hub.call(&told.json(&json!({"level": level}))).status, 200);
        }
        taken(&posted.join().unwrap());
    });
    hub.end();
}

#[test]
fn panopticon_post_fails_when_the_agent_did_not_take_the_answer() {
    let hub = WatchedHub::start();
    let took = json!({"kind": "answered", "answers": [{"selected": ["MongoDB"]}]});
    for (path, told, reason) in [
        (
            "withdraw",
            json!({"reason": "The pane is gone."}),
            "it did not arrive: The pane is gone.",
        ),
        ("receipt", json!({"level": "seen", "took": took}), "the agent took another answer"),
    ] {
        let id = ask_with_receipts(&hub);
        thread::scope(|scope| {
            let posted = scope.spawn(|| answer(&hub, SESSION, &["SQLite"]));
            wait_answered(&hub, &id);
            let path = format!("/api/v1/asks/{id}/{path}");
            let said = hub.call(&Call::post(&path).token(&hub.agent).json(&told));
            assert_eq!(said.status, 200, "{said:?}");
            assert_eq!(failed(&posted.join().unwrap()), reason);
        });
    }
    hub.end();
}

#[test]
fn panopticon_post_fails_when_the_hub_stops_before_delivery() {
    let hub = WatchedHub::start();
    let id = ask_with_receipts(&hub);
    let posted = thread::scope(|scope| {
        let posted = scope.spawn(|| answer(&hub, SESSION, &["SQLite"]));
        wait_answered(&hub, &id);
        hub.terminate();
        posted.join().unwrap()
    });
    let reason = "it is stored and on its way, but the hub is shutting down";
    assert_eq!(failed(&posted), reason);
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
fn panopticon_tells_the_oldest_of_too_many() {
    let hub = WatchedHub::start();
    let ids: Vec<_> = (0..52).map(|n| ask(&hub, &yes_or_no(&format!("Number {n}?")))).collect();
    assert_eq!(calls(&pending(&hub, SESSION)), ids[..50]);
    taken(&answer(&hub, SESSION, &["Yes"; 50]));
    assert_eq!(calls(&pending(&hub, SESSION)), ids[50..]);
    hub.end();
}
