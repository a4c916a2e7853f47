//! Too many at once: strangers make room for one another and for everybody with a token.

use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use handraise_testkit::PATIENCE;
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::json;

use crate::http::{Call, Line};
use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

fn list(token: &str) -> Call<'static> {
    Call::get("/api/v1/asks").token(token)
}

/// Raises the limit of open files as far as it goes, and returns how many connections fit.
fn room_for(wanted: usize) -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    let room = limit.maximum.map_or(wanted, |most| usize::try_from(most).unwrap());
    wanted.min(room.saturating_sub(300))
}

/// Whether something came over a connection, be it the end.
fn has_heard(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let heard = stream.peek(&mut [0]).is_ok();
    stream.set_nonblocking(false).unwrap();
    heard
}

#[test]
fn ten_thousand_silent_connections_push_out_one_another_and_no_person() {
    let many = room_for(10_000);
    if many < 10_000 {
        eprintln!("this machine allows {many} connections of the 10,000 wanted");
    }
    let hub = WatchedHub::with("127.0.0.1:0", "", "warn");
    let id = hub.ask();
    let path = format!("/api/v1/asks/{id}/resolution?wait=60");
    let mut waiting = Line::to(hub.address);
    waiting.send(Call::get(&path).token(&hub.agent).head(hub.address).as_bytes());
    let following = Socket::follow(&hub, &hub.person, None).unwrap().live();
    let mut known = Line::to(hub.address);
    assert_eq!(known.call(&list(&hub.person)).status, 200);

    let mut silent = Vec::with_capacity(many);
    for n in 0..many {
        silent.push(TcpStream::connect(hub.address).unwrap());
        if n % 500 == 0 {
            let start = Instant::now();
            assert_eq!(known.call(&list(&hub.person)).status, 200, "somebody known, {n}");
            assert_eq!(hub.call(&list(&hub.person)).status, 200, "somebody new, {n}");
            assert!(start.elapsed() < Duration::from_secs(5), "promptly, {n}");
        }
    }
    // Once each has had its moment, newcomers push out all but the last two thousand.
    let mut pushed_out = vec![];
    let start = Instant::now();
    while silent.len() > 2100 {
        assert!(start.elapsed() < PATIENCE, "{} were not pushed out", silent.len());
        assert_eq!(hub.call(&list(&hub.person)).status, 200, "somebody new, afterwards");
        pushed_out.extend(silent.extract_if(.., |stream| has_heard(stream)));
    }
    for stream in pushed_out {
        let mut line = Line::from(stream);
        assert_eq!(line.answer().problem(), (503, "too_many_connections".into()));
        line.closes();
    }
    hub.refusal("too_many_connections", "a connection");

    // Whoever waited or listened all the while has missed nothing.
    let path = format!("/api/v1/asks/{id}/answer");
    let answer = json!({"answers": [{"selected": ["SQLite"]}]});
    assert_eq!(hub.call(&Call::post(&path).token(&hub.person).json(&answer)).status, 200);
    assert_eq!(waiting.answer().json()["answers"][0]["selected"], json!(["SQLite"]));
    let mut following = following;
    while following.frame()["name"] != "ask.resolved" {}
    drop((silent, following, waiting, known));
    hub.end();
}

#[test]
fn websockets_without_a_token_push_out_one_another_and_no_person() {
    let hub = WatchedHub::configured("[limits]\nconnections = 50\n");
    let mut sockets: Vec<_> = (0..70).map(|_| Socket::open(&hub, None, &[]).unwrap()).collect();
    assert_eq!(hub.call(&list(&hub.person)).status, 200);
    for socket in sockets.drain(..20) {
        assert_eq!(socket.closed(), (vec![], 1013));
    }
    hub.refusal("too_many_connections", "a connection");
    drop(sockets);
    hub.end();
}

#[test]
fn strangers_who_take_every_place_make_room_for_a_person() {
    let hub = WatchedHub::configured("[limits]\nconnections = 8\n");
    // Each is at work on something that takes long: a body that does not come, a token that does not.
    let login = Call::post("/api/v1/login").json(&json!({"secret": "0".repeat(64)}));
    let begun: Vec<_> = (0..4)
        .map(|_| {
            let mut line = Line::to(hub.address);
            line.begin(&login);
            line
        })
        .collect();
    let sockets: Vec<_> = (0..4).map(|_| Socket::open(&hub, None, &[]).unwrap()).collect();
    for _ in 0..3 {
        assert_eq!(hub.call(&list(&hub.person)).status, 200);
    }
    hub.refusal("too_many_connections", "a connection");
    drop((begun, sockets));
    hub.end();
}

#[test]
fn somebody_known_is_never_pushed_out_by_strangers() {
    const KNOWN: usize = 64;
    let hub = WatchedHub::configured("[limits]\nconnections = 100\n");
    // All at once, so that they come in in no order.
    let mut known: Vec<_> = thread::scope(|scope| {
        let come = || {
            let mut line = Line::to(hub.address);
            assert_eq!(line.call(&list(&hub.person)).status, 200);
            line
        };
        let all: Vec<_> = (0..KNOWN).map(|_| scope.spawn(come)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let strangers: Vec<_> = (0..200).map(|_| TcpStream::connect(hub.address).unwrap()).collect();
    hub.refusal("too_many_connections", "a connection");
    for line in &mut known {
        assert_eq!(line.call(&list(&hub.person)).status, 200);
    }
    drop((strangers, known));
    hub.end();
}

#[test]
fn agents_that_wait_leave_room_for_the_people_they_wait_for() {
    let hub = WatchedHub::configured("[limits]\nconnections = 30\n");
    let id = hub.ask();
    let path = format!("/api/v1/asks/{id}/resolution?wait=60");
    let wait = Call::get(&path).token(&hub.agent).head(hub.address);
    let begin = |_| {
        let mut line = Line::to(hub.address);
        line.send(wait.as_bytes());
        line
    };
    let mut first = begin(0);
    let others: Vec<_> = (1..200).map(begin).collect();
    hub.refusal("too_many_connections", "GET /api/v1/asks/{id}/resolution");
    let following = Socket::follow(&hub, &hub.agent, None);
    assert_eq!(following.err(), Some(503), "a WebSocket takes a place like any other");
    let mut by_frame = Socket::open(&hub, None, &[]).unwrap();
    by_frame.send(json!({"token": hub.agent}).to_string().into());
    assert_eq!(by_frame.closed(), (vec![], 1013));

    let page = Socket::follow(&hub, &hub.person, None).unwrap().live();
    let path = format!("/api/v1/asks/{id}/answer");
    let answer = json!({"answers": [{"selected": ["SQLite"]}]});
    assert_eq!(hub.call(&Call::post(&path).token(&hub.person).json(&answer)).status, 200);
    assert_eq!(first.answer().json()["answers"][0]["selected"], json!(["SQLite"]));
    drop((first, others, page));
    // With room again, agents are served again.
    let start = Instant::now();
    while hub.call(&list(&hub.agent)).status != 200 {
        assert!(start.elapsed() < PATIENCE, "no room was made");
    }
    hub.end();
}

#[test]
fn more_connections_than_configured_are_turned_away_be_they_websockets_or_not() {
    let hub = WatchedHub::configured("[limits]\nconnections = 4\n");
    let sockets: Vec<_> =
        (0..3).map(|_| Socket::follow(&hub, &hub.person, None).unwrap().live()).collect();
    let mut line = Line::to(hub.address);
    assert_eq!(line.call(&list(&hub.person)).status, 200);
    let refused = hub.call(&list(&hub.person));
    assert_eq!(refused.problem(), (503, "too_many_connections".into()));
    assert_eq!(refused.header("retry-after"), Some("1"));
    let large = Call::post("/api/v1/asks").token(&hub.agent);
    let refused = hub.call(&large.body("application/json", vec![b' '; 1_000_000]));
    assert_eq!(refused.problem(), (503, "too_many_connections".into()), "even if much was sent");
    // Room is made by whoever leaves.
    drop(sockets);
    let start = Instant::now();
    while hub.call(&list(&hub.person)).status != 200 {
        assert!(start.elapsed() < PATIENCE, "no room was made");
    }
    drop(line);
    hub.refusal("too_many_connections", "a connection");
    hub.end();
}
