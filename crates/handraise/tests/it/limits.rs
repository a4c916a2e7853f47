//! Too much, too slow, too often: refused, told why, and noted, while others are served.

use std::thread;
use std::time::{Duration, Instant};

use handraise_testkit::PATIENCE;
use serde_json::json;

use crate::http::{Call, Line};
use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

const MUCH: usize = 10_000_000;

fn list(token: &str) -> Call<'static> {
    Call::get("/api/v1/asks").token(token)
}

#[test]
fn a_body_that_is_too_large_is_refused_and_the_connection_stays() {
    let hub = WatchedHub::start();
    let id = hub.ask();
    let answer = format!("/api/v1/asks/{id}/answer");
    for (path, token) in [(answer.as_str(), &hub.person), ("/api/v1/asks", &hub.agent)] {
        let mut line = Line::to(hub.address);
        let call = Call::post(path).token(token);
        let refused = line.call(&call.body("application/json", vec![b' '; MUCH]));
        assert_eq!(refused.problem(), (413, "too_large".into()), "{path}");
        assert!(refused.json()["detail"].as_str().unwrap().ends_with("bytes are taken at most"));
        assert_eq!(line.call(&list(token)).status, 200, "{path}");
    }
    hub.refusal("too_large", "POST /api/v1/asks/{id}/answer");
    hub.refusal("too_large", "POST /api/v1/asks");
    assert_eq!(hub.look(&id)["state"], "open");
    hub.end();
}

#[test]
fn whoever_is_refused_before_their_large_body_is_read_gets_to_read_why() {
    let hub = WatchedHub::start();
    let large = |call: Call<'static>| call.body("application/json", vec![b' '; MUCH]);
    for _ in 0..5 {
        let refused = hub.call(&large(Call::post("/api/v1/asks")));
        assert_eq!(refused.problem(), (401, "no_token".into()));
        let refused = hub.call(&large(Call::post("/api/v1/asks").token(&hub.person)));
        assert_eq!(refused.problem(), (403, "needs_agent".into()));
        let refused = hub.call(&large(Call::post("/api/v1/asks").host("evil.example")));
        assert_eq!(refused.problem(), (403, "foreign_host".into()));
        let refused = hub.call(&large(Call::post("/api/v1/nothing")));
        assert_eq!(refused.problem(), (404, "no_such_address".into()));
    }
    hub.end();
}

#[test]
fn a_head_that_is_too_large_is_refused() {
    let hub = WatchedHub::start();
    let refused = hub.call(&list(&hub.person).header("x-much", &"x".repeat(300_000)));
    assert_eq!(refused.status, 431);
    let long = format!("/api/v1/asks?agent={}", "x".repeat(300_000));
    let refused = hub.call(&Call::get(&long).token(&hub.person));
    assert!(matches!(refused.status, 414 | 431), "{refused:?}");
    assert_eq!(hub.call(&list(&hub.person)).status, 200);
    hub.end();
}

#[test]
fn whoever_says_nothing_or_half_of_it_is_turned_away_in_time() {
    let hub = WatchedHub::configured("[limits]\npatience_seconds = 1\n");
    let id = hub.ask();

    let mut silent = Line::to(hub.address);
    let mut half_a_head = Line::to(hub.address);
    half_a_head.send(b"GET /api/v1/asks HTTP/1.1\r\nhost: ");
    let answer = format!("/api/v1/asks/{id}/answer");
    let params = json!({"answers": [{"selected": ["SQLite"]}]});
    let call = Call::post(&answer).token(&hub.person).json(&params);
    let mut half_a_body = Line::to(hub.address);
    half_a_body.send(call.head(hub.address).as_bytes());
    half_a_body.send(b"{\"answers\"");

    assert_eq!(silent.answer().problem(), (408, "silent".into()));
    silent.closes();
    assert_eq!(half_a_head.answer().problem(), (408, "too_slow".into()));
    half_a_head.closes();
    assert_eq!(half_a_body.answer().problem(), (408, "too_slow".into()));
    half_a_body.closes();
    hub.refusal("silent", "a connection");
    hub.refusal("too_slow", "a connection");
    hub.refusal("too_slow", "POST /api/v1/asks/{id}/answer");
    assert_eq!(hub.look(&id)["state"], "open");
    hub.end();
}

#[test]
fn a_drop_now_and_then_does_not_keep_a_connection() {
    let hub = WatchedHub::configured("[limits]\npatience_seconds = 1\n");
    let mut line = Line::to(hub.address);
    line.send(b"GET /api/v1/asks HTTP/1.1\r\n");
    let start = Instant::now();
    // Until it is closed; the pause is how slow it is.
    while line.try_send(b"x-y: z\r\n").is_ok() {
        thread::sleep(Duration::from_millis(50));
        assert!(start.elapsed() < PATIENCE, "the hub still listens");
    }
    hub.refusal("too_slow", "a connection");
    hub.end();
}

#[test]
fn somebody_known_may_be_idle_between_requests_and_is_not_noted() {
    let hub = WatchedHub::configured("[limits]\npatience_seconds = 1\n");
    let mut line = Line::to(hub.address);
    assert_eq!(line.call(&list(&hub.person)).status, 200);
    // It is closed some time, without a word: the next request needs a new one.
    line.closes();
    assert_eq!(hub.refused(), [""; 0]);
    hub.end();
}

#[test]
fn strangers_who_call_too_often_are_told_to_wait_and_others_need_not() {
    let hub = WatchedHub::start();
    let until_refused = |call: &Call<'_>| {
        let refused = (0..10_000).map(|_| hub.call(call)).find(|answer| answer.status == 429);
        let refused = refused.unwrap();
        assert_eq!(refused.problem(), (429, "too_many_requests".into()));
        assert_eq!(refused.header("retry-after"), Some("1"));
    };
    until_refused(&Call::get("/api/v1/asks"));
    // Guessing counts, too, well-formed or not: tokens with the rest, links by themselves.
    until_refused(&list(&"0".repeat(64)));
    let login = json!({"secret": "0".repeat(64)});
    let login = Call::post("/api/v1/login").json(&login);
    assert_eq!(hub.call(&login).problem(), (401, "link_used".into()));
    until_refused(&login);
    until_refused(&Call::post("/api/v1/login").json(&json!({"secrets": 5})));
    assert_eq!(hub.call(&list(&hub.person)).status, 200);
    assert_eq!(hub.call(&list(&hub.agent)).status, 200);
    hub.refusal("too_many_requests", "GET /api/v1/asks");
    hub.refusal("too_many_requests", "POST /api/v1/login");
    hub.end();
}

#[test]
fn a_token_that_calls_too_often_is_told_to_wait_and_no_other() {
    let hub = WatchedHub::configured("[limits]\nrequests_per_second = 5\n");
    let mut line = Line::to(hub.address);
    let mut taken = 0;
    let refused = loop {
        let answer = line.call(&list(&hub.agent));
        if answer.status != 200 {
            break answer;
        }
        taken += 1;
    };
    assert!(taken >= 10, "a burst of twice as many is taken, not {taken}");
    assert_eq!(refused.problem(), (429, "too_many_requests".into()));
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(hub.call(&list(&hub.person)).status, 200);
    let noted = hub.refusal("too_many_requests", "GET /api/v1/asks");
    assert!(noted["device"].as_str().unwrap().starts_with("agents on "), "{noted}");
    drop(line);
    hub.end();
}

#[test]
fn many_refusals_of_a_kind_are_few_events_with_their_number() {
    let hub = WatchedHub::start();
    for _ in 0..100 {
        assert_eq!(hub.call(&Call::get("/healthz").host("evil.example")).status, 403);
    }
    assert_eq!(hub.refused(), ["foreign_host"]);
    // What was counted meanwhile is written down when the hub stops.
    let hub = hub.restart();
    let mut times = vec![];
    let mut socket = Socket::follow(&hub, &hub.person, Some(0)).unwrap();
    loop {
        let frame = socket.frame();
        if frame["type"] == "live" {
            break;
        }
        if frame["name"] == "access.refused" {
            times.push(frame["detail"]["times"].clone());
        }
    }
    assert_eq!(times, [json!(1), json!(99)]);
    drop(socket);
    hub.end();
}

#[test]
fn a_page_of_large_asks_ends_early_and_says_where_to_go_on() {
    const MANY: usize = 20;
    let hub = WatchedHub::with("127.0.0.1:0", "", "warn");
    let input = json!({"content": "x".repeat(MEGABYTE - 1000)});
    let ask = json!({"asker": {"agent": "tester"}, "kind": "approval", "approval": {"tool": "Write", "input": input}});
    for _ in 0..MANY {
        let asked = hub.call(&Call::post("/api/v1/asks").token(&hub.agent).json(&ask));
        assert_eq!(asked.status, 201, "{asked:?}");
    }
    let mut sizes = vec![];
    let mut after = String::new();
    loop {
        let path = format!("/api/v1/asks?limit=500{after}");
        let page = Line::to(hub.address).call(&Call::get(&path).token(&hub.person));
        assert!(page.text.len() < 18 * MEGABYTE, "{} bytes", page.text.len());
        let page = page.json();
        sizes.push(page["asks"].as_array().unwrap().len());
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!((sizes.len(), sizes.iter().sum::<usize>()), (2, MANY), "{sizes:?}");
}

const MEGABYTE: usize = 1024 * 1024;

/// A session with so many messages of a megabyte each; the path of its messages.
fn large_session(hub: &WatchedHub, messages: usize) -> String {
    let call = |path: &str, body| {
        let answer = hub.call(&Call::post(path).token(&hub.agent).json(&body));
        assert!(answer.status < 300, "{answer:?}");
        answer.json()
    };
    let session = call("/api/v1/sessions", json!({"agent": "tester", "directory": "/"}));
    let path = format!("/api/v1/sessions/{}", session["id"].as_str().unwrap());
    for number in 0..messages {
        let message =
            json!({"key": number.to_string(), "kind": "assistant", "text": "x".repeat(1_000_000)});
        call(&format!("{path}/progress"), json!({"messages": [message]}));
    }
    format!("{path}/messages")
}

#[test]
fn a_page_of_long_messages_ends_early_and_the_next_goes_on() {
    const MANY: usize = 40;
    let hub = WatchedHub::with("127.0.0.1:0", "", "warn");
    let path = large_session(&hub, MANY);
    let (mut sizes, mut after) = (vec![], json!(0));
    loop {
        let path = format!("{path}?limit=500&after={after}");
        let page = Line::to(hub.address).call(&Call::get(&path).token(&hub.person));
        assert!(page.text.len() < 18 * MEGABYTE, "{} bytes", page.text.len());
        let messages = page.json()["messages"].clone();
        let messages = messages.as_array().unwrap();
        let Some(last) = messages.last() else { break };
        after = last["number"].clone();
        sizes.push(messages.len());
    }
    assert_eq!((sizes.len(), sizes.iter().sum::<usize>()), (3, MANY), "{sizes:?}");
}

#[test]
fn pages_that_nobody_reads_take_bounded_memory_and_are_given_up() {
    const READERS: usize = 12;
    let hub = WatchedHub::with("127.0.0.1:0", "[limits]\npatience_seconds = 1\n", "warn");
    let path = large_session(&hub, 16);
    let page = Call::get(&path).token(&hub.agent);
    let whole = hub.call(&page).text.len();
    let before = hub.memory();
    let mut readers: Vec<_> = (0..READERS).map(|_| Line::to(hub.address)).collect();
    for reader in &mut readers {
        reader.send(page.head(hub.address).as_bytes());
    }
    // The last in the row gets its turn when those before it were given up.
    let mut most = 0;
    thread::scope(|scope| {
        let last = scope.spawn(|| hub.call(&page));
        while !last.is_finished() {
            most = most.max(hub.memory().saturating_sub(before));
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(last.join().unwrap().text.len(), whole);
    });
    assert!(most < READERS * whole, "{most} bytes for {READERS} pages of {whole}");
    let given_up = readers.into_iter().map(Line::rest).filter(|came| *came < whole);
    assert!(given_up.count() + 4 >= READERS, "four are on their way at once");
}

#[test]
fn an_answer_that_is_under_way_ends_with_the_token() {
    let hub = WatchedHub::with("127.0.0.1:0", "", "warn");
    let path = large_session(&hub, 16);
    let page = Call::get(&path).token(&hub.agent);
    let whole = hub.call(&page).text.len();
    let mut reader = Line::to(hub.address);
    reader.send(page.head(hub.address).as_bytes());
    let first = reader.line();
    assert!(first.contains("200"), "{first}");
    hub.revoke(&hub.agents_device());
    assert!(reader.rest() < whole);
}

#[test]
fn the_memory_of_many_asks_is_given_back_when_they_have_ended() {
    const CONNECTIONS: usize = 8;
    const ASKS_OF_EACH: usize = 750;
    let limits = "[limits]\nrequests_per_second = 4000000000\n";
    let hub = WatchedHub::with("127.0.0.1:0", limits, "warn");
    let ask = json!({"asker": {"agent": "tester"}, "questions": [{"question": "w".repeat(5000)}]});
    let open = || -> Vec<_> {
        let mut line = Line::to(hub.address);
        let call = Call::post("/api/v1/asks").token(&hub.agent).json(&ask);
        let asked = (0..ASKS_OF_EACH).map(|_| line.call(&call).json()["id"].clone());
        asked.map(|id| format!("/api/v1/asks/{}/withdraw", id.as_str().unwrap())).collect()
    };
    let withdraw = |paths: Vec<String>| {
        let mut line = Line::to(hub.address);
        for path in paths {
            let call = Call::post(&path).token(&hub.agent).json(&json!({}));
            assert_eq!(line.call(&call).status, 200);
        }
    };
    let before = hub.memory();
    let asked: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let taken = hub.memory() - before;
    thread::scope(|scope| {
        for paths in asked {
            scope.spawn(|| withdraw(paths));
        }
    });
    let start = Instant::now();
    loop {
        let kept = hub.memory().saturating_sub(before);
        if kept < taken / 2 {
            break;
        }
        assert!(start.elapsed() < PATIENCE, "of {taken} bytes {kept} are kept");
        // The allocator gives memory back while it works.
        assert_eq!(hub.call(&list(&hub.person)).status, 200);
    }
}
