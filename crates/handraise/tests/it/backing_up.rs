//! `handraise backup`: a copy of a hub at work, with all that was acknowledged before it was begun.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use handraise_broker::{AskId, AskStore, BUILT_IN, Hub, Query, State};
use handraise_client::RemoteHub;
use handraise_store_sqlite::SqliteStore;
use handraise_testkit::{Ended, HubProcess, Program, answers, new_ask};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::Notify;

use crate::hub_at_work::HubAtWork;
use crate::past::run;
use crate::shell::Shell;
use crate::watched_hub::handraise;

const CLIENTS: usize = 12;

/// Asks and answers that go on until this is stopped.
struct Load {
    runtime: Runtime,
    over: Arc<AtomicBool>,
    answered: Arc<Mutex<Vec<AskId>>>,
    more: Arc<Notify>,
}

impl Load {
    fn on(hub: &HubAtWork) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let load =
            Self { runtime, over: Arc::default(), answered: Arc::default(), more: Arc::default() };
        for client in 0..CLIENTS {
            let (agent, ann) = (hub.agent(), hub.person());
            let (over, answered) = (load.over.clone(), load.answered.clone());
            let more = load.more.clone();
            load.runtime.spawn(async move {
                let mut turn = 0;
                while !over.load(Ordering::Relaxed) {
                    let Some(id) = exchange(&agent, &ann, client, turn).await else { return };
                    answered.lock().unwrap().push(id);
                    more.notify_waiters();
                    turn += 1;
                }
            });
        }
        load
    }

    /// What was acknowledged by now.
    fn answered(&self) -> Vec<AskId> {
        self.answered.lock().unwrap().clone()
    }

    /// Waits until so many more were answered.
    fn go_on(&self, more: usize) {
        let enough = self.answered().len() + more;
        self.runtime.block_on(async {
            while self.answered.lock().unwrap().len() < enough {
                self.more.notified().await;
            }
        });
    }

    fn stop(self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// One ask and its answer; `None` when the hub is gone.
async fn exchange(agent: &RemoteHub, ann: &RemoteHub, client: usize, turn: usize) -> Option<AskId> {
    let key = format!("{client}/{turn}");
    let mut new = new_ask(Some(&key));
    new.asker.preamble = Some("I thought about it. ".repeat(turn % 200));
    let id = agent.ask(new).await.ok()?.record.id;
    ann.reply(id, answers(json!([{"words": key}])), None).await.ok()?;
    Some(id)
}

fn verify(hub: &HubProcess, file: &Path, head: &str) -> Ended {
    let mut command = hub.command();
    Program::run(command.args(["audit", "verify", "--head", head, "--file"]).arg(file))
}

/// Which of these asks the file does not have with an answer.
fn missing(file: &Path, ids: &[AskId]) -> usize {
    run(async {
        let store = SqliteStore::open_to_read(file).unwrap();
        let mut found = 0;
        for page in ids.chunks(500) {
            let records = store.load(page).await.unwrap();
            found += records.iter().filter(|record| record.resolved().is_some()).count();
        }
        store.close().await;
        ids.len() - found
    })
}

#[test]
fn a_backup_taken_under_load_holds_what_was_acknowledged_and_a_hub_runs_on_it() {
    let mut hub = HubAtWork::with_config("[limits]\nrequests_per_second = 100000");
    let shell = Shell::at(&hub.data());
    let load = Load::on(&hub);
    let mut backups: Vec<(PathBuf, String, Vec<AskId>)> = vec![];
    for number in 0..4 {
        load.go_on(150);
        let before = load.answered();
        let said = shell.run(&format!("handraise backup {number}.db --json"));
        assert_eq!(said.code, 0, "{}", said.stderr);
        let printed: Value = serde_json::from_str(&said.stdout).unwrap();
        let head = printed["head"].as_str().unwrap().to_owned();
        let file = shell.directory().join(format!("{number}.db"));
        assert_eq!(printed["file"], file.to_str().unwrap());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(missing(&file, &before), 0, "of {} acknowledged", before.len());
        backups.push((file, head, before));
    }
    load.go_on(50);
    let last = load.answered();
    let refused = shell.run("handraise restore 2.db");
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("a hub is already running"), "{}", refused.stderr);
    assert!(refused.stderr.contains("stop it first"), "{}", refused.stderr);
    load.stop();
    hub.kill();

    for (file, head, _) in &backups {
        let ended = verify(hub.process(), file, head);
        assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    }
    let (file, head, acknowledged) = &backups[2];
    let said = shell.run(&format!("handraise restore {} --head {head} --json", file.display()));
    assert_eq!(said.code, 0, "{}", said.stderr);
    let printed: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(printed["head"], head.as_str());
    let aside = PathBuf::from(printed["before"].as_str().unwrap());
    assert_eq!(
        missing(&aside, &last),
        0,
        "what was there is kept, with what a killed hub had in hand"
    );
    assert_eq!(verify(hub.process(), &aside, &backups[3].1).status.code(), Some(0));
    let database = hub.process().home().database();
    assert_eq!(verify(hub.process(), &database, head).status.code(), Some(0));

    hub.restart();
    assert_eq!(verify(hub.process(), &database, head).status.code(), Some(0));
    run(async {
        let (agent, ann) = (hub.agent(), hub.person());
        for id in acknowledged {
            assert!(agent.get(*id).await.unwrap().resolved().is_some());
        }
        // It goes on from there, also with what was half done.
        let open = Query { states: vec![State::Open], limit: 500, ..Query::default() };
        for record in agent.list(open).await.unwrap() {
            ann.reply(record.id, answers(json!([{"selected": ["JWT"]}])), None).await.unwrap();
        }
        exchange(&agent, &ann, CLIENTS, 0).await.unwrap();
    });
    assert_eq!(verify(hub.process(), &database, head).status.code(), Some(0));
}

#[test]
fn a_file_that_is_there_stays_and_nothing_half_done_is_left() {
    let hub = HubAtWork::start();
    run(async { hub.agent().ask(new_ask(None)).await.unwrap() });
    let shell = Shell::at(&hub.data());
    fs::write(shell.directory().join("mine.db"), "mine").unwrap();
    let database = hub.process().home().database();
    let database = database.display();
    for (arguments, problem) in [
        ("mine.db".to_owned(), "is there already"),
        ("none/x.db".to_owned(), "there is no directory"),
        (".".to_owned(), "is a directory"),
        (format!("--force {database}"), "is the database itself"),
        (format!("--force {database}-wal"), "is the database itself"),
        ("--database sqlite:/nowhere/x.db y.db".to_owned(), "there is no database at"),
    ] {
        let said = shell.run(&format!("handraise backup {arguments}"));
        assert_eq!(said.code, 2, "{arguments}: {}", said.stderr);
        assert!(said.stderr.contains(problem), "{arguments}: {}", said.stderr);
    }
    assert_eq!(fs::read(shell.directory().join("mine.db")).unwrap(), b"mine");
    let said = shell.run("handraise backup --force mine.db");
    assert_eq!(said.code, 0, "{}", said.stderr);
    // The ask, the person, the agents, and the token that all agents shared.
    let events = BUILT_IN.len() + 3;
    let whole = format!("✔ {events} events add up\n  head {events}:");
    assert!(said.stdout.starts_with(&whole), "{}", said.stdout);
    let hidden = fs::read_dir(shell.directory()).unwrap().map(|entry| entry.unwrap().file_name());
    let hidden: Vec<_> = hidden.filter(|name| name.to_string_lossy().contains("backup")).collect();
    assert_eq!(hidden, [""; 0]);
}

#[test]
fn what_a_hub_keeps_elsewhere_is_not_sought_in_its_home() {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path().join("home");
    let own = format!("sqlite:{}", directory.path().join("own.db").display());
    let at = |args: &[&str]| {
        let mut command = handraise(&home);
        command.args(args).current_dir(directory.path());
        command
    };
    let serve = ["serve", "--json", "--listen", "127.0.0.1:0"];
    // What it left in the home when it still kept it there.
    let before = Program::spawn(&mut at(&serve), "");
    before.first_line().unwrap();
    assert!(!before.kill().status.success());
    let hub = Program::spawn(&mut at(&[&serve[..], &["--database", &own]].concat()), "");
    hub.first_line().unwrap();
    for args in [&["backup", "x.db"][..], &["export"], &["audit", "verify"]] {
        let refused = Program::run(&mut at(args));
        assert_eq!(refused.status.code(), Some(2), "{args:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("keeps its database elsewhere"), "{}", refused.stderr);
    }
    for args in [&["backup", "--database", &own, "x.db"][..], &["export", "--file", "own.db"]] {
        let done = Program::run(&mut at(args));
        assert_eq!(done.status.code(), Some(0), "{args:?}: {}", done.stderr);
    }
}
