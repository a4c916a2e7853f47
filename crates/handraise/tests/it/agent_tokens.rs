//! Tokens of agents: what one of them opened, no other one may touch.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use handraise_broker::{DelivererId, Hub, HubError, Power, Rejection};
use handraise_testkit::{Ended, HubProcess, PlainAnswer, Program, plain_request};
use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_handraise");

fn start() -> HubProcess {
    HubProcess::start(Path::new(BINARY))
}

fn code(ended: &Ended) -> i32 {
    ended.status.code().unwrap()
}

fn device(hub: &HubProcess, words: &[&str]) -> Ended {
    Program::run(hub.command().arg("device").args(words))
}

/// Issues a token with the command, and returns what it printed.
fn issue(hub: &HubProcess, name: &str) -> Value {
    let added = device(hub, &["add", "--agent", name, "--json"]);
    assert_eq!(code(&added), 0, "{}", added.stderr);
    serde_json::from_str(&added.stdout).unwrap()
}

struct Agent<'a> {
    hub: &'a HubProcess,
    token: String,
}

impl<'a> Agent<'a> {
    fn new(hub: &'a HubProcess, name: &str) -> Self {
        let token = issue(hub, name)["token"].as_str().unwrap().to_owned();
        Self { hub, token }
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> PlainAnswer {
        plain_request(self.hub.url(), &self.token, method, path, Some(body)).unwrap()
    }

    fn ask(&self, key: &str, question: &str, deadline: Option<u64>) -> PlainAnswer {
        let questions = json!([{"question": question, "options": [{"label": "Yes"}]}]);
        let policy = json!({"deadlineSeconds": deadline});
        let asker = json!({"agent": "bot", "session": "s"});
        let ask = json!({"asker": asker, "key": key, "questions": questions, "policy": policy});
        self.send("POST", "/asks", &ask)
    }
}

fn not_yours(answer: &PlainAnswer) {
    assert_eq!((answer.status, &answer.body["code"]), (403, &json!("not_yours")));
}

#[test]
fn an_agent_cannot_touch_what_another_one_opened() {
    let hub = start();
    let (a, b) = (Agent::new(&hub, "a"), Agent::new(&hub, "b"));
    // B takes A's next keys: one with another question, one with a deadline that is over at once.
    assert_eq!(b.ask("k", "Other?", None).status, 201);
    assert_eq!(b.ask("l", "Sure?", Some(1)).status, 201);
    let asked = a.ask("k", "Sure?", None);
    assert_eq!((asked.status, &asked.body["owner"]), (201, &json!("a")));
    let hurried = a.ask("l", "Sure?", None);
    assert_eq!((hurried.status, &hurried.body["deadlineAt"]), (201, &Value::Null));

    let ask = asked.body["id"].as_str().unwrap();
    let path = |verb: &str| format!("/asks/{ask}/{verb}");
    not_yours(&b.send("POST", &path("withdraw"), &json!({})));
    not_yours(&b.send("POST", &path("receipt"), &json!({"level": "handed"})));
    let took = json!({"kind": "answered", "answers": [{"selected": ["Yes"]}]});
    not_yours(&b.send("POST", &path("receipt"), &json!({"level": "seen", "took": took})));
    let claim = async |name: &str| {
        let deliverer = Some(DelivererId::new(name).unwrap());
        hub.agent(name).wait(ask.parse().unwrap(), deliverer, Duration::ZERO).await
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        assert_eq!(claim("b").await, Err(HubError::from(Rejection::NotYours)));
        assert_eq!(claim("a").await, Ok(None), "its place was not taken");
    });
    let now = hub.plain(Power::Person, "GET", &format!("/asks/{ask}"), None).body;
    assert_eq!(now["state"], "open");

    let new = json!({"agent": "bot", "directory": "/tmp"});
    let session = a.send("POST", "/sessions", &new).body["id"].as_str().unwrap().to_owned();
    let progress = json!({"messages": [{"key": "m", "kind": "assistant", "text": "Hello"}]});
    let path = format!("/sessions/{session}/progress");
    not_yours(&b.send("POST", &path, &progress));
    let over = json!({"state": "ended", "title": "Mine", "agentSession": "s"});
    not_yours(&b.send("POST", &path, &over));
    not_yours(&hub.plain(Power::Agent, "POST", &path, Some(&progress)));
    let spoken = json!({"key": "m", "offset": 0, "text": "Hel"});
    not_yours(&b.send("POST", &format!("/sessions/{session}/text"), &spoken));
    assert_eq!(a.send("POST", &path, &progress).status, 200);

    let shared = |path: &str| hub.plain(Power::Agent, "POST", path, Some(&json!({})));
    not_yours(&shared(&format!("/asks/{ask}/withdraw")));
    let questions = json!([{"question": "Q?", "options": [{"label": "Yes"}]}]);
    let body = json!({"asker": {"agent": "old"}, "questions": questions});
    let old = hub.plain(Power::Agent, "POST", "/asks", Some(&body)).body["id"].clone();
    let old = format!("/asks/{}/withdraw", old.as_str().unwrap());
    not_yours(&a.send("POST", &old, &json!({})));
    assert_eq!(shared(&old).status, 200, "the shared token still works");
    assert_eq!(a.send("POST", &format!("/asks/{ask}/withdraw"), &json!({})).status, 200);
    assert!(hub.said().contains("not_yours"), "refusals are noted: {}", hub.said());
}

#[test]
fn a_token_is_issued_once_listed_and_revoked() {
    let hub = start();
    let added = issue(&hub, "deploy-bot");
    let (token, id) = (&added["token"], added["device"]["id"].as_str().unwrap());
    let file = hub.home().agent_token_file("deploy-bot");
    assert_eq!(fs::read_to_string(&file).unwrap().trim(), token.as_str().unwrap());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let elsewhere = device(&hub, &["add", "--agent", "codex", "--host", "build-box"]);
    assert_eq!((code(&elsewhere), elsewhere.stdout.trim().len()), (0, 64), "{}", elsewhere.stderr);
    assert!(!hub.home().agent_token_file("codex@build-box").exists(), "it is for elsewhere");
    let list = device(&hub, &["list"]).stdout;
    for name in ["deploy-bot", "codex@build-box", "claude-code", "run", "sdk-python"] {
        assert!(list.lines().any(|line| line.ends_with(&format!(" {name}"))), "{list}");
    }
    for taken in ["deploy-bot", "Deploy-Bot", "claude-code"] {
        let again = device(&hub, &["add", "--agent", taken]);
        assert_eq!((code(&again), again.stdout.as_str()), (2, ""), "{}", again.stderr);
        assert!(again.stderr.contains("already"), "{}", again.stderr);
    }
    let long = "x".repeat(101);
    for name in ["", ".", "../person", "a b", "a\u{1b}[2J", "ä", long.as_str()] {
        let refused = device(&hub, &["add", "--agent", name]);
        assert_eq!((code(&refused), refused.stdout.as_str()), (2, ""), "{name:?}");
        assert!(!refused.stderr.contains('\u{1b}'), "{:?}", refused.stderr);
    }
    let ask = |agent: &str| {
        let mut command = hub.command();
        command.args(["ask", "--via", "hub", "--timeout", "1s"]).env("HANDRAISE_AGENT", agent);
        Program::spawn(&mut command, r#"{"questions": [{"question": "Q?"}]}"#).wait_exit()
    };
    assert_eq!(code(&ask("deploy-bot")), 4);
    let asks = hub.plain(Power::Person, "GET", "/history?limit=9", None).body["asks"].clone();
    assert_eq!(asks[0]["owner"], "deploy-bot", "{asks}");
    for wrong in ["unknown", "../person"] {
        assert_eq!(code(&ask(wrong)), 2, "no other token is used in its place");
    }
    assert_eq!(code(&device(&hub, &["revoke", id])), 0);
    assert_eq!(code(&ask("deploy-bot")), 2);
    issue(&hub, "deploy-bot");
    assert_eq!(code(&ask("deploy-bot")), 4);
}

#[test]
fn an_agent_whose_token_was_never_kept_gets_another() {
    let mut hub = start();
    issue(&hub, "deploy-bot");
    fs::rename(
        hub.home().agent_token_file("deploy-bot"),
        hub.home().agents().join(".deploy-bot.token.new"),
    )
    .unwrap();
    let refused = device(&hub, &["add", "--agent", "Deploy-Bot"]);
    assert_eq!(code(&refused), 2);
    let (_, command) = refused.stderr.split_once("handraise device revoke ").unwrap();
    let (command, _) = command.split_once(',').unwrap();
    let id = command.split_whitespace().last().unwrap();
    assert!(refused.stderr.contains("in no file here"), "{}", refused.stderr);
    assert_eq!(code(&device(&hub, &["revoke", id])), 0);
    issue(&hub, "deploy-bot");
    fs::write(hub.home().agents().join(".other.token.new"), "").unwrap();
    hub.stop();
    hub.restart();
    let files = fs::read_dir(hub.home().agents()).unwrap();
    let mut names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert!(names.all(|name| !name.starts_with('.')));
}

#[test]
fn a_hub_makes_the_tokens_of_its_own_programs_anew_where_they_are_lost() {
    let mut hub = start();
    let file = hub.home().agent_token_file("claude-code");
    let before = fs::read_to_string(&file).unwrap();
    hub.stop();
    hub.restart();
    assert_eq!(fs::read_to_string(&file).unwrap(), before, "what counts is kept");
    hub.stop();
    fs::remove_file(&file).unwrap();
    hub.restart();
    let status = |token: &str| {
        plain_request(hub.url(), token.trim(), "GET", "/status", None).unwrap().status
    };
    assert_eq!(status(&fs::read_to_string(&file).unwrap()), 200);
    assert_eq!(status(&before), 401, "its place is taken");
}

/// Until then it works also after a restart, for programs of older versions.
#[test]
fn the_token_of_all_agents_stays_revoked() {
    let mut hub = start();
    let shared = hub.home().token(Power::Agent).unwrap();
    let status = |hub: &HubProcess| {
        plain_request(hub.url(), shared.reveal(), "GET", "/status", None).unwrap().status
    };
    hub.stop();
    hub.restart();
    assert_eq!(status(&hub), 200);
    let list: Value = serde_json::from_str(&device(&hub, &["list", "--json"]).stdout).unwrap();
    let all = list["devices"].as_array().unwrap();
    let id = all.iter().find(|device| device["name"].as_str().unwrap().starts_with("agents on "));
    assert_eq!(code(&device(&hub, &["revoke", id.unwrap()["id"].as_str().unwrap()])), 0);
    assert_eq!(status(&hub), 401);
    hub.stop();
    hub.restart();
    assert_eq!(status(&hub), 401);
    assert_eq!(hub.home().token(Power::Agent).unwrap().reveal(), shared.reveal(), "none is made");
    assert!(!device(&hub, &["list"]).stdout.contains("agents on "));
}
