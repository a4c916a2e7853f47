//! Under which names, and from which pages, a hub may be called.

use serde_json::json;

use crate::http::{Call, Line};
use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

#[test]
fn a_name_made_to_point_here_is_refused_even_with_a_good_token() {
    let hub = WatchedHub::start();
    let id = hub.ask();
    let port = hub.address.port();
    let answer = format!("/api/v1/asks/{id}/answer");
    let params = json!({"answers": [{"selected": ["SQLite"]}]});
    for host in [
        format!("evil.example:{port}"),
        "evil.example".into(),
        format!("localhost.evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("evil.example@127.0.0.1:{port}"),
        format!("0.0.0.0:{port}"),
        "127.0.0.1".into(),
        "127.0.0.1:1".into(),
        String::new(),
    ] {
        let call = Call::post(&answer).host(&host).token(&hub.person).json(&params);
        assert_eq!(hub.call(&call).problem(), (403, "foreign_host".into()), "{host}");
        let open = hub.call(&Call::get("/healthz").host(&host));
        assert_eq!(open.problem(), (403, "foreign_host".into()), "{host}");
    }
    assert_eq!(Socket::open(&hub, None, &[("host", "evil.example")]).err(), Some(403));
    hub.refusal("foreign_host", "POST /api/v1/asks/{id}/answer");
    hub.refusal("foreign_host", "GET /healthz");
    hub.refusal("foreign_host", "GET /api/v1/events");
    assert_eq!(hub.look(&id)["state"], "open");
    hub.end();
}

#[test]
fn two_names_or_none_are_refused() {
    let hub = WatchedHub::start();
    let (own, token) = (hub.address, &hub.person);
    for hosts in [
        format!("host: {own}\r\nhost: evil.example\r\n"),
        format!("host: evil.example\r\nhost: {own}\r\n"),
        format!("host: {own}\r\nhost: {own}\r\n"),
        format!("host: {own}, evil.example\r\n"),
        String::new(),
    ] {
        for version in ["1.0", "1.1"] {
            let mut line = Line::to(own);
            let head = format!("GET /api/v1/asks HTTP/{version}\r\n{hosts}");
            line.send(format!("{head}authorization: Bearer {token}\r\n\r\n").as_bytes());
            assert_eq!(line.answer().problem(), (403, "foreign_host".into()), "{hosts}");
        }
    }
    hub.refusal("foreign_host", "GET /api/v1/asks");
    hub.end();
}

#[test]
fn another_name_in_the_first_line_is_refused_although_the_host_is_right() {
    let hub = WatchedHub::start();
    let (own, token) = (hub.address, &hub.person);
    for (name, expected) in [
        (format!("http://{own}"), None),
        ("http://evil.example".into(), Some("foreign_host")),
        (format!("http://evil.example:{}", own.port()), Some("foreign_host")),
        (format!("http://evil.example@{own}"), Some("foreign_host")),
    ] {
        let path = format!("{name}/api/v1/asks");
        let answer = hub.call(&Call::get(&path).token(token));
        match expected {
            None => assert_eq!(answer.status, 200, "{name}"),
            Some(code) => assert_eq!(answer.problem(), (403, code.into()), "{name}"),
        }
    }
    hub.refusal("foreign_host", "GET /api/v1/asks");
    hub.end();
}

#[test]
fn two_tokens_are_refused_whichever_comes_first() {
    let hub = WatchedHub::start();
    for tokens in [[&hub.person, &hub.agent], [&hub.agent, &hub.person], [&hub.person; 2]] {
        let twice = Call::get("/api/v1/asks").token(tokens[0]).token(tokens[1]);
        assert_eq!(hub.call(&twice).problem(), (401, "two_tokens".into()));
    }
    let bearer = format!("Bearer {}", hub.person);
    let mut line = Line::to(hub.address);
    let upgrade = Call::get("/api/v1/events").header("connection", "upgrade").token(&hub.agent);
    let upgrade = upgrade.header("upgrade", "websocket").header("authorization", &bearer);
    assert_eq!(line.call(&upgrade).problem(), (401, "two_tokens".into()));
    hub.refusal("two_tokens", "GET /api/v1/asks");
    hub.refusal("two_tokens", "GET /api/v1/events");
    hub.end();
}

#[test]
fn a_page_from_elsewhere_is_refused_even_with_a_good_token() {
    let hub = WatchedHub::start();
    let id = hub.ask();
    let answer = format!("/api/v1/asks/{id}/answer");
    let params = json!({"answers": [{"selected": ["SQLite"]}]});
    let own = hub.address;
    for origin in [
        "null".into(),
        "https://evil.example".into(),
        format!("https://{own}"),
        format!("http://{own}.evil.example"),
        format!("http://evil.example:{}", own.port()),
        format!("http://127.0.0.1:{}", own.port().wrapping_add(1)),
        "http://127.0.0.1".into(),
        "file://".into(),
        String::new(),
    ] {
        let call = Call::post(&answer).header("origin", &origin).token(&hub.person).json(&params);
        assert_eq!(hub.call(&call).problem(), (403, "foreign_origin".into()), "{origin}");
        let refused = Socket::open(&hub, None, &[("origin", &origin)]).err();
        assert_eq!(refused, Some(403), "{origin}");
    }
    let two = Call::get("/api/v1/asks").header("origin", &format!("http://{own}"));
    let two = two.header("origin", "http://evil.example").token(&hub.person);
    assert_eq!(hub.call(&two).problem(), (403, "foreign_origin".into()));
    hub.refusal("foreign_origin", "POST /api/v1/asks/{id}/answer");
    hub.refusal("foreign_origin", "GET /api/v1/events");
    assert_eq!(hub.look(&id)["state"], "open");
    hub.end();
}

#[test]
fn no_page_from_elsewhere_is_told_that_it_may_read() {
    let hub = WatchedHub::start();
    for method in ["OPTIONS", "GET"] {
        let call = Call::new(method, "/api/v1/asks").token(&hub.person);
        let answer = hub.call(&call.clone().header("origin", "https://evil.example"));
        assert_eq!(answer.status, 403);
        assert_eq!(answer.header("access-control-allow-origin"), None);
        let own = format!("http://{}", hub.address);
        let answer = hub.call(&call.header("origin", &own));
        assert_eq!(answer.header("access-control-allow-origin"), Some(own.as_str()));
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
    hub.end();
}

#[test]
fn every_loopback_name_and_the_hubs_own_pages_come_in() {
    let hub = WatchedHub::start();
    let port = hub.address.port();
    for name in ["127.0.0.1", "localhost", "LocalHost", "[::1]"] {
        let host = format!("{name}:{port}");
        let call = Call::get("/api/v1/asks").host(&host).token(&hub.person);
        assert_eq!(hub.call(&call).status, 200, "{host}");
        let origin = format!("http://{host}");
        assert_eq!(hub.call(&call.header("origin", &origin)).status, 200, "{origin}");
        let socket = Socket::open(&hub, None, &[("host", &host), ("origin", &origin)]);
        assert!(socket.is_ok(), "{host}");
    }
    assert_eq!(hub.refused(), [""; 0]);
    hub.end();
}

#[test]
fn names_and_pages_that_the_configuration_allows_come_in() {
    let hub = WatchedHub::configured(
        "allow_hosts = [\"Hub.Example\"]\nallow_origins = [\"http://LocalHost:5173\"]\n",
    );
    let call = Call::get("/api/v1/asks").token(&hub.person);
    let proxied = call.clone().host("hub.example");
    assert_eq!(hub.call(&proxied).status, 200);
    for origin in ["https://hub.example", "http://hub.example", "http://localhost:5173"] {
        assert_eq!(hub.call(&proxied.clone().header("origin", origin)).status, 200, "{origin}");
    }
    assert_eq!(hub.call(&call.header("origin", "http://localhost:5173")).status, 200);
    hub.end();
}

#[test]
fn a_link_leads_to_where_it_was_made() {
    let hub = WatchedHub::configured("allow_hosts = [\"hub.example\"]\n");
    let make = Call::post("/api/v1/links").token(&hub.person);
    let own = format!("http://{}", hub.address);
    let proxied = make.clone().host("hub.example").header("origin", "https://hub.example");
    for (call, base) in [(make, own.as_str()), (proxied, "https://hub.example")] {
        let link = hub.call(&call).json();
        let (page, secret) = link["url"].as_str().unwrap().split_once("#login=").unwrap();
        hub.keep_secret(secret);
        assert_eq!(page, format!("{base}/"));
        let code = link["qr"].as_str().unwrap();
        assert!(code.lines().all(|row| row.len() == code.lines().count()), "{code}");
    }
    hub.end();
}

#[test]
fn a_hub_at_the_loopback_address_of_ipv6_can_be_used() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        // This machine has no IPv6: there is nothing to be refused.
        return;
    }
    let hub = WatchedHub::with("[::1]:0", "", "trace");
    let id = hub.ask();
    assert_eq!(hub.look(&id)["state"], "open");
    assert!(hub.run(&["list"]).status.success());
    let socket = Socket::follow(&hub, &hub.person, Some(0)).unwrap().live();
    drop(socket);
    let refused = hub.call(&Call::get("/api/v1/asks"));
    assert_eq!(refused.problem(), (401, "no_token".into()));
    assert_eq!(hub.refusal("no_token", "GET /api/v1/asks")["peer"], "::1");
    hub.end();
}
