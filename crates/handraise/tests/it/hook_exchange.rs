//! What the hooks of a release say to the hub, kept as it was said.
//!
//! A hook may wait for days, and the hub is upgraded meanwhile; a settings file may name an old program
//! for years. So each release's exchange stays in `hook_exchange/`, and every later hub has to understand
//! it. When today's hooks say something else than the newest one kept there, it is their turn to be
//! written down: under a new name once the old one was released.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use handraise_broker::Power;
use handraise_client::HubFile;
use handraise_testkit::{HubProcess, Program};
use serde_json::{Value, json};

use crate::hook_events::{asked, noted, printed, quiet, taken};
use crate::service_scene::wait;

const NEWEST: &str = "0.1.json";
/// In the place of what is another each time.
const ANYTHING: &str = "{anything}";
const PROGRAM: &str = env!("CARGO_BIN_EXE_handraise");

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/hook_exchange")
}

/// One message of HTTP: its head, line by line, and its body.
#[derive(Debug, Clone, PartialEq)]
struct Message {
    head: Vec<String>,
    body: String,
}

impl Message {
    fn read(from: &mut impl BufRead) -> Option<Self> {
        let mut head = vec![];
        loop {
            let mut line = String::new();
            if from.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match line.trim_end() {
                "" => break,
                line => head.push(line.to_owned()),
            }
        }
        let length = head.iter().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length").then(|| value.parse().unwrap())
        });
        let mut body = vec![0; length.unwrap_or(0)];
        from.read_exact(&mut body).ok()?;
        Some(Self { head, body: String::from_utf8(body).unwrap() })
    }

    fn write(&self, to: &mut TcpStream) {
        let text = format!("{}\r\n\r\n{}", self.head.join("\r\n"), self.body);
        // Whoever has left does not listen.
        let _ = to.write_all(text.as_bytes());
    }

    fn replace(&self, from: &str, to: &str) -> Self {
        let head = self.head.iter().map(|line| line.replace(from, to)).collect();
        Self { head, body: self.body.replace(from, to) }
    }

    /// The same with a head that says how long its body is now.
    fn measured(mut self) -> Self {
        for line in &mut self.head {
            if line.starts_with("content-length: ") {
                *line = format!("content-length: {}", self.body.len());
            }
        }
        self
    }

    fn status(&self) -> u16 {
        self.head[0].split(' ').nth(1).unwrap().parse().unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// Stands between hooks and the hub, and writes down what both say.
struct Clerk {
    url: String,
    heard: Arc<Mutex<Vec<(Message, Message)>>>,
}

impl Clerk {
    fn before(hub: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(vec![]));
        let (here, there, notes) = (host(&url).to_owned(), host(hub).to_owned(), heard.clone());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, notes) = (stream.unwrap(), notes.clone());
                let (here, there) = (here.clone(), there.clone());
                thread::spawn(move || {
                    let mut reader = BufReader::new(stream.try_clone().unwrap());
                    while let Some(request) = Message::read(&mut reader) {
                        let request = request.replace(&here, &there);
                        let mut hub = TcpStream::connect(&there).unwrap();
                        request.write(&mut hub);
                        let Some(response) = Message::read(&mut BufReader::new(hub)) else {
                            return;
                        };
                        notes.lock().unwrap().push((request, response.clone()));
                        response.write(&mut stream);
                    }
                });
            }
        });
        Self { url, heard }
    }
}

fn host(url: &str) -> &str {
    url.strip_prefix("http://").unwrap()
}

fn answer(hub: &HubProcess, id: &str) {
    let body = json!({"answers": [{"selected": ["JWT"]}], "idempotencyKey": "one"});
    let answered = hub.plain(Power::Person, "POST", &format!("/asks/{id}/answer"), Some(&body));
    assert_eq!(answered.status, 200, "{answered:?}");
}

/// What today's hooks and hub say to each other over one question, from its start to its end.
fn todays() -> Vec<(Message, Message)> {
    let hub = HubProcess::start(Path::new(PROGRAM));
    let clerk = Clerk::before(hub.url());
    let run =
        |event: &Value| Program::spawn(hub.command().args(["hook", "claude"]), &event.to_string());
    let place = HubFile { url: clerk.url.clone(), pid: hub.pid(), started: None };
    hub.home().announce(&place).unwrap();
    quiet(run(&noted("toolu_1")).wait_exit());
    let hook = run(&asked());
    // Heard by the hub before it is answered, so that the hook waits.
    wait("hook that waits", || (clerk.heard.lock().unwrap().len() == 1).then_some(()));
    let token = hub.home().agent_token("claude-code").unwrap();
    let open = hub.plain(Power::Person, "GET", "/asks?state=open", None);
    let id = open.body["asks"][0]["id"].as_str().unwrap().to_owned();
    answer(&hub, &id);
    assert_eq!(printed(&quiet(hook.wait_exit())), "JWT");
    for event in taken("toolu_1", "JWT") {
        quiet(run(&event).wait_exit());
    }
    let heard = clerk.heard.lock().unwrap().clone();
    let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let own = [(host(hub.url()), "{host}"), (token.reveal(), "{token}"), (id.as_str(), "{ask}")];
    heard
        .into_iter()
        .map(|(request, response)| {
            let deliverer = request
                .head
                .iter()
                .find_map(|line| line.strip_prefix("handraise-deliverer: ").map(str::to_owned));
            let plain = |message: Message| {
                let message = own.iter().fold(message, |m, (from, to)| m.replace(from, to));
                let message =
                    message.replace(&format!("\"host\":\"{machine}\""), "\"host\":\"desk\"");
                let deliverer = deliverer.as_deref().unwrap_or("none");
                message.replace(deliverer, "0123456789abcdef").measured()
            };
            (plain(request), plain(response))
        })
        .collect()
}

/// What was said, as it is kept: what is another each time is left out.
fn written(exchange: &[(Message, Message)]) -> Vec<Value> {
    let one = |(request, response): &(Message, Message)| {
        let mut body = response.json();
        forget_what_changes(&mut body);
        json!({"request": {"head": request.head, "body": request.body},
            "response": {"status": response.status(), "body": body}})
    };
    exchange.iter().map(one).collect()
}

fn forget_what_changes(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if matches!(name.as_str(), "askedAt" | "at" | "seq" | "device" | "person") {
                    *value = json!(ANYTHING);
                } else {
                    forget_what_changes(value);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(forget_what_changes),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether an answer says all that an old hook was told; it may say more.
fn covers(now: &Value, then: &Value) -> bool {
    match (now, then) {
        (now, Value::String(then)) if then == ANYTHING => !now.is_null(),
        (Value::Object(now), Value::Object(then)) => {
            then.iter().all(|(name, then)| now.get(name).is_some_and(|now| covers(now, then)))
        }
        (Value::Array(now), Value::Array(then)) => {
            now.len() == then.len() && now.iter().zip(then).all(|(now, then)| covers(now, then))
        }
        (now, then) => now == then,
    }
}

#[test]
fn todays_hooks_say_what_is_written_down_of_them() {
    let (today, file) = (written(&todays()), kept().join(NEWEST));
    let requests = |all: &[Value]| all.iter().map(|one| one["request"].clone()).collect::<Vec<_>>();
    let kept: Vec<Value> = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(
        requests(&today),
        requests(&kept),
        "{} is not what hooks say today; this is:\n{}",
        file.display(),
        serde_json::to_string_pretty(&today).unwrap()
    );
}

#[test]
fn the_hub_understands_the_hooks_of_every_release() {
    for file in fs::read_dir(kept()).unwrap() {
        let file = file.unwrap().path();
        let kept: Vec<Value> = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let hub = HubProcess::start(Path::new(PROGRAM));
        let token = hub.home().token(Power::Agent).unwrap();
        let mut id = String::new();
        for (number, one) in kept.iter().enumerate() {
            let words = |value: &Value| value.as_str().unwrap().to_owned();
            let head = one["request"]["head"].as_array().unwrap().iter().map(words).collect();
            let request = Message { head, body: words(&one["request"]["body"]) };
            let own = [("{host}", host(hub.url())), ("{token}", token.reveal()), ("{ask}", &id)];
            let request = own.iter().fold(request, |message, (from, to)| message.replace(from, to));
            if request.head[0].contains("/resolution") {
                answer(&hub, &id);
            }
            let mut stream = TcpStream::connect(host(hub.url())).unwrap();
            request.write(&mut stream);
            let response = Message::read(&mut BufReader::new(stream)).unwrap();
            if id.is_empty() {
                id = words(&response.json()["id"]);
            }
            let response = response.replace(&id, "{ask}");
            let place = format!("{}, exchange {number}", file.display());
            assert_eq!(response.status(), one["response"]["status"], "{place}: {response:?}");
            let then = &one["response"]["body"];
            assert!(covers(&response.json(), then), "{place}: {response:?}\nbut then: {then}");
        }
        let ended = hub.plain(Power::Agent, "GET", &format!("/asks/{id}"), None);
        assert_eq!(ended.body["state"], "delivered");
        assert_eq!(ended.body["delivery"]["level"], "seen");
    }
}
