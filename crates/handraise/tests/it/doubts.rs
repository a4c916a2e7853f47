//! What only an agent's own dialog takes an answer to, and answers that nobody gave.

use std::sync::Arc;

use handraise_broker::{
    AnswerIn, AskId, Asker, Doubt, DoubtKind, Hub, NewAsk, Policy, Receipt, Record,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::asking::database;
use crate::http::Call;
use crate::hub_at_work::{HubAtWork, new_ask};
use crate::shell::Shell;
use crate::socket::Socket;
use crate::watched_hub::WatchedHub;

const REFUSED: &str = "this session cannot be answered from here: answer in its own terminal";

/// An ask of the API that only its own dialog takes an answer to.
fn in_its_dialog(hub: &WatchedHub) -> String {
    let ask = json!({"asker": {"agent": "tester"}, "questions": database()["questions"],
                     "policy": {"answerIn": "dialog"}});
    let asked = hub.call(&Call::post("/api/v1/asks").token(&hub.agent).json(&ask));
    assert_eq!((asked.status, &asked.json()["policy"]["answerIn"]), (201, &json!("dialog")));
    asked.json()["id"].as_str().unwrap().to_owned()
}

/// An ask of the API beside which the agent shows its own dialog.
fn beside_a_dialog(hub: &WatchedHub) -> String {
    let ask = json!({"asker": {"agent": "tester"}, "questions": database()["questions"],
                     "rivalDialog": true});
    let asked = hub.call(&Call::post("/api/v1/asks").token(&hub.agent).json(&ask));
    assert_eq!((asked.status, &asked.json()["rivalDialog"]), (201, &json!(true)));
    asked.json()["id"].as_str().unwrap().to_owned()
}

fn sqlite() -> Value {
    json!({"kind": "answered", "answers": [{"selected": ["SQLite"]}]})
}

fn receipt(hub: &WatchedHub, id: &str, receipt: &Value) -> crate::http::Answer {
    let path = format!("/api/v1/asks/{id}/receipt");
    hub.call(&Call::post(&path).token(&hub.agent).json(receipt))
}

#[test]
fn what_only_its_own_dialog_answers_is_refused_in_words_and_ends_there() {
    let hub = WatchedHub::start();
    let id = in_its_dialog(&hub);
    let head = hub.look(&id)["seq"].clone();
    for (verb, body) in [
        ("answer", json!({"answers": [{"selected": ["SQLite"]}]})),
        ("answer", json!({"answers": []})),
        ("decline", json!({})),
        ("discuss", json!({"words": "why?"})),
    ] {
        let path = format!("/api/v1/asks/{id}/{verb}");
        let refused = hub.call(&Call::post(&path).token(&hub.person).json(&body));
        assert_eq!(refused.problem(), (409, "only_in_dialog".into()), "{verb}");
        assert_eq!(refused.json()["title"], REFUSED);
    }
    assert_eq!(hub.look(&id)["seq"], head, "a refusal changes nothing");
    let status = hub.call(&Call::get("/api/v1/status").token(&hub.agent)).json();
    assert_eq!(status["open"], 1, "it waits like any other");
    let taken = receipt(&hub, &id, &json!({"level": "handed", "took": sqlite()}));
    assert_eq!(taken.json()["resolution"]["responder"]["surface"], "dialog");
    let path = format!("/api/v1/asks/{id}/decline");
    let late = hub.call(&Call::post(&path).token(&hub.person).json(&json!({})));
    assert_eq!(late.problem(), (409, "already_resolved".into()));
    hub.end();
}

#[test]
fn where_an_ask_can_be_answered_is_one_of_two_words() {
    let hub = WatchedHub::start();
    for wrong in [json!("nowhere"), json!(null), json!(["dialog"]), json!({"dialog": null})] {
        let ask = json!({"asker": {"agent": "tester"}, "questions": database()["questions"],
                         "policy": {"answerIn": wrong}});
        let refused = hub.call(&Call::post("/api/v1/asks").token(&hub.agent).json(&ask));
        assert_eq!(refused.problem(), (422, "invalid".into()), "{wrong}");
    }
    let usual = hub.ask();
    assert_eq!(hub.look(&usual)["policy"]["answerIn"], "anywhere");
    hub.end();
}

#[test]
fn an_answer_nobody_gave_is_told_to_all_and_found_in_history() {
    let hub = WatchedHub::start();
    let sound = beside_a_dialog(&hub);
    receipt(&hub, &sound, &json!({"level": "seen", "took": sqlite()}));
    let id = beside_a_dialog(&hub);
    let mut socket = Socket::follow(&hub, &hub.person, None).unwrap().live();
    let doubt = json!({"kind": "too_fast", "why": "It came after 0.2 s."});
    let body = json!({"level": "seen", "text": "SQLite", "took": sqlite(), "doubt": doubt});
    let said = receipt(&hub, &id, &body);
    assert_eq!((said.status, &said.json()["delivery"]["doubt"]), (200, &doubt));
    assert_eq!(said.json()["resolution"]["responder"], Value::Null, "nobody is named");
    assert_eq!(socket.frame()["name"], "ask.resolved");
    let told = socket.frame();
    assert_eq!(
        (&told["name"], &told["ask"]["delivery"]["doubt"]),
        (&json!("ask.delivered"), &doubt)
    );

    let found = |query: &str| {
        let path = format!("/api/v1/history{query}");
        let page = hub.call(&Call::get(&path).token(&hub.person)).json();
        let asks = page["asks"].as_array().unwrap().iter();
        asks.map(|ask| ask["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found("?doubted=true"), std::slice::from_ref(&id));
    assert_eq!(found("?doubted=true&project=nosuch"), Vec::<String>::new());
    for all in ["", "?doubted=false"] {
        assert_eq!(found(all), [id.clone(), sound.clone()]);
    }
    let odd = hub.call(&Call::get("/api/v1/history?doubted=perhaps").token(&hub.person));
    assert_eq!(odd.status, 422, "{odd:?}");
    hub.end();
}

#[test]
fn a_doubt_says_why_in_so_many_characters_and_no_more() {
    let hub = WatchedHub::start();
    let id = beside_a_dialog(&hub);
    let body = |why: &str| {
        json!({"level": "seen", "took": sqlite(),
                                  "doubt": {"kind": "empty", "why": why}})
    };
    for why in ["", " ", "\u{1b}[2J", &"ä".repeat(2_001)] {
        let refused = receipt(&hub, &id, &body(why));
        assert_eq!(refused.problem(), (422, "invalid".into()));
        assert_eq!(refused.json()["violations"][0]["path"], "doubt.why");
    }
    assert_eq!(hub.look(&id)["state"], "open");
    assert_eq!(receipt(&hub, &id, &body(&"ä".repeat(2_000))).status, 200);
    hub.end();
}

/// A hub, an agent and a shell.
struct Scene {
    hub: HubAtWork,
    shell: Shell,
    runtime: Runtime,
}

impl Scene {
    fn new() -> Self {
        let hub = HubAtWork::start();
        let shell = Shell::at(&hub.data());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { hub, shell, runtime }
    }

    fn ask(&self, new: NewAsk) -> Arc<Record> {
        let new = NewAsk { rival_dialog: true, ..new };
        self.runtime.block_on(self.hub.agent().ask(new)).unwrap().record
    }

    fn doubt(&self, id: AskId, took: Value, why: &str) {
        let doubt = Doubt { kind: DoubtKind::TimedOut, why: why.into() };
        let receipt = Receipt::seen(None).taking(took).doubted(doubt);
        self.runtime.block_on(self.hub.agent().receipt(id, receipt)).unwrap();
    }
}

#[test]
fn the_commands_say_where_to_answer_and_send_nothing() {
    let scene = Scene::new();
    let asker = Asker {
        directory: Some("/src/shop".into()),
        host: Some("build\u{1b}[2J-7".into()),
        ..new_ask(&database()).asker
    };
    let policy = Policy { answer_in: AnswerIn::Dialog, ..Policy::default() };
    let ask = scene.ask(NewAsk { asker, policy, ..new_ask(&database()) });
    let listed = scene.shell.run("handraise list").stdout;
    assert!(listed.contains("(answer in its own terminal) Which database"), "{listed}");
    for command in ["answer ID --choose SQLite", "answer ID", "decline ID", "discuss ID 'why?'"] {
        let said =
            scene.shell.run(&format!("handraise {}", command.replace("ID", &ask.id.to_string())));
        assert_eq!(said.code, 2, "{command}: {}", said.stderr);
        assert!(said.stderr.contains(REFUSED), "{command}: {}", said.stderr);
        assert!(said.stderr.contains("it works in /src/shop on build"), "{}", said.stderr);
        assert!(!said.stderr.contains('\u{1b}'));
    }
    assert!(scene.runtime.block_on(scene.hub.agent().get(ask.id)).unwrap().is_open());
}

#[test]
fn history_and_status_name_answers_that_nobody_gave() {
    let scene = Scene::new();
    let quiet = scene.shell.run("handraise status").stdout;
    assert!(!quiet.contains("alarms"), "{quiet}");
    assert_eq!(scene.shell.run("handraise history --doubted").stdout, "Nothing like that.\n");
    let [sound, doubted] = [(); 2].map(|()| scene.ask(new_ask(&database())).id);
    let said = scene.shell.run(&format!("handraise answer {sound} --choose MongoDB"));
    assert_eq!(said.code, 0, "{}", said.stderr);
    scene.doubt(doubted, sqlite(), "Claude Code waited for 60 s and went on.");
    let mark =
        "nobody gave this answer: Claude Code waited for 60 s and went on. ✔ Database: SQLite";
    for (options, rows) in [("", 2), ("--doubted", 1)] {
        let said = scene.shell.run(&format!("handraise history {options}")).stdout;
        assert_eq!((said.lines().count(), said.matches(mark).count()), (rows + 1, 1), "{said}");
    }
    let json = scene.shell.run("handraise history --doubted --json").stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["asks"][0]["id"], json!(doubted));
    assert_eq!(json["asks"][0]["delivery"]["doubt"]["kind"], "timed_out");
    let status = scene.shell.run("handraise status").stdout;
    assert!(status.contains("alarms   1 in the last day"), "{status}");
}
