//! Who may follow what happens, over a WebSocket.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::http::Call;
use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

const TRIED: &str = "GET /api/v1/events";

#[test]
fn a_browsers_first_frame_lets_it_in() {
    let hub = WatchedHub::start();
    let origin = format!("http://{}", hub.address);
    let (device, token) = hub.pair();
    let mut socket = Socket::open(&hub, None, &[("origin", &origin)]).unwrap();
    socket.send(Message::text(json!({"token": token}).to_string()));
    let mut socket = socket.live();
    let id = hub.ask();
    let opened = socket.frame();
    assert_eq!((&opened["name"], &opened["ask"]["id"]), (&json!("ask.opened"), &json!(id)));
    hub.revoke(&device);
    assert_eq!(socket.closed(), (vec![], 4401));
    hub.end();
}

#[test]
fn a_page_hears_that_it_is_live_though_nothing_happens() {
    let hub = WatchedHub::configured("[limits]\npatience_seconds = 1\n");
    let (_, token) = hub.pair();
    let mut socket = Socket::open(&hub, None, &[]).unwrap();
    socket.send(Message::text(json!({"token": token}).to_string()));
    let first = socket.frame();
    assert_eq!((&first["type"], socket.frame()), (&json!("live"), first.clone()));
    let id = hub.ask();
    assert_eq!(socket.frame()["ask"]["id"], json!(id));
    let again = socket.frame();
    assert_eq!(again["type"], "live");
    assert!(again["seq"].as_u64() > first["seq"].as_u64(), "{again} is where it is now");
    drop(socket);
    hub.end();
}

#[test]
fn whoever_shows_no_token_in_time_is_told_nothing_and_shown_out() {
    let hub = WatchedHub::configured("[limits]\npatience_seconds = 1\n");
    hub.ask();
    let silent = Socket::open(&hub, Some(0), &[]).unwrap();
    assert_eq!(silent.closed(), (vec![], 1013), "it may have one: a page that slept comes again");
    let noted = hub.refusal("no_token", TRIED);
    assert_eq!((&noted["peer"], &noted["device"]), (&json!("127.0.0.1"), &Value::Null));
    hub.end();
}

#[test]
fn a_first_frame_that_is_no_token_is_refused() {
    let hub = WatchedHub::start();
    hub.ask();
    for (frame, code) in [
        (Message::text("hello"), "no_token"),
        (Message::text(json!({"secret": hub.person}).to_string()), "no_token"),
        (Message::text(json!({"token": hub.person, "as": "ann"}).to_string()), "no_token"),
        (Message::text(hub.person.clone()), "no_token"),
        (Message::binary(json!({"token": hub.person}).to_string()), "no_token"),
        (Message::text(json!({"token": "0".repeat(64)}).to_string()), "bad_token"),
    ] {
        let mut socket = Socket::open(&hub, Some(0), &[]).unwrap();
        let what = format!("{frame:?}");
        socket.send(frame);
        assert_eq!(socket.closed(), (vec![], 4401), "{what}");
        hub.refusal(code, TRIED);
    }
    let mut endless = Socket::open(&hub, Some(0), &[]).unwrap();
    endless.send(Message::text("x".repeat(100_000)));
    endless.ends();
    hub.end();
}

#[test]
fn a_wrong_token_or_a_foreign_page_gets_no_websocket_at_all() {
    let hub = WatchedHub::start();
    assert_eq!(Socket::follow(&hub, &"0".repeat(64), Some(0)).err(), Some(401));
    hub.refusal("bad_token", TRIED);
    for origin in ["null", "https://evil.example"] {
        assert_eq!(Socket::open(&hub, Some(0), &[("origin", origin)]).err(), Some(403));
        let token = format!("Bearer {}", hub.person);
        let with_token = [("origin", origin), ("authorization", &token)];
        assert_eq!(Socket::open(&hub, Some(0), &with_token).err(), Some(403));
    }
    hub.refusal("foreign_origin", TRIED);
    let plain = hub.call(&Call::get("/api/v1/events?after=0").token(&hub.person));
    assert_eq!(plain.problem(), (426, "not_a_websocket".into()));
    hub.end();
}

#[test]
fn an_agent_hears_of_asks_and_of_nothing_else() {
    let hub = WatchedHub::start();
    hub.pair();
    hub.call(&Call::get("/api/v1/asks"));
    hub.refusal("no_token", "GET /api/v1/asks");
    let id = hub.ask();
    let mut socket = Socket::follow(&hub, &hub.agent, Some(0)).unwrap();
    let mut frames = vec![];
    loop {
        let frame = socket.frame();
        if frame["type"] == "live" {
            break;
        }
        frames.push(frame);
    }
    let names: Vec<_> = frames.iter().map(|frame| &frame["name"]).collect();
    assert_eq!(names, ["ask.opened"]);
    assert_eq!(frames[0]["ask"]["id"], id);
    drop(socket);
    hub.end();
}
