//! The page in the binary, as a browser gets it.

use handraise_testkit::Program;
use rustix::process::Signal;

use crate::http::Call;
use crate::watched_hub::{WatchedHub, handraise};

const POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#[test]
fn the_page_comes_without_a_token_and_loads_what_is_there() {
    let hub = WatchedHub::start();
    let page = hub.call(&Call::get("/"));
    assert_eq!(page.status, 200);
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
    assert_eq!(page.header("connection"), Some("close"));
    if !handraise_server::has_dashboard() {
        assert!(page.text.contains("without its dashboard"), "{}", page.text);
        hub.end();
        return;
    }
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    assert_eq!(page.header("content-security-policy"), Some(POLICY));
    let again = Call::get("/").header("if-none-match", page.header("etag").unwrap());
    assert_eq!(hub.call(&again).status, 304);

    let (_, script) = page.text.split_once("src=\"/assets/").expect("the page has a script");
    let (script, _) = script.split_once('"').unwrap();
    let script = hub.call(&Call::get(&format!("/assets/{script}")));
    assert_eq!(script.status, 200);
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    let keep = Some("public, max-age=31536000, immutable");
    assert_eq!(script.header("cache-control"), keep);
    assert_eq!(script.header("content-security-policy"), Some(POLICY));
    hub.end();
}

#[test]
fn a_login_link_is_not_written_into_a_log() {
    let home = tempfile::tempdir().unwrap();
    let mut command = handraise(&home.path().join("home"));
    let hub = Program::spawn(command.args(["serve", "--listen", "127.0.0.1:0"]), "");
    hub.first_line().expect("a greeting");
    hub.signal(Signal::TERM);
    let greeting = hub.wait_exit().stdout;
    assert!(greeting.contains("  dashboard  "), "{greeting}");
    assert!(!greeting.contains("#login="), "{greeting}");
}

#[test]
fn what_is_not_there_is_no_page() {
    let hub = WatchedHub::start();
    for path in ["/assets/nothing.js", "/assets/", "/nothing", "/index.html/x", "//index.html"] {
        let answer = hub.call(&Call::get(path));
        assert_eq!(answer.problem(), (404, "no_such_address".into()), "{path}");
        let policy = Some("default-src 'none'; frame-ancestors 'none'");
        assert_eq!(answer.header("content-security-policy"), policy, "{path}");
    }
    let written = hub.call(&Call::post("/favicon.svg"));
    assert_eq!(written.problem(), (404, "no_such_address".into()));
    hub.end();
}
