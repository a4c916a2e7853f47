//! A hub that watches sessions itself: no hooks, and no `handraise watch` beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use handraise_broker::{Hub, Power, Query, Record, State};
use handraise_testkit::{HubProcess, PATIENCE, Program};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::watch_scene::{A_WHILE, Session, database, sqlite};

/// A directory as Claude Code has one, for hubs that watch it.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(place.config()).unwrap();
        place
    }

    fn config(&self) -> PathBuf {
        self.0.path().join("home/.claude")
    }

    fn session(&self, project: &str) -> Session {
        let session = Session::start(&self.config(), project, &[]);
        session.announce();
        session
    }

    /// A hub that is to watch it, and does not run yet.
    fn hub(&self) -> HubProcess {
        let hub = HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise")));
        configure(&hub, &format!("enabled = true\nclaude = '{}'", self.config().display()));
        hub
    }

    /// A hub that watches it.
    fn watching_hub(&self) -> HubProcess {
        let mut hub = self.hub();
        hub.restart();
        wait_watch(&hub, "watching");
        hub
    }
}

fn configure(hub: &HubProcess, watch: &str) {
    hub.home().create().unwrap();
    fs::write(hub.home().config(), format!("[watch]\n{watch}\n")).unwrap();
}

fn wait<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "no {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// What the hub says of its watch.
fn watch_of(hub: &HubProcess) -> Value {
    hub.plain(Power::Agent, "GET", "/status", None).body["watch"].clone()
}

fn wait_watch(hub: &HubProcess, state: &str) -> Value {
    wait(state, || Some(watch_of(hub)).filter(|watch| watch["state"] == state))
}

fn asks(hub: &HubProcess, session: &Session) -> Vec<Arc<Record>> {
    let query = Query { session: Some(session.id.clone()), limit: 100, ..Query::default() };
    block_on(hub.client(Power::Agent).list(query)).unwrap()
}

fn wait_ask(hub: &HubProcess, session: &Session, state: State) -> Arc<Record> {
    wait(state.name(), || asks(hub, session).pop().filter(|record| record.state() == state))
}

#[test]
fn a_hub_that_watches_asks_and_settles_by_itself() {
    let place = Place::new();
    let hub = place.watching_hub();
    let session = place.session("shop");
    session.asks("toolu_1", &database());
    let ask = wait_ask(&hub, &session, State::Open);
    assert_eq!(ask.asker().agent, "claude-code");
    assert_eq!(watch_of(&hub)["sessions"], 1);
    session.answered("toolu_1", A_WHILE, &sqlite());
    let ended = wait_ask(&hub, &session, State::Delivered);
    assert_eq!(ended.id, ask.id);
    let said = Program::run(hub.command().arg("status")).stdout;
    assert!(said.contains(&format!("watch    on: 1 session of {}", place.config().display())));
    let doctor = Program::run(hub.command().arg("doctor")).stdout;
    assert!(doctor.contains("✔ watch        on: 1 session of "), "{doctor}");
}

#[test]
fn a_hub_watches_only_where_it_is_told_to() {
    let mut hub = HubProcess::start(Path::new(env!("CARGO_BIN_EXE_handraise")));
    assert_eq!(watch_of(&hub)["state"], "off");
    hub.stop();
    // What the service says counts for less than what the person has written down.
    configure(&hub, "enabled = false");
    let listen = handraise_testkit::free_address().to_string();
    let args = ["serve", "--json", "--watch", "--listen", &listen];
    let serve = || {
        let served = Program::spawn(hub.command().args(args), "");
        assert!(served.first_line().is_some(), "{}", served.stderr());
        served
    };
    let state = || {
        let said = Program::run(hub.command().args(["status", "--json"])).stdout;
        serde_json::from_str::<Value>(&said).unwrap()["watch"]["state"].clone()
    };
    let served = serve();
    assert_eq!(state(), "off");
    drop(served.kill());
    configure(&hub, "");
    let _served = serve();
    // There is no directory yet: it is there when Claude Code is first used.
    assert_eq!(state(), "waiting");
    fs::create_dir(hub.directory().join(".claude")).unwrap();
    wait("watch", || (state() == "watching").then_some(()));
}

#[test]
fn handraise_watch_beside_a_hub_that_watches_says_so_and_ends() {
    let place = Place::new();
    let hub = place.watching_hub();
    for more in [&[][..], &["--once"], &["--json"]] {
        let mut command = hub.command();
        command.args(["watch", "--claude"]).arg(place.config()).args(more);
        let ended = Program::run(&mut command);
        assert_eq!((ended.status.code(), ended.stdout.as_str()), (Some(0), ""));
        let said = format!("The hub (process {}) watches the sessions of", hub.pid());
        assert!(ended.stderr.contains(&said), "{}", ended.stderr);
    }
}

#[test]
fn of_two_hubs_one_watches_and_the_other_takes_over_when_it_ends() {
    let place = Place::new();
    let mut first = place.watching_hub();
    let mut second = place.hub();
    second.restart();
    let reason = format!("another watch is at work there: process {}", first.pid());
    wait("reason", || (watch_of(&second)["reason"] == json!(reason)).then_some(()));
    let doctor = Program::run(second.command().arg("doctor")).stdout;
    assert!(doctor.contains(&format!("! watch        not yet: {reason}")), "{doctor}");
    let session = place.session("shop");
    session.asks("toolu_1", &database());
    wait_ask(&first, &session, State::Open);
    assert_eq!(asks(&second, &session), [], "only one of them asks");
    first.kill();
    wait_watch(&second, "watching");
    wait_ask(&second, &session, State::Open);
}

#[test]
fn a_hub_that_was_killed_goes_on_with_what_it_had_asked() {
    let place = Place::new();
    let mut hub = place.watching_hub();
    let (one, two) = (place.session("one"), place.session("two"));
    for session in [&one, &two] {
        session.asks("toolu_1", &database());
        wait_ask(&hub, session, State::Open);
    }
    hub.kill();
    one.answered("toolu_1", A_WHILE, &sqlite());
    hub.restart();
    wait_ask(&hub, &one, State::Delivered);
    two.answered("toolu_1", A_WHILE, &sqlite());
    wait_ask(&hub, &two, State::Delivered);
    assert_eq!((asks(&hub, &one).len(), asks(&hub, &two).len()), (1, 1), "none was asked twice");
    assert_eq!(hub.stop().status.code(), Some(0), "{}", hub.said());
}

#[test]
fn a_watch_that_fails_leaves_the_hub_alone_and_is_reported() {
    let place = Place::new();
    // As somebody else, whose limits are their own.
    let script = "echo 0 > /proc/sys/user/max_inotify_instances && exec \"$@\"";
    let wrapper = ["unshare", "--user", "--map-root-user", "sh", "-c", script, "sh"];
    let prepared = place.hub();
    let home = prepared.home().directory().to_owned();
    let mut hub = prepared.within(&wrapper, &home, &home);
    hub.restart();
    let watch = wait_watch(&hub, "failed");
    let reason = watch["reason"].as_str().unwrap();
    assert!(reason.contains("fs.inotify.max_user_instances"), "{reason}");
    let asked = block_on(hub.client(Power::Agent).ask(handraise_testkit::new_ask(None)));
    assert!(asked.unwrap().record.is_open());
    let doctor = Program::run(hub.command().arg("doctor")).stdout;
    assert!(doctor.contains("✘ watch        FAILED: the kernel does not let"), "{doctor}");
    assert_eq!(hub.stop().status.code(), Some(0), "{}", hub.said());
}
