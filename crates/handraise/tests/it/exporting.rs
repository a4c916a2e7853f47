//! `handraise export`: every ask as one line, as it was asked and answered, byte for byte.

use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use handraise_broker::{
    AskId, Asker, Hub, Matter, NewAsk, Policy, Power, Query, Receipt, Record, Reply, Seat, State,
};
use handraise_testkit::{Ended, HubProcess, Program, answers, approval, new_ask, questions};
use handraise_wire::v1::AskResponse;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::task::JoinSet;

use crate::past::{Past, run};

const ASKS: usize = 10_000;

/// What agents send, as bytes that a careless reader or writer would change.
fn hostile(number: usize) -> Matter {
    let long = "word".repeat(if number.is_multiple_of(5) { 2500 } else { 5 });
    let texts = [
        r#"[{"question":"Which \"auth\"?","options":[{"label":"a, \"b\""},{"label":"c"}]}]"#.into(),
        "[\n  {\n\t\"options\": [ {\"label\":\"a\"} ],\r\n  \"question\" : \"line\\nline\"  }\n]\n".into(),
        "[{\"question\":\"\u{2028}\u{2029}\u{202e}עברית\u{85}\u{7f}\",\"options\":[{\"label\":\"\u{feff}x\"}]}]".into(),
        r#"[{"z":1,"question":"\u0041\ud83d\ude4b \/ 🙋","a":{"y":2,"x":[1,1.0,1e2]},"options":[{"label":"ü"}]}]"#.into(),
        r#"[{"big":123456789012345678901234567890,"exp":1E+400,"neg":-0.0,"question":"n?","options":[{"label":"1"}]}]"#.into(),
        format!(r#"[{{"question":"{long}","options":[{{"label":"l","description":"d"}}]}}]"#),
    ];
    let approvals = [
        "{\"tool\":\"Bash\",\n\"input\":{\"command\":\"echo \\\"x\\\"\\n\",\"n\":1e999},\"plan\":\"# a\\n\"}",
        r#"{"input":{"z":0,"a":[{}]},"suggestions":[{"b":1,"a":2}],"tool":"Edit\u0000<b>"}"#,
    ];
    match number % (texts.len() + approvals.len()) {
        at if at < texts.len() => questions(&texts[at]),
        at => approval(approvals[at - texts.len()]),
    }
}

fn asker(number: usize) -> Asker {
    Asker {
        agent: if number.is_multiple_of(3) { "claude-code" } else { "other" }.into(),
        session: Some(format!("s \"{number}\"\n")),
        directory: Some(format!("/home/ann/project {}", number % 5)),
        title: number.is_multiple_of(2).then(|| "a\u{2028}title".into()),
        preamble: Some("I thought:\n\n\"x\"\t\u{1b}[31m".into()),
        ..Asker::default()
    }
}

/// Asks, and brings it as far as its number says.
async fn live(agent: Seat, ann: Seat, number: usize) -> (AskId, Matter) {
    let matter = hostile(number);
    let key = Some(format!("key, {number}"));
    let new = NewAsk {
        asker: asker(number),
        key,
        matter: matter.clone(),
        policy: Policy::default(),
        rival_dialog: number.is_multiple_of(2),
        deliverer: None,
    };
    let id = agent.ask(new).await.unwrap().record.id;
    let words = "own \"words\", \u{2028}\n\t🙋 ".repeat(1 + number % 40);
    let reply = match (number % 7, &matter) {
        (0, _) => return (id, matter),
        (1, _) => {
            agent.withdraw(id, Some(words)).await.unwrap();
            return (id, matter);
        }
        (2, _) => Reply::Decline(Some(words)),
        (3, _) => Reply::Discuss(words),
        (_, Matter::Questions(_)) => answers(json!([{"words": words, "notes": "n\nn"}])),
        (_, Matter::Approval(_)) => Reply::Decide(
            serde_json::from_value(json!({"decision": "allow", "input": {"z": 1.5, "a": [words]}}))
                .unwrap(),
        ),
    };
    ann.reply(id, reply, None).await.unwrap();
    if number % 7 > 4 {
        agent.receipt(id, Receipt::seen(Some("what it \"read\"\n".into()))).await.unwrap();
    }
    if number % 7 == 6 {
        let took = json!({"kind": "declined", "reason": "in \"the\" dialog\n"});
        agent.receipt(id, Receipt::seen(None).taking(took)).await.unwrap();
    }
    (id, matter)
}

/// Fills the home of a hub; returns what was asked.
fn fill(hub: &HubProcess, asks: usize) -> HashMap<AskId, Matter> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let past = Past::of(&hub.home().database()).await;
        let mut lives = JoinSet::new();
        for number in 0..asks {
            lives.spawn(live(past.agent(), past.ann(), number));
        }
        let asked = lives.join_all().await.into_iter().collect();
        past.end().await;
        asked
    })
}

fn prepared() -> HubProcess {
    HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise")))
}

fn export(hub: &HubProcess, args: &[&str]) -> Ended {
    Program::run(hub.command().arg("export").args(args))
}

/// What a line has beside the form of the API.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Exact {
    as_sent: Option<String>,
}

/// A line read back, as somebody else would.
fn read(line: &str) -> Arc<Record> {
    let mut ask: AskResponse = serde_json::from_str(line).unwrap();
    let Exact { as_sent } = serde_json::from_str(line).unwrap();
    if let Some(as_sent) = as_sent {
        let raw = Some(RawValue::from_string(as_sent).unwrap());
        *if ask.questions.is_some() { &mut ask.questions } else { &mut ask.approval } = raw;
    }
    ask.try_into().unwrap()
}

/// Every ask, as the hub has it.
fn listed(hub: &HubProcess) -> Vec<Arc<Record>> {
    run(async {
        let client = hub.client(Power::Agent);
        let mut all: Vec<Arc<Record>> = vec![];
        loop {
            let after = all.last().map(|record| record.id);
            let page = client.list(Query { after, limit: 500, ..Query::default() }).await.unwrap();
            if page.is_empty() {
                return all;
            }
            all.extend(page);
        }
    })
}

#[test]
fn ten_thousand_asks_are_read_back_equal() {
    let mut hub = prepared();
    let asked = fill(&hub, ASKS);
    hub.restart();
    let file = hub.directory().join("asks.jsonl");
    let ended = export(&hub, &["-o", file.to_str().unwrap()]);
    assert_eq!((ended.status.code(), ended.stdout.as_str()), (Some(0), ""), "{}", ended.stderr);
    assert!(ended.stderr.contains("10000 asks written to"), "{}", ended.stderr);

    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.ends_with('\n') && !text.contains('\r'));
    let exported: Vec<_> = text.split_terminator('\n').map(read).collect();
    let listed = listed(&hub);
    assert_eq!((exported.len(), listed.len()), (ASKS, ASKS));
    for (exported, listed) in exported.iter().zip(&listed) {
        assert_eq!(exported, listed);
        assert_eq!(exported.matter(), &asked[&exported.id], "byte for byte");
    }
    assert!(exported.is_sorted_by_key(|record| record.id), "the oldest first");
    for state in [State::Open, State::Resolved, State::Delivered, State::Overruled] {
        let found = exported.iter().filter(|record| record.state() == state).count();
        assert!(found > 1000, "{state:?}: {found}");
    }

    // Without a hub it is the same to the byte.
    assert!(hub.stop().status.success());
    let again = hub.directory().join("again.jsonl");
    let ended = export(&hub, &["-o", again.to_str().unwrap()]);
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    assert!(std::fs::read_to_string(&again).unwrap() == text, "it depends on the hub");
}

/// The asks that an export holds, by their places in the order they were asked.
fn numbers(ended: &Ended) -> Vec<String> {
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    let key = |line| read(line).opened.key.clone().unwrap();
    ended.stdout.split_terminator('\n').map(key).collect()
}

#[test]
fn only_what_is_wanted_is_exported() {
    let hub = prepared();
    run(async {
        let past = Past::of(&hub.home().database()).await;
        for (key, agent, directory) in
            [("a", "claude-code", "/x/Shop"), ("b", "codex", "/x/shop/api"), ("c", "codex", "/y")]
        {
            let asker = Asker {
                agent: agent.into(),
                directory: Some(directory.into()),
                ..Asker::default()
            };
            let id =
                past.agent().ask(NewAsk { asker, ..new_ask(Some(key)) }).await.unwrap().record.id;
            match key {
                "a" => {
                    past.ann().reply(id, answers(json!([{"words": "Keks"}])), None).await.map(drop)
                }
                "b" => past.ann().reply(id, Reply::Decline(None), None).await.map(drop),
                _ => Ok(()),
            }
            .unwrap();
            past.world.pass(std::time::Duration::from_hours(24));
        }
        past.end().await;
    });
    // The world began on 2025-06-15 at 15:06:40 UTC.
    for (args, found) in [
        (&[][..], &["a", "b", "c"][..]),
        (&["--project", "SHOP"], &["a", "b"]),
        (&["--agent", "codex"], &["b", "c"]),
        (&["--kind", "declined"], &["b"]),
        (&["--text", "keks"], &["a"]),
        (&["--person", "ann"], &["a", "b"]),
        (&["--ended"], &["a", "b"]),
        (&["--since", "2025-06-16"], &["b", "c"]),
        (&["--until", "2025-06-16"], &["a", "b"]),
        (&["--since", "2025-06-15T15:06:41Z", "--until", "2025-06-16"], &["b"]),
        (&["--since", "30d"], &[]),
        (&["--since", "400000d"], &["a", "b", "c"]),
        (&["--since", "9999 weeks"], &["a", "b", "c"]),
        (&["--until", "30d", "--agent", "claude-code"], &["a"]),
    ] {
        assert_eq!(numbers(&export(&hub, args)), found, "{args:?}");
    }
    for wrong in
        [&["--since", "soon"][..], &["--kind", "maybe"], &["--force"], &["--format", "xml"]]
    {
        assert_eq!(export(&hub, wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn a_file_is_written_whole_for_its_owner_and_not_replaced_unasked() {
    let hub = prepared();
    fill(&hub, 20);
    let file = hub.directory().join("asks.jsonl");
    let name = file.to_str().unwrap();
    assert_eq!(export(&hub, &["-o", name]).status.code(), Some(0));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::write(&file, "mine").unwrap();
    let refused = export(&hub, &["-o", name]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stderr.contains("is there already"), "{}", refused.stderr);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(export(&hub, &["-o", name, "--force"]).status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 20);
    std::fs::create_dir(hub.directory().join("there")).unwrap();
    for directory in ["there", "there/", "not-there/"] {
        let directory = hub.directory().join(directory);
        let refused = export(&hub, &["-o", directory.to_str().unwrap()]);
        assert_eq!(refused.status.code(), Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains("JSON Lines go into one file"), "{}", refused.stderr);
        let hint = format!("hint: write -o {}", directory.join("asks.jsonl").display());
        assert!(refused.stderr.contains(&hint), "{}", refused.stderr);
    }
    std::fs::remove_dir(hub.directory().join("there")).unwrap();
    let own = hub.home().directory().join("config.toml");
    let refused = export(&hub, &["--force", "-o", own.to_str().unwrap()]);
    assert!(refused.stderr.contains("one of the hub's own files"), "{}", refused.stderr);
    let nowhere = hub.directory().join("none/asks.jsonl");
    assert_eq!(export(&hub, &["-o", nowhere.to_str().unwrap()]).status.code(), Some(2));
    let left: Vec<PathBuf> =
        std::fs::read_dir(hub.directory()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left.len(), 2, "nothing else is left behind: {left:?}");

    let empty = prepared();
    let nothing = export(&empty, &[]);
    assert_eq!(nothing.status.code(), Some(2), "{}", nothing.stderr);
    assert!(nothing.stderr.contains("there is no log at"), "{}", nothing.stderr);

    // A backup is no home.
    let mut command = Program::command(env!("CARGO_BIN_EXE_handraise"), empty.directory());
    let ended = Program::run(command.arg("--data").arg(hub.home().database()).arg("export"));
    assert_eq!(ended.status.code(), Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("name it with --file "), "{}", ended.stderr);
}

#[test]
fn whoever_has_read_enough_may_close_the_pipe() {
    let hub = prepared();
    fill(&hub, 400);
    let mut command: Command = hub.command();
    let mut child =
        command.arg("export").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!((ended.status.code(), said.as_str()), (Some(0), ""));
}

#[test]
fn drafts_tokens_and_devices_are_in_no_export() {
    let mut hub = prepared();
    hub.restart();
    let id = run(async {
        let id = hub.client(Power::Agent).ask(new_ask(Some("k"))).await.unwrap().record.id;
        let other = hub.client(Power::Agent).ask(new_ask(Some("l"))).await.unwrap().record.id;
        let ann = hub.client(Power::Person);
        ann.reply(other, answers(json!([{"selected": ["JWT"]}])), None).await.unwrap();
        id
    });
    let draft = json!({"version": 1, "answers": [{"words": "half a thought"}]});
    let path = format!("/asks/{id}/draft");
    assert_eq!(hub.plain(Power::Person, "PUT", &path, Some(&draft)).status, 204);
    for format in ["jsonl", "decisions"] {
        let ended = export(&hub, &["--format", format]);
        assert!(ended.stdout.contains("Which auth?"), "{}", ended.stderr);
        assert!(!ended.stdout.contains("half a thought"));
        for power in [Power::Agent, Power::Person] {
            let token = hub.home().token(power).unwrap();
            assert!(!ended.stdout.contains(token.reveal()));
        }
    }
}
