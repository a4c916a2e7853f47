//! Secrets stay where they belong. What is searched, and how, is in `hub_process.rs`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::http::{Call, Line};
use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

#[test]
fn secrets_are_in_no_log_no_file_and_no_response() {
    let hub = WatchedHub::start();
    let (_, token) = hub.pair();
    let id = hub.ask();
    let mut socket = Socket::open(&hub, Some(0), &[]).unwrap();
    socket.send(Message::text(json!({"token": token}).to_string()));
    drop(socket.live());
    let path = format!("/api/v1/asks/{id}/answer");
    let answer = json!({"answers": [{"words": "whatever is best"}]});
    assert_eq!(hub.call(&Call::post(&path).token(&token).json(&answer)).status, 200);
    for path in [
        "/api/v1/asks?state=all",
        "/api/v1/history",
        "/api/v1/devices",
        "/api/v1/status",
        "/api/v1/openapi.json",
        "/metrics",
        "/healthz",
    ] {
        assert_eq!(hub.call(&Call::get(path).token(&hub.person)).status, 200, "{path}");
    }
    hub.end();
}

#[test]
fn a_secret_sent_to_the_wrong_place_is_not_written_down_either() {
    let hub = WatchedHub::start();
    let link = hub.link();
    for secret in [&hub.person, &hub.agent, &link] {
        for path in [
            format!("/{secret}"),
            format!("/api/v1/asks/{secret}"),
            format!("/api/v1/asks?token={secret}"),
            format!("/api/v1/events?token={secret}"),
        ] {
            for token in [None, Some(secret)] {
                let call = Call::post(&path).header("cookie", secret).header("x-token", secret);
                let call = token.map_or_else(|| call.clone(), |token| call.clone().token(token));
                let answer = hub.call(&call.json(&json!({"token": secret})));
                assert!(answer.status >= 400, "{answer:?}");
                hub.assert_no_secret_in("a response", answer.text.as_bytes());
            }
        }
        let refused = hub.call(&Call::get("/api/v1/asks").header("authorization", secret));
        assert_eq!(refused.problem(), (401, "no_token".into()));
        // The word before the address is anybody's text as well.
        let refused = hub.call(&Call::new(secret, "/api/v1/asks").host("evil.example"));
        assert_eq!(refused.problem(), (403, "foreign_host".into()));
        let refused = hub.call(&Call::post("/api/v1/login").json(&json!({"secret": [secret]})));
        hub.assert_no_secret_in("a response", refused.text.as_bytes());
    }
    hub.refusal("foreign_host", "another method on /api/v1/asks");
    hub.end();
}

#[test]
fn nobody_fills_the_log_with_long_words() {
    let hub = WatchedHub::start();
    for n in 0..20 {
        let method = format!("X{n}{}", "X".repeat(30_000));
        let refused = hub.call(&Call::new(&method, "/api/v1/asks").host("evil.example"));
        assert_eq!(refused.problem(), (403, "foreign_host".into()));
    }
    let noted = hub.refusal("foreign_host", "another method on /api/v1/asks");
    assert!(noted.to_string().len() < 300, "{noted}");
    assert_eq!(hub.refused(), ["foreign_host"], "all of a kind, so one event for now");
    hub.end();
}

#[test]
fn everything_in_a_home_is_for_its_owner_alone() {
    let hub = WatchedHub::start();
    hub.ask();
    // Their modes are looked at by `end`, while the hub runs and afterwards.
    let names: Vec<_> = fs::read_dir(hub.home()).unwrap().map(|e| e.unwrap().file_name()).collect();
    for name in ["agent.token", "handraise.db", "hub.json", "hub.lock", "person.token"] {
        assert!(names.iter().any(|known| known == name), "{name} is missing: {names:?}");
    }
    hub.end();
}

#[test]
fn a_home_others_can_write_in_is_warned_of() {
    let hub = WatchedHub::start();
    let mode = |home: &Path, mode| fs::set_permissions(home, fs::Permissions::from_mode(mode));
    assert!(!hub.said().contains("warning"), "{}", hub.said());
    let hub = hub.restart_after(|home| mode(home, 0o770).unwrap());
    let said = hub.said();
    assert!(said.contains("warning: others can write in"), "{said}");
    assert!(said.contains("chmod go-w"), "{said}");
    mode(&hub.home(), 0o700).unwrap();
    hub.end();
}

#[test]
fn a_second_hub_on_the_same_home_is_refused_and_told_of_the_first() {
    let hub = WatchedHub::start();
    let second = hub.run(&["serve", "--listen", "127.0.0.1:0"]);
    let said = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(2), "{said}");
    assert!(said.contains("a hub is already running for"), "{said}");
    let first = format!("it is process {} at http://{}", hub.pid(), hub.address);
    assert!(said.contains(&first), "{said}");
    assert!(said.contains("--data DIR"), "{said}");
    // The first one has lost nothing by it.
    hub.ask();
    let mut line = Line::to(hub.address);
    assert_eq!(line.call(&Call::get("/api/v1/asks").token(&hub.person)).status, 200);
    drop(line);
    hub.end();
}
