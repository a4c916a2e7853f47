//! Front ends that go, and hubs that do: who is missed, and what is kept.

use std::path::Path;

use handraise_testkit::{HubProcess, plain_request};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::dialect_scene::{
    Door, FORMAT, format_question, gobby_says, gone_is_declined, of_session, prime_agent_says,
    ruled,
};
use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

/// An ask of a session that is to be declined when its page goes.
fn asks(door: &Door, session: &str, call: &str) -> String {
    let ask = of_session(session, call, json!([format_question()]));
    door.asks(&ruled(ask, gone_is_declined()))
}

/// Waits for the end of an ask, as its agent does.
fn end_of(door: &Door, id: &str) -> Value {
    let url = format!("http://{}", door.address);
    let path = format!("/asks/{id}/resolution?wait=30");
    let told = plain_request(&url, &door.agent, "GET", &path, None).unwrap();
    assert_eq!(told.status, 200, "{told:?}");
    told.body
}

fn is_declined_by_rule(end: &Value) {
    assert_eq!((&end["kind"], &end["responder"]["surface"]), (&json!("declined"), &json!("rule")));
}

#[test]
fn only_the_last_of_a_sessions_pages_is_missed() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let (mut narrow, mut second) = (door.gobby("s-1"), door.gobby("s-1"));
    let mut wide = door.gobby("");
    let id = asks(&door, "s-1", "t");
    for page in [&mut narrow, &mut second, &mut wide] {
        page.sees_call("t", "calling");
    }
    narrow.leaves();
    wide.leaves();
    // It is still there for the page that is.
    second.says(&gobby_says("s-1", "t", json!({FORMAT: "Summary"})));
    second.sees_call("t", "completed");
    let again = asks(&door, "s-1", "u");
    second.sees_call("u", "calling");
    second.leaves();
    is_declined_by_rule(&end_of(&door, &again));
    assert_eq!(door.answer_to(&id), json!(["Summary"]));
    hub.end();
}

#[test]
fn a_wide_page_that_goes_is_missed_where_no_other_page_looks() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let session = door.opens_session("own");
    let wide = door.gobby("");
    // One looks at the same session by the hub's name for it.
    let (mut narrow, mut named) = (door.gobby("s-1"), door.gobby(&session));
    let kept = [asks(&door, "s-1", "t-1"), asks(&door, "own", "t-2")];
    let kept_by_rule = door.asks(&of_session("s-2", "t-3", json!([format_question()])));
    let missed = [asks(&door, "s-2", "t-4"), asks(&door, "s-3", "t-5")];
    wide.leaves();
    // They hear of it in the order they were asked.
    for id in &missed {
        is_declined_by_rule(&end_of(&door, id));
    }
    for id in kept.iter().chain([&kept_by_rule]) {
        assert!(door.is_open(id));
    }
    narrow.sees_call("t-1", "calling");
    named.sees_call("t-2", "calling");
    named.leaves();
    is_declined_by_rule(&end_of(&door, &kept[1]));
    assert!(door.is_open(&kept[0]), "another session's page is none of its business");
    assert!(door.is_open(&kept_by_rule));
    hub.end();
}

#[test]
fn a_narrow_page_that_goes_is_not_missed_while_a_wide_one_looks() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let mut wide = door.gobby("");
    let narrow = door.gobby("s-1");
    let id = asks(&door, "s-1", "t");
    wide.sees_call("t", "calling");
    narrow.leaves();
    wide.says(&gobby_says("s-1", "t", json!({FORMAT: "Detailed"})));
    wide.sees_call("t", "completed");
    assert_eq!(end_of(&door, &id)["kind"], "answered");
    hub.end();
}

/// It counts from when it is let in, and not from when it first hears something.
#[test]
fn a_page_that_was_let_in_is_there_for_a_question_whose_other_page_goes() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    for round in 0..20 {
        let call = format!("t-{round}");
        let mut first = door.gobby("s-1");
        let ids = [asks(&door, "s-1", &call), asks(&door, "s-1", &format!("u-{round}"))];
        first.sees_call(&call, "calling");
        let mut second = door.front_end("gobby/s-1");
        first.leaves();
        for (id, call) in ids.iter().zip([call, format!("u-{round}")]) {
            let shown = second.hears_a("tool_status");
            assert_eq!(shown["status"], "calling", "{shown}");
            second.says(&gobby_says("s-1", &call, json!({FORMAT: "Summary"})));
            assert_eq!(end_of(&door, id)["kind"], "answered", "round {round}");
        }
        second.leaves();
    }
    hub.end();
}

#[test]
fn a_line_that_had_to_be_cut_is_nobodys_leaving() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let mut page = door.gobby("s-1");
    let id = asks(&door, "s-1", "t");
    page.sees_call("t", "calling");
    let far_too_large = 8 * handraise_server::Limits::default().body_bytes + 1;
    // It is cut before all of it is sent.
    let _ = page.0.try_send(Message::text("x".repeat(far_too_large)));
    let mut again = door.front_end("gobby/s-1");
    again.sees_call("t", "calling");
    again.says(&gobby_says("s-1", "t", json!({FORMAT: "Summary"})));
    again.sees_call("t", "completed");
    assert_eq!(end_of(&door, &id)["kind"], "answered");
    hub.end();
}

#[test]
fn a_page_of_another_dialect_is_not_missed() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let id = asks(&door, "s-1", "t");
    let (mut prime, _) = door.prime_agent("s-1");
    prime.is_asked(&id);
    prime.leaves();
    let (mut prime, _) = door.prime_agent("s-1");
    prime.is_asked(&id);
    // Nor does it hold anything for Gobby's.
    let mut gobby = door.front_end("gobby/s-1");
    gobby.sees_call("t", "calling");
    gobby.leaves();
    let told = prime.hears_a("ask_user_timeout");
    assert!(
        told["error"].as_str().unwrap().starts_with("already declined by onDisconnect"),
        "{told}"
    );
    is_declined_by_rule(&end_of(&door, &id));
    hub.end();
}

#[test]
fn what_is_to_be_kept_is_kept_for_the_next_page() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let kept = door.asks_for_a_format();
    let other = asks(&door, "s-1", "toolu_2");
    let mut page = door.front_end("gobby/s-1");
    page.sees_call("toolu_1", "calling");
    page.leaves();
    is_declined_by_rule(&end_of(&door, &other));
    let mut page = door.front_end("gobby/s-1");
    page.sees_call("toolu_1", "calling");
    page.says(&gobby_says("s-1", "toolu_1", json!({FORMAT: "Summary"})));
    page.sees_call("toolu_1", "completed");
    assert_eq!(door.answer_to(&kept), json!(["Summary"]));
    hub.end();
}

#[test]
fn a_page_that_is_cut_off_is_missed_like_one_that_says_goodbye() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let id = asks(&door, "s-1", "t");
    let mut page = door.front_end("gobby");
    page.sees_call("t", "calling");
    drop(page);
    is_declined_by_rule(&end_of(&door, &id));
    hub.end();
}

#[test]
fn a_page_that_answers_no_ping_is_missed_and_one_that_does_is_there() {
    let hub = WatchedHub::configured("[limits]\npatience_seconds = 1\n");
    let door = Door::from(&hub);
    let here = asks(&door, "s-2", "t-2");
    let mut page = door.front_end("gobby/s-2");
    page.sees_call("t-2", "calling");
    // Whoever reads answers each ping.
    let reading = std::thread::spawn(move || page.sees_call("t-2", "completed"));
    let gone = asks(&door, "s-1", "t-1");
    let mut dead = door.front_end("gobby/s-1");
    dead.sees_call("t-1", "calling");
    is_declined_by_rule(&end_of(&door, &gone));
    assert!(door.is_open(&here));
    door.answers(&here, &json!([{"selected": ["Summary"]}]));
    reading.join().unwrap();
    hub.end();
}

#[test]
fn whoever_was_never_let_in_is_not_missed() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let first = asks(&door, "s-1", "t-1");
    let stranger = Socket::dial(door.address, "/dialects/gobby", &[]).unwrap();
    stranger.leave();
    let mut refused = Socket::dial(door.address, "/dialects/gobby", &[]).unwrap();
    refused.send(tokio_tungstenite::tungstenite::Message::text(json!({"token": "no"}).to_string()));
    assert_eq!(refused.closed().1, 4401);
    let mut page = door.front_end("gobby/s-1");
    page.sees_call("t-1", "calling");
    page.says(&gobby_says("s-1", "t-1", json!({FORMAT: "Summary"})));
    page.sees_call("t-1", "completed");
    assert_eq!(door.answer_to(&first), json!(["Summary"]));
    hub.end();
}

#[test]
fn a_page_that_is_loaded_again_before_the_old_one_goes_keeps_its_questions() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let id = asks(&door, "s-1", "t");
    let mut page = door.front_end("gobby/s-1");
    page.sees_call("t", "calling");
    for _ in 0..5 {
        let mut next = door.front_end("gobby/s-1");
        next.sees_call("t", "calling");
        page.leaves();
        page = next;
    }
    page.says(&gobby_says("s-1", "t", json!({FORMAT: "Summary"})));
    page.sees_call("t", "completed");
    assert_eq!(end_of(&door, &id)["kind"], "answered");
    hub.end();
}

/// A hub goes while front ends of both dialects wait, and comes back at the same place.
fn goes_and_comes(go: impl FnOnce(&mut HubProcess)) {
    let mut hub = HubProcess::start(Path::new(env!("CARGO_BIN_EXE_handraise")));
    let door = Door::from(&hub);
    let id = asks(&door, "s-1", "t");
    let (mut prime, _) = door.prime_agent("s-1");
    prime.is_asked(&id);
    let mut gobby = door.front_end("gobby");
    gobby.sees_call("t", "calling");
    go(&mut hub);
    hub.restart();
    assert_eq!(Door::from(&hub).address, door.address);
    assert!(door.is_open(&id), "that the hub stopped is nobody's leaving");
    let (mut prime, status) = door.prime_agent("s-1");
    assert_eq!(status["pending_question_id"], id);
    prime.is_asked(&id);
    let mut gobby = door.front_end("gobby");
    assert_eq!(gobby.sees_call("t", "calling")["message_id"], id);
    prime.says(&prime_agent_says(&id, json!({FORMAT: "Summary"})));
    prime.waits_for(None);
    gobby.sees_call("t", "completed");
    assert_eq!(end_of(&door, &id)["kind"], "answered");
}

#[test]
fn a_hub_that_was_killed_has_its_questions_again_and_declines_none() {
    goes_and_comes(HubProcess::kill);
}

#[test]
fn a_hub_that_was_stopped_has_its_questions_again_and_declines_none() {
    goes_and_comes(|hub| assert!(hub.stop().status.success()));
}

#[test]
fn a_hub_that_stops_says_so_to_everybody() {
    let mut hub = HubProcess::start(Path::new(env!("CARGO_BIN_EXE_handraise")));
    let door = Door::from(&hub);
    let (prime, _) = door.prime_agent("s-1");
    let gobby = door.gobby("");
    assert!(hub.stop().status.success());
    for page in [prime, gobby] {
        assert_eq!(page.0.closed(), (vec![], 1001));
    }
}
