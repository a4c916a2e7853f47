//! What a WebSocket can make the hub hold, and how it ends.

use crate::http::Call;
use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

const MEGABYTE: usize = 1024 * 1024;

/// Every kind of WebSocket: programs', pages', and those of front ends of other systems.
fn sockets(hub: &WatchedHub) -> [Socket; 3] {
    let token = format!("Bearer {}", hub.person);
    let header = [("authorization", token.as_str())];
    [
        Socket::follow(hub, &hub.agent, None).unwrap(),
        Socket::open(hub, None, &[]).unwrap(),
        Socket::dial(hub.address, "/dialects/gobby/a", &header).unwrap(),
    ]
}

#[test]
fn whoever_pings_and_does_not_read_is_not_read_either_and_is_cut_off() {
    let hub = WatchedHub::with("127.0.0.1:0", "", "warn");
    let [program, _, front_end] = sockets(&hub);
    let before = hub.memory();
    for socket in [program, front_end] {
        let taken = socket.ping_without_reading(128 * MEGABYTE);
        assert!(taken < 128 * MEGABYTE, "the hub took {taken} bytes of pings");
        let grown = hub.memory().saturating_sub(before);
        assert!(grown < 32 * MEGABYTE, "{grown} bytes more");
    }
    assert_eq!(hub.call(&Call::get("/api/v1/asks").token(&hub.person)).status, 200);
    hub.end();
}

#[test]
fn a_websocket_that_says_nothing_costs_little() {
    const MANY: usize = 500;
    const EACH: usize = 64 * 1024;
    let hub = WatchedHub::with("127.0.0.1:0", "", "warn");
    for token in [None, Some(format!("Bearer {}", hub.agent))] {
        let headers: Vec<_> = token.iter().map(|it| ("authorization", it.as_str())).collect();
        let before = hub.memory();
        let open: Vec<_> = (0..MANY).map(|_| Socket::open(&hub, None, &headers).unwrap()).collect();
        let each = hub.memory().saturating_sub(before) / MANY;
        assert!(each < EACH, "{each} bytes each, with a token: {}", token.is_some());
        drop(open);
    }
    hub.end();
}

#[test]
fn a_close_is_answered_before_the_end() {
    let hub = WatchedHub::start();
    for socket in sockets(&hub) {
        socket.says_goodbye();
    }
    hub.end();
}
