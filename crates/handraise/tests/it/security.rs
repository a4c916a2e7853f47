//! Nobody answers who may not: tokens and what they are good for.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use handraise_testkit::PATIENCE;
use serde_json::{Value, json};

use crate::http::{Call, Line};
use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

/// Every operation of the API, from its own description: method, route, and whose it is.
fn operations(hub: &WatchedHub) -> Vec<(String, String, String)> {
    let document = hub.call(&Call::get("/api/v1/openapi.json")).json();
    let mut operations = vec![];
    for (route, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let tag = operation["tags"][0].as_str().unwrap();
            operations.push((method.to_uppercase(), route.clone(), tag.to_owned()));
        }
    }
    assert!(operations.len() >= 23, "{operations:?}");
    operations
}

fn answer() -> Value {
    json!({"answers": [{"selected": ["SQLite"]}]})
}

#[test]
fn without_a_token_nothing_is_to_be_had() {
    let hub = WatchedHub::start();
    let id = hub.ask();
    for (method, route, tag) in operations(&hub) {
        // The event stream takes its token from a first frame, too: see event_stream.rs.
        if tag == "open" || route == "/api/v1/events" {
            continue;
        }
        let path = route.replace("{id}", &id);
        let answer = hub.call(&Call::new(&method, &path).json(&json!({})));
        assert_eq!(answer.problem(), (401, "no_token".into()), "{method} {route}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        let noted = hub.refusal("no_token", &format!("{method} {route}"));
        assert_eq!((&noted["peer"], &noted["device"]), (&json!("127.0.0.1"), &Value::Null));
    }
    assert_eq!(hub.look(&id)["state"], "open");
    hub.end();
}

#[test]
fn what_is_no_token_of_this_hub_counts_for_nothing() {
    let hub = WatchedHub::start();
    let id = hub.ask();
    let path = format!("/api/v1/asks/{id}/answer");
    let another = WatchedHub::start();
    for token in [
        &another.person,
        &"0".repeat(64),
        &hub.person[..63],
        &format!("{}0", hub.person),
        &hub.person.to_uppercase(),
    ] {
        let answer = hub.call(&Call::post(&path).token(token).json(&answer()));
        assert_eq!(answer.problem(), (401, "bad_token".into()), "{token}");
    }
    for header in [&format!("Basic {}", hub.person), &hub.person, "Bearer", ""] {
        let call = Call::post(&path).header("authorization", header).json(&answer());
        assert_eq!(hub.call(&call).problem(), (401, "no_token".into()), "{header}");
    }
    hub.refusal("bad_token", "POST /api/v1/asks/{id}/answer");
    assert_eq!(hub.look(&id)["state"], "open");
    hub.end();
    another.end();
}

#[test]
fn no_token_can_do_what_the_other_kind_is_for() {
    let hub = WatchedHub::start();
    let id = hub.ask();
    let device = hub.agents_device();
    for (method, route, tag) in operations(&hub) {
        let (token, code, holder) = match tag.as_str() {
            "person" => (&hub.agent, "needs_person", "agents on "),
            "agent" => (&hub.person, "needs_agent", "this account on "),
            _ => continue,
        };
        let named = if route.starts_with("/api/v1/devices") { &device } else { &id };
        let path = route.replace("{id}", named);
        // What is sent along makes no difference, nor whether it is there.
        for path in [&path, &route.replace("{id}", "019a0000-0000-7000-8000-000000000000")] {
            for body in ["", "{}", "[1", &answer().to_string()] {
                let call = Call::new(&method, path).token(token).body("application/json", body);
                let answer = hub.call(&call);
                assert_eq!(answer.problem(), (403, code.into()), "{method} {path} {body}");
            }
        }
        let noted = hub.refusal(code, &format!("{method} {route}"));
        assert!(noted["device"].as_str().unwrap().starts_with(holder), "{noted}");
    }
    assert_eq!(hub.look(&id)["state"], "open");
    assert_eq!(hub.agents_device(), device, "nothing was revoked");
    hub.end();
}

#[test]
fn an_agent_cannot_answer_its_own_question_and_the_person_still_can() {
    let hub = WatchedHub::start();
    let id = hub.ask();
    for (verb, params) in [
        ("answer", answer()),
        ("decline", json!({"reason": "no"})),
        ("discuss", json!({"words": "let us talk"})),
        ("extend", json!({"seconds": 60})),
    ] {
        let path = format!("/api/v1/asks/{id}/{verb}");
        // Not even with the look of a person at a terminal.
        let call = Call::post(&path).token(&hub.agent).header("handraise-surface", "terminal");
        let refused = hub.call(&call.json(&params));
        assert_eq!(refused.problem(), (403, "needs_person".into()), "{verb}");
        assert_eq!(hub.look(&id)["state"], "open", "{verb}");
    }
    let path = format!("/api/v1/asks/{id}/answer");
    let taken = hub.call(&Call::post(&path).token(&hub.person).json(&answer()));
    assert_eq!((taken.status, &taken.json()["state"]), (200, &json!("resolved")));
    assert_eq!(taken.json()["resolution"]["responder"]["person"], "ann");
    hub.end();
}

#[test]
fn a_token_can_be_made_for_a_page_and_taken_back() {
    let hub = WatchedHub::start();
    let made = hub.run(&["device", "add", "my chat page"]);
    let token = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    hub.keep_secret(&token);
    assert_eq!(hub.call(&Call::get("/api/v1/asks").token(&token)).status, 200);
    let devices = hub.call(&Call::get("/api/v1/devices").token(&hub.person)).json();
    let devices = devices["devices"].as_array().unwrap();
    let page = devices.iter().find(|device| device["name"] == "my chat page").unwrap();
    let id = page["id"].as_str().unwrap();
    let said = String::from_utf8(made.stderr).unwrap();
    assert!(said.contains("handraise device revoke") && said.contains(id), "{said}");
    hub.revoke(id);
    assert_eq!(hub.call(&Call::get("/api/v1/asks").token(&token)).status, 401);
    let nameless = hub.run(&["device", "add", " "]);
    assert_eq!(nameless.status.code(), Some(2), "{nameless:?}");
    hub.end();
}

#[test]
fn a_revoked_device_is_refused_at_its_next_request() {
    let hub = WatchedHub::start();
    let id = hub.ask();
    let (device, token) = hub.pair();
    let mut line = Line::to(hub.address);
    assert_eq!(line.call(&Call::get("/api/v1/asks").token(&token)).status, 200);
    hub.revoke(&device);
    // On the connection it was let in by, too.
    let again = line.call(&Call::get("/api/v1/asks").token(&token));
    assert_eq!(again.problem(), (401, "bad_token".into()));
    let path = format!("/api/v1/asks/{id}/answer");
    let refused = hub.call(&Call::post(&path).token(&token).json(&answer()));
    assert_eq!(refused.problem(), (401, "bad_token".into()));
    assert_eq!(Socket::follow(&hub, &token, None).err(), Some(401));
    hub.refusal("bad_token", "POST /api/v1/asks/{id}/answer");
    hub.refusal("bad_token", "GET /api/v1/events");
    let hub = hub.restart();
    let refused = hub.call(&Call::post(&path).token(&token).json(&answer()));
    assert_eq!(refused.problem(), (401, "bad_token".into()), "nor after a restart");
    assert_eq!(hub.look(&id)["state"], "open");
    drop(line);
    hub.end();
}

#[test]
fn what_a_revoked_device_had_begun_to_send_does_not_count() {
    let hub = WatchedHub::start();
    let id = hub.ask();
    let (device, token) = hub.pair();
    let path = format!("/api/v1/asks/{id}/answer");
    let call = Call::post(&path).token(&token).json(&answer());
    let mut line = Line::to(hub.address);
    line.begin(&call);
    hub.revoke(&device);
    assert_eq!(line.finish(&call).problem(), (401, "bad_token".into()));
    assert_eq!(hub.look(&id)["state"], "open");
    hub.refusal("bad_token", "POST /api/v1/asks/{id}/answer");

    let ask = json!({"asker": {"agent": "tester"}, "questions": [{"question": "Go on?"}]});
    let call = Call::post("/api/v1/asks").token(&hub.agent).json(&ask);
    let mut line = Line::to(hub.address);
    line.begin(&call);
    hub.revoke(&hub.agents_device());
    assert_eq!(line.finish(&call).problem(), (401, "bad_token".into()));
    hub.refusal("bad_token", "POST /api/v1/asks");
    hub.end();
}

#[test]
fn a_revoked_device_hears_nothing_more() {
    let hub = WatchedHub::start();
    let (device, token) = hub.pair();
    let following = Socket::follow(&hub, &token, None).unwrap().live();
    hub.revoke(&device);
    let (frames, code) = following.closed();
    assert_eq!((frames, code), (vec![], 4401));

    let following = Socket::follow(&hub, &hub.agent, None).unwrap().live();
    hub.revoke(&hub.agents_device());
    let (frames, code) = following.closed();
    assert_eq!((frames, code), (vec![], 4401), "agents hear of no devices, and are shown out");
    hub.end();
}

#[test]
fn a_revoked_device_that_waits_for_an_answer_does_not_get_it() {
    let hub = WatchedHub::start();
    let id = hub.ask();
    let path = format!("/api/v1/asks/{id}/resolution?wait=60");
    let waiting = Call::get(&path).token(&hub.agent);
    let mut line = Line::to(hub.address);
    line.send(waiting.head(hub.address).as_bytes());
    hub.revoke(&hub.agents_device());
    assert_eq!(line.answer().problem(), (401, "bad_token".into()), "at once: it is still open");
    let path = format!("/api/v1/asks/{id}/answer");
    assert_eq!(hub.call(&Call::post(&path).token(&hub.person).json(&answer())).status, 200);
    assert_eq!(line.call(&waiting).problem(), (401, "bad_token".into()));
    hub.refusal("bad_token", "GET /api/v1/asks/{id}/resolution");
    hub.end();
}

#[test]
fn a_login_link_works_once() {
    let hub = WatchedHub::start();
    let secret = hub.link();
    let used = Call::post("/api/v1/login").json(&json!({"secret": secret}));
    let first = hub.call(&used);
    assert_eq!(first.status, 201, "{first:?}");
    hub.keep_secret(first.json()["token"].as_str().unwrap());
    let replayed = hub.call(&used);
    assert_eq!(replayed.problem(), (401, "link_used".into()));
    let noted = hub.refusal("link_used", "POST /api/v1/login");
    assert_eq!(noted["times"], 1);
    let guess = Call::post("/api/v1/login").json(&json!({"secret": "0".repeat(64)}));
    assert_eq!(hub.call(&guess).problem(), (401, "link_used".into()), "told apart from no other");
    // Neither is a token a link, nor a link a token.
    let token = Call::post("/api/v1/login").json(&json!({"secret": hub.person}));
    assert_eq!(hub.call(&token).problem(), (401, "link_used".into()));
    let link = hub.link();
    let refused = hub.call(&Call::get("/api/v1/asks").token(&link));
    assert_eq!(refused.problem(), (401, "bad_token".into()));
    hub.end();
}

#[test]
fn a_login_link_leads_to_the_ask_it_was_made_for() {
    let hub = WatchedHub::start();
    let id = hub.ask();
    let link = |body: &Value| hub.call(&Call::post("/api/v1/links").token(&hub.person).json(body));
    for (body, ask) in [
        (json!({}), Value::Null),
        (json!({"ask": null}), Value::Null),
        (json!({"ask": id}), json!(id)),
    ] {
        let made = link(&body);
        assert_eq!(made.status, 201, "{made:?}");
        let url = made.json()["url"].as_str().unwrap().to_owned();
        let secret = url.split_once("#login=").unwrap().1;
        hub.keep_secret(secret);
        let answer = hub.call(&Call::post("/api/v1/login").json(&json!({"secret": secret}))).json();
        hub.keep_secret(answer["token"].as_str().unwrap());
        assert_eq!(answer["ask"], ask, "{body}");
    }
    let unknown = json!({"ask": "019a0000-0000-7000-8000-000000000000"});
    assert_eq!(link(&unknown).problem(), (404, "no_such_ask".into()));
    for (body, path) in [(json!({"ask": "the last one"}), "ask"), (json!({"at": id}), "at")] {
        let refused = link(&body);
        assert_eq!(refused.problem(), (422, "invalid".into()), "{body}");
        assert_eq!(refused.json()["violations"][0]["path"], path, "{body}");
    }
    hub.end();
}

#[test]
fn devices_of_one_kind_have_different_names() {
    let hub = WatchedHub::start();
    let names = [(); 3].map(|()| {
        let params = json!({"secret": hub.link(), "name": "Chrome on Linux"});
        let answer = hub.call(&Call::post("/api/v1/login").json(&params)).json();
        hub.keep_secret(answer["token"].as_str().unwrap());
        answer["device"]["name"].as_str().unwrap().to_owned()
    });
    assert_eq!(names, ["Chrome on Linux", "Chrome on Linux (2)", "Chrome on Linux (3)"]);
    hub.end();
}

#[test]
fn devices_that_come_at_the_same_moment_have_different_names() {
    let hub = WatchedHub::start();
    let secrets: Vec<_> = (0..8).map(|_| hub.link()).collect();
    let log_in = |secret: &String| {
        let params = json!({"secret": secret, "name": "a page"});
        let answer = hub.call(&Call::post("/api/v1/login").json(&params)).json();
        hub.keep_secret(answer["token"].as_str().unwrap());
        answer["device"]["name"].as_str().unwrap().to_owned()
    };
    let names: std::collections::BTreeSet<_> = std::thread::scope(|scope| {
        let all: Vec<_> = secrets.iter().map(|secret| scope.spawn(|| log_in(secret))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(names.len(), secrets.len(), "{names:?}");
    hub.end();
}

#[test]
fn a_link_is_worth_no_more_than_the_device_it_was_made_with() {
    let hub = WatchedHub::start();
    let (device, token) = hub.pair();
    let made = hub.call(&Call::post("/api/v1/links").token(&token)).json();
    let secret = made["url"].as_str().unwrap().split_once("#login=").unwrap().1;
    hub.keep_secret(secret);
    hub.revoke(&device);
    let refused = hub.call(&Call::post("/api/v1/login").json(&json!({"secret": secret})));
    assert_eq!(refused.problem(), (401, "link_used".into()));
    hub.refusal("link_used", "POST /api/v1/login");
    hub.end();
}

#[test]
fn of_many_who_open_one_link_at_once_one_comes_in() {
    const BROWSERS: usize = 16;
    let hub = WatchedHub::start();
    let params = json!({"secret": hub.link()});
    let start = Barrier::new(BROWSERS);
    let statuses = thread::scope(|scope| {
        let browser = || {
            let mut line = Line::to(hub.address);
            start.wait();
            let answer = line.call(&Call::post("/api/v1/login").json(&params));
            if answer.status == 201 {
                hub.keep_secret(answer.json()["token"].as_str().unwrap());
            }
            answer.status
        };
        let all: Vec<_> = (0..BROWSERS).map(|_| scope.spawn(browser)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| matches!(status, 201 | 401)), "{statuses:?}");
    hub.end();
}

#[test]
fn after_a_restart_no_old_link_works_but_tokens_and_address_do() {
    let hub = WatchedHub::start();
    let (_, paired) = hub.pair();
    let link = hub.link();
    let (address, tokens) = (hub.address, [hub.person.clone(), hub.agent.clone()]);
    let hub = hub.restart();
    assert_eq!((hub.address, [hub.person.clone(), hub.agent.clone()]), (address, tokens));
    let refused = hub.call(&Call::post("/api/v1/login").json(&json!({"secret": link})));
    assert_eq!(refused.problem(), (401, "link_used".into()));
    for token in [&hub.person, &hub.agent, &paired] {
        assert_eq!(hub.call(&Call::get("/api/v1/asks").token(token)).status, 200);
    }
    hub.end();
}

/// Clients take whatever listens at a hub's port for the hub for as long as its process runs.
#[test]
fn no_other_program_gets_the_port_before_the_process_has_ended() {
    let hub = WatchedHub::start();
    // Half a request, which a hub that stops waits for.
    let mut half = Line::to(hub.address);
    half.send(b"GET /api");
    assert_eq!(hub.call(&Call::get("/healthz")).status, 200);
    hub.terminate();
    let start = Instant::now();
    let is_served = || {
        let mut stream = TcpStream::connect(hub.address).unwrap();
        let request = format!("GET /healthz HTTP/1.1\r\nhost: {}\r\n\r\n", hub.address);
        stream.write_all(request.as_bytes()).is_ok() && matches!(stream.read(&mut [0]), Ok(1..))
    };
    while is_served() {
        assert!(start.elapsed() < PATIENCE, "it does not stop");
    }
    let refused = TcpListener::bind(hub.address).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AddrInUse);
    drop(half);
    while TcpListener::bind(hub.address).is_err() {
        assert!(start.elapsed() < PATIENCE, "it does not end");
    }
}
