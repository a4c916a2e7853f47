//! Who may come in as a front end of another system.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::dialect_scene::{Door, FORMAT, FrontEnd, gobby_says, prime_agent_says};
use crate::http::Call;
use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

const PATHS: [&str; 3] = ["/dialects/prime-agent/s-1", "/dialects/gobby/s-1", "/dialects/gobby"];

/// What is noted when a front end is refused before its WebSocket begins.
fn tried(path: &str) -> &'static str {
    if path == "/dialects/gobby" { "GET /dialects/{dialect}" } else { TRIED }
}

const TRIED: &str = "GET /dialects/{dialect}/{session}";

fn token_frame(token: &str) -> Message {
    Message::text(json!({"token": token}).to_string())
}

/// The ask's question, however it is told.
fn is_shown(mut page: FrontEnd) {
    let mut heard = page.hears();
    if heard["type"] == "session_status" {
        heard = page.hears();
    }
    assert!(heard.to_string().contains(FORMAT), "{heard}");
}

#[test]
fn a_token_may_come_in_the_header_in_the_address_or_in_the_first_frame() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    door.asks_for_a_format();
    let (_, token) = hub.pair();
    let own = format!("http://{}", hub.address);
    for path in PATHS {
        for origin in [None, Some(("origin", own.as_str()))] {
            let bearer = format!("Bearer {token}");
            let mut headers: Vec<_> = origin.into_iter().collect();
            let mut first_frame = Socket::dial(hub.address, path, &headers).unwrap();
            first_frame.send(token_frame(&token));
            is_shown(FrontEnd(first_frame));
            let asked = format!("{path}?token={token}&theme=dark");
            is_shown(FrontEnd(Socket::dial(hub.address, &asked, &headers).unwrap()));
            headers.push(("authorization", &bearer));
            is_shown(FrontEnd(Socket::dial(hub.address, path, &headers).unwrap()));
            // The header counts where both are there.
            let other = format!("{path}?token=nonsense");
            is_shown(FrontEnd(Socket::dial(hub.address, &other, &headers).unwrap()));
        }
    }
    assert_eq!(hub.refused(), [""; 0]);
    hub.end();
}

#[test]
fn without_a_token_the_first_frame_must_be_one() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let id = door.asks_for_a_format();
    for path in PATHS {
        for frame in [
            Message::text("hello"),
            Message::text(prime_agent_says(&id, json!({FORMAT: "Summary"})).to_string()),
            Message::text(gobby_says("s-1", "toolu_1", json!({FORMAT: "Summary"})).to_string()),
            Message::text(hub.person.clone()),
            Message::binary(json!({"token": hub.person}).to_string()),
        ] {
            let what = format!("{path}: {frame:?}");
            let mut stranger = Socket::dial(hub.address, path, &[]).unwrap();
            stranger.send(frame);
            assert_eq!(stranger.closed(), (vec![], 4401), "{what}");
        }
    }
    let noted = hub.refusal("no_token", TRIED);
    assert_eq!((&noted["peer"], &noted["device"]), (&json!("127.0.0.1"), &Value::Null));
    assert!(door.is_open(&id));
    hub.end();
}

#[test]
fn whoever_shows_no_token_in_time_is_told_nothing_and_shown_out() {
    let hub = WatchedHub::configured("[limits]\npatience_seconds = 1\n");
    Door::from(&hub).asks_for_a_format();
    for path in PATHS {
        let silent = Socket::dial(hub.address, path, &[]).unwrap();
        assert_eq!(silent.closed(), (vec![], 1013), "{path}");
    }
    hub.refusal("no_token", TRIED);
    hub.end();
}

#[test]
fn a_wrong_token_counts_for_nothing_wherever_it_is_shown() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let id = door.asks_for_a_format();
    let (device, revoked) = hub.pair();
    hub.revoke(&device);
    let another = WatchedHub::start();
    hub.keep_secret(&another.person);
    for token in [&"0".repeat(64), &revoked, &another.person] {
        for path in PATHS {
            let asked = format!("{path}?token={token}");
            assert_eq!(Socket::dial(hub.address, &asked, &[]).err(), Some(401), "{path}");
            let bearer = format!("Bearer {token}");
            let headers = [("authorization", bearer.as_str())];
            assert_eq!(Socket::dial(hub.address, path, &headers).err(), Some(401), "{path}");
            let good_behind = format!("{path}?token={}", hub.person);
            let refused = Socket::dial(hub.address, &good_behind, &headers).err();
            assert_eq!(refused, Some(401), "what is in the header counts");
            let mut stranger = Socket::dial(hub.address, path, &[]).unwrap();
            stranger.send(token_frame(token));
            assert_eq!(stranger.closed(), (vec![], 4401), "{path}");
        }
    }
    for path in PATHS {
        hub.refusal("bad_token", tried(path));
    }
    for nothing in ["", "%00", "undefined"] {
        let path = format!("/dialects/gobby?token={nothing}");
        assert_eq!(Socket::dial(hub.address, &path, &[]).err(), Some(401), "{nothing:?}");
    }
    assert!(door.is_open(&id));
    hub.end();
    another.end();
}

#[test]
fn an_agent_may_not_come_in_and_is_named() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let id = door.asks_for_a_format();
    for path in PATHS {
        let asked = format!("{path}?token={}", hub.agent);
        assert_eq!(Socket::dial(hub.address, &asked, &[]).err(), Some(403), "{path}");
        let bearer = format!("Bearer {}", hub.agent);
        let headers = [("authorization", bearer.as_str())];
        assert_eq!(Socket::dial(hub.address, path, &headers).err(), Some(403), "{path}");
        let mut stranger = Socket::dial(hub.address, path, &[]).unwrap();
        stranger.send(token_frame(&hub.agent));
        assert_eq!(stranger.closed(), (vec![], 4401), "{path}");
        let noted = hub.refusal("needs_person", tried(path));
        assert!(noted["device"].is_string(), "{noted}");
    }
    assert!(door.is_open(&id));
    hub.end();
}

#[test]
fn a_device_that_is_revoked_is_shown_out_and_its_token_lets_nobody_in_again() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    let id = door.asks_for_a_format();
    let (device, token) = hub.pair();
    let theirs = Door { person: token, ..door.clone() };
    let (mut prime, _) = theirs.prime_agent("s-1");
    prime.is_asked(&id);
    let mut gobby = theirs.front_end("gobby");
    gobby.sees_call("toolu_1", "calling");
    let mut stays = door.front_end("gobby");
    stays.sees_call("toolu_1", "calling");
    hub.revoke(&device);
    assert_eq!(prime.0.closed(), (vec![], 4401));
    assert_eq!(gobby.0.closed(), (vec![], 4401));
    let path = format!("/dialects/gobby?token={}", theirs.person);
    assert_eq!(Socket::dial(hub.address, &path, &[]).err(), Some(401));
    stays.says(&gobby_says("s-1", "toolu_1", json!({FORMAT: "Summary"})));
    stays.sees_call("toolu_1", "completed");
    hub.end();
}

#[test]
fn pages_from_elsewhere_and_other_names_are_refused_even_with_a_token() {
    let hub = WatchedHub::start();
    let door = Door::from(&hub);
    door.asks_for_a_format();
    let bearer = format!("Bearer {}", hub.person);
    for path in PATHS {
        let asked = format!("{path}?token={}", hub.person);
        for origin in ["null", "https://evil.example", "http://localhost:5173", "file://"] {
            let headers = [("origin", origin), ("authorization", bearer.as_str())];
            assert_eq!(Socket::dial(hub.address, &asked, &headers).err(), Some(403), "{origin}");
            assert_eq!(Socket::dial(hub.address, path, &headers[..1]).err(), Some(403), "{origin}");
        }
        hub.refusal("foreign_origin", tried(path));
        let headers = [("host", "evil.example")];
        assert_eq!(Socket::dial(hub.address, &asked, &headers).err(), Some(403));
        hub.refusal("foreign_host", tried(path));
    }
    hub.end();
}

#[test]
fn pages_from_an_allowed_origin_come_in_with_a_token_and_not_without() {
    let hub = WatchedHub::configured("allow_origins = [\"http://localhost:5173\"]\n");
    let door = Door::from(&hub);
    door.asks_for_a_format();
    let headers = [("origin", "http://localhost:5173")];
    for path in PATHS {
        let asked = format!("{path}?token={}", hub.person);
        is_shown(FrontEnd(Socket::dial(hub.address, &asked, &headers).unwrap()));
        let mut first_frame = Socket::dial(hub.address, path, &headers).unwrap();
        first_frame.send(token_frame(&hub.person));
        is_shown(FrontEnd(first_frame));
        let mut without = Socket::dial(hub.address, path, &headers).unwrap();
        without.send(Message::text("{}"));
        assert_eq!(without.closed(), (vec![], 4401));
        let other = [("origin", "http://localhost:5174")];
        assert_eq!(Socket::dial(hub.address, &asked, &other).err(), Some(403));
    }
    hub.end();
}

#[test]
fn addresses_that_lead_nowhere_say_what_there_is() {
    let hub = WatchedHub::start();
    let call = |path: &str| hub.call(&Call::get(path).token(&hub.person));
    let unknown = call("/dialects/overseer/s-1");
    assert_eq!(unknown.problem(), (404, "no_such_dialect".into()));
    let title = unknown.json()["title"].as_str().unwrap().to_owned();
    assert!(title.contains("gobby") && title.contains("prime-agent"), "{title}");
    assert_eq!(call("/dialects/prime-agent").problem(), (404, "no_session".into()));
    for path in PATHS {
        assert_eq!(call(path).problem(), (426, "not_a_websocket".into()), "{path}");
        let posted = hub.call(&Call::post(path).token(&hub.person).json(&json!({})));
        assert_eq!(posted.problem(), (405, "wrong_method".into()), "{path}");
    }
    hub.end();
}
