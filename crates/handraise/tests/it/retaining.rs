//! Retention: what ended long ago is gone from everywhere, and the log says so and still adds up.

use std::path::Path;
use std::thread;
use std::time::Instant;

use handraise_broker::{
    AskId, Asker, CLI, Draft, Hub, HubError, NewAsk, Power, Query, Receipt, Rejection,
};
use handraise_testkit::{Ended, HubProcess, PATIENCE, Program, answers, new_ask};
use serde_json::{Value, json};

use crate::past::{Past, run};

const SECRET: &str = "The password of the old shop was hunter2.";
const DRAFTED: &str = "I would rather not say.";

/// Asks of long ago in the home of a hub that keeps things for thirty days: one answered, one withdrawn
/// with a draft, and one that is still open.
fn filled(hub: &HubProcess) -> (Vec<AskId>, AskId) {
    hub.home().create().unwrap();
    std::fs::write(hub.home().config(), "person = \"ann\"\n[retention]\ndays = 30\n").unwrap();
    run(async {
        let past = Past::of(&hub.home().database()).await;
        let ask = |key: &str| {
            let directory = Some("/home/ann/old-shop".into());
            let preamble = Some(SECRET.repeat(200));
            let asker = Asker { agent: "test".into(), directory, preamble, ..Asker::default() };
            NewAsk { asker, ..new_ask(Some(key)) }
        };
        let mut ids = vec![];
        for key in ["answered", "withdrawn", "open"] {
            let id = past.agent().ask(ask(key)).await.unwrap().record.id;
            let draft = Draft {
                version: 1,
                answers: serde_json::from_value(json!([{"words": DRAFTED}])).unwrap(),
                message: None,
                input: None,
            };
            past.ann().keep_draft(id, draft).await.unwrap();
            ids.push(id);
        }
        past.ann().reply(ids[0], answers(json!([{"words": SECRET}])), None).await.unwrap();
        past.agent().receipt(ids[0], Receipt::handed(None)).await.unwrap();
        past.agent().withdraw(ids[1], None).await.unwrap();
        past.end().await;
        let open = ids.pop().unwrap();
        (ids, open)
    })
}

fn handraise(hub: &HubProcess, args: &[&str]) -> Ended {
    let ended = Program::run(hub.command().args(args));
    assert!(ended.status.success(), "{args:?}: {}", ended.stderr);
    ended
}

#[test]
fn what_ended_long_ago_is_gone_from_everywhere_and_the_log_adds_up() {
    let mut hub = HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise")));
    let (old, open) = filled(&hub);
    let head = handraise(&hub, &["audit", "verify", "--json"]).stdout;
    let head = serde_json::from_str::<Value>(&head).unwrap()["head"].as_str().unwrap().to_owned();
    hub.restart();
    let young = run(async {
        let (agent, ann) = (hub.client(Power::Agent), hub.client(Power::Person));
        let young = agent.ask(new_ask(Some("young"))).await.unwrap().record.id;
        ann.reply(young, answers(json!([{"selected": ["JWT"]}])), None).await.unwrap();
        let everything = Query { limit: 100, ..Query::default() };
        // The first look is at the start, beside everything else.
        while agent.list(everything.clone()).await.unwrap().len() > 2 {
            tokio::task::yield_now().await;
        }
        for id in &old {
            let gone = agent.get(*id).await;
            assert_eq!(gone, Err(HubError::Rejected(Rejection::NoSuchAsk(*id))));
            let draft = ann.draft(*id).await;
            assert!(!matches!(draft, Ok(Some(_))), "{draft:?}");
        }
        assert!(
            ann.draft(open).await.unwrap().is_some(),
            "what is open is kept, and so is its draft"
        );
        young
    });

    let history = handraise(&hub, &["history", "--json"]).stdout;
    let history: Value = serde_json::from_str(&history).unwrap();
    let ids = |asks: Vec<&Value>| -> Vec<String> {
        asks.iter().map(|ask| ask["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(history["asks"].as_array().unwrap().iter().collect()), [young.to_string()]);
    let exported = handraise(&hub, &["export"]).stdout;
    let exported: Vec<Value> =
        exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(ids(exported.iter().collect()), [open.to_string(), young.to_string()]);
    let decisions = handraise(&hub, &["export", "--format", "decisions"]).stdout;
    assert!(!decisions.contains("old-shop"), "{decisions}");

    // A head from before still fits: places and hashes stay.
    let audit = handraise(&hub, &["audit", "verify", "--head", &head]).stdout;
    assert!(audit.contains(", 2 old asks were dropped by retention"), "{audit}");
    let log = hub.plain(Power::Person, "GET", "/status", None).body;
    assert_eq!(log["open"], 1, "{log}");

    // And it is not in the file any more, not even where nobody looks.
    run(async { hub.agent(CLI).withdraw(open, None).await.unwrap() });
    assert!(hub.stop().status.success());
    std::fs::write(hub.home().config(), "[retention]\ndays = 0\n").unwrap();
    hub.restart();
    run(async {
        let everything = Query { limit: 100, ..Query::default() };
        while hub
            .client(Power::Agent)
            .list(everything.clone())
            .await
            .unwrap()
            .iter()
            .any(|ask| ask.id == open)
        {
            tokio::task::yield_now().await;
        }
    });
    // Also while the hub goes on, which a service does for months.
    let database = hub.home().database();
    let log = database.with_extension("db-wal");
    let can_be_read = |text: &str| {
        [&database, &log].into_iter().any(|file| {
            let bytes = std::fs::read(file).unwrap_or_default();
            bytes.windows(text.len()).any(|bytes| bytes == text.as_bytes())
        })
    };
    let start = Instant::now();
    while let Some(found) = [SECRET, "hunter2", DRAFTED].into_iter().find(|text| can_be_read(text))
    {
        assert!(start.elapsed() < PATIENCE, "what was dropped can be read in the file: {found}");
        thread::yield_now();
    }
    assert!(hub.stop().status.success());
    handraise(&hub, &["audit", "verify", "--head", &head]);
}
