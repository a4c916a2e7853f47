//! `handraise restore`: a backup takes the place of a database, or nothing changes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use handraise_broker::{AskId, Hub, HubError, News, Power, Rejection};
use handraise_testkit::{HubProcess, Program, answers, new_ask, plain_request};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use crate::hub_at_work::HubAtWork;
use crate::past::run;
use crate::shell::Shell;

fn ask(hub: &HubAtWork) -> AskId {
    run(async {
        let id = hub.agent().ask(new_ask(None)).await.unwrap().record.id;
        let jwt = answers(json!([{"selected": ["JWT"]}]));
        hub.person().reply(id, jwt, None).await.unwrap();
        id
    })
}

fn good(shell: &Shell, line: &str) -> Value {
    let said = shell.run(line);
    assert_eq!(said.code, 0, "{line}: {}", said.stderr);
    serde_json::from_str(&said.stdout).unwrap_or_default()
}

/// The files of a directory, with what is in them.
fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_file())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn on_another_machine_a_hub_starts_with_tokens_of_its_own() {
    let hub = HubAtWork::start();
    let id = ask(&hub);
    let shell = Shell::at(&hub.data());
    good(&shell, "handraise backup b.db");

    let mut other = HubProcess::prepare(Path::new(env!("CARGO_BIN_EXE_handraise")));
    let data = other.home().directory().display().to_string();
    let printed = good(&shell, &format!("handraise restore --data {data} b.db --json"));
    assert_eq!(printed["before"], Value::Null);
    assert_eq!(names(other.home().directory()), ["handraise.db", "handraise.db-lock", "hub.lock"]);
    let mode = fs::metadata(other.home().database()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    other.restart();
    run(async {
        assert!(other.client(Power::Agent).get(id).await.unwrap().resolved().is_some());
        let id = other.client(Power::Agent).ask(new_ask(None)).await.unwrap().record.id;
        let no = handraise_broker::Reply::Decline(None);
        other.client(Power::Person).reply(id, no, None).await.unwrap();
    });
    let mut audit = other.command();
    assert!(Program::run(audit.args(["audit", "verify"])).status.success());
}

#[test]
fn what_a_killed_hub_left_behind_is_kept_and_not_mixed_in() {
    let mut hub = HubAtWork::start();
    let shell = Shell::at(&hub.data());
    let kept = ask(&hub);
    good(&shell, "handraise backup b.db");
    let cursor = {
        let lost = ask(&hub);
        run(async { hub.agent().get(lost).await.unwrap().seq })
    };
    hub.kill();
    let home = hub.process().home().clone();
    assert!(names(home.directory()).contains(&"handraise.db-wal".to_owned()));
    // As if a restore had been killed, too.
    fs::write(home.directory().join("handraise.db-restoring"), "half").unwrap();
    fs::write(home.directory().join("handraise.db-restoring-wal"), "half").unwrap();

    let printed = good(&shell, "handraise restore b.db --json");
    let aside = printed["before"].as_str().unwrap();
    let found = names(home.directory());
    for end in ["-wal", "-shm", "-journal", "-restoring", "-restoring-wal"] {
        assert!(!found.contains(&format!("handraise.db{end}")), "{found:?}");
    }
    let mut audit = hub.process().command();
    let ended = Program::run(audit.args(["audit", "verify", "--json", "--file", aside]));
    let verified: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert!(verified["events"].as_u64().unwrap() >= cursor, "{verified}");

    hub.restart();
    run(async {
        assert!(hub.agent().get(kept).await.is_ok());
        // Whoever was further than the log is now has to look anew.
        let mut feed = hub.agent().follow(Some(cursor)).await.unwrap();
        let News::Reset(head) = feed.next().await.unwrap() else { panic!("no reset") };
        assert!(head < cursor);
    });
    // And once more, with another name for what was there.
    hub.kill();
    let again = good(&shell, "handraise restore b.db --json");
    assert_ne!(again["before"].as_str().unwrap(), aside);
    hub.restart();
    assert!(run(async { hub.agent().get(kept).await }).is_ok());
}

#[test]
fn whoever_was_shut_out_since_stays_out() {
    let mut hub = HubAtWork::start();
    let shell = Shell::at(&hub.data());
    let phone = good(&shell, "handraise device add phone --json");
    let tablet = good(&shell, "handraise device add tablet --json");
    good(&shell, "handraise backup b.db");
    let id = phone["device"]["id"].as_str().unwrap();
    good(&shell, &format!("handraise device revoke {id} --json"));
    hub.kill();
    let printed = good(&shell, "handraise restore b.db --json");
    assert_eq!(printed["revoked"], 1);
    hub.restart();
    let status = |device: &Value| {
        let token = device["token"].as_str().unwrap();
        plain_request(hub.process().url(), token, "GET", "/status", None).unwrap().status
    };
    assert_eq!((status(&phone), status(&tablet)), (401, 200));
    let mut audit = hub.process().command();
    assert!(Program::run(audit.args(["audit", "verify"])).status.success());
}

#[test]
fn what_is_no_sound_backup_changes_nothing() {
    let mut hub = HubAtWork::start();
    let kept = ask(&hub);
    let shell = Shell::at(&hub.data());
    let printed = good(&shell, "handraise backup good.db --json");
    assert!(hub.process_mut().stop().status.success());
    let bytes = fs::read(shell.directory().join("good.db")).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(shell.directory().join(name), bytes).unwrap();
    write("empty.db", b"");
    write("text.db", b"not a database at all, but long enough to be looked at");
    write("half.db", &bytes[..bytes.len() / 2]);
    let place = bytes.windows(11).position(|found| found == b"Which auth?").unwrap();
    let mut flipped = bytes.clone();
    flipped[place] ^= 1;
    write("flipped.db", &flipped);
    let before = files(hub.process().home().directory());
    let head = printed["head"].as_str().unwrap();
    let (seq, hash) = head.split_once(':').unwrap();
    let later = format!("{}:{hash}", seq.parse::<u64>().unwrap() + 1);
    for (backup, code, problem) in [
        ("none.db", 2, "there is no backup at"),
        ("empty.db", 1, "there is nothing in it yet"),
        ("text.db", 1, "this is no SQLite file"),
        ("half.db", 1, "damaged"),
        ("flipped.db", 1, "does not add up"),
        (&format!("good.db --head {later}"), 1, "does not add up"),
    ] {
        let said = shell.run(&format!("handraise restore {backup}"));
        assert_eq!(said.code, code, "{backup}: {}", said.stderr);
        assert!(said.stderr.contains(problem), "{backup}: {}", said.stderr);
        assert_eq!(files(hub.process().home().directory()), before, "{backup}");
    }
    hub.restart();
    assert!(run(async { hub.agent().get(kept).await }).is_ok());
}

/// Changes a file as another version would have it.
fn change(file: &Path, sql: &str) {
    run(async {
        let options = SqliteConnectOptions::new().filename(file);
        let mut database = options.connect().await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut database).await.unwrap();
        database.close().await.unwrap();
    });
}

#[test]
fn a_backup_of_an_older_version_is_brought_up_to_date_and_a_newer_one_refused() {
    let mut hub = HubAtWork::start();
    let kept = ask(&hub);
    let shell = Shell::at(&hub.data());
    let printed = good(&shell, "handraise backup b.db --json");
    assert!(hub.process_mut().stop().status.success());
    let backup = shell.directory().join("b.db");
    change(&backup, "PRAGMA user_version = 999");
    let refused = shell.run("handraise restore b.db");
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("made by a newer version"), "{}", refused.stderr);

    let older = "DROP TABLE anchor; DROP INDEX ask_by_key; ALTER TABLE ask DROP COLUMN owner; \
         CREATE UNIQUE INDEX ask_by_key ON ask (agent, key) WHERE key IS NOT NULL; \
         DROP INDEX ask_doubted; ALTER TABLE ask DROP COLUMN doubted; \
         ALTER TABLE ask DROP COLUMN directory; ALTER TABLE ask DROP COLUMN asked_at; \
         ALTER TABLE ask DROP COLUMN by_person; ALTER TABLE ask DROP COLUMN host; \
         PRAGMA user_version = 3";
    change(&backup, older);
    let restored = good(&shell, "handraise restore b.db --json");
    assert_eq!(restored["head"], printed["head"]);
    hub.restart();
    assert!(run(async { hub.agent().get(kept).await }).is_ok());
}

#[test]
fn a_damaged_database_is_kept_as_it_is_and_replaced() {
    let mut hub = HubAtWork::start();
    let kept = ask(&hub);
    let shell = Shell::at(&hub.data());
    good(&shell, "handraise backup b.db");
    let lost = ask(&hub);
    assert!(hub.process_mut().stop().status.success());
    let database = hub.process().home().database();
    let harmed = b"SQLite format 3\0 and then nothing that makes sense".repeat(100);
    fs::write(&database, &harmed).unwrap();
    hub.process_mut().launch();
    let ended = hub.process_mut().up().unwrap_err();
    assert!(ended.stderr.contains("handraise restore FILE"), "{}", ended.stderr);

    let printed = good(&shell, "handraise restore b.db --json");
    assert_eq!(fs::read(printed["before"].as_str().unwrap()).unwrap(), harmed);
    hub.restart();
    run(async {
        assert!(hub.agent().get(kept).await.is_ok());
        let gone = hub.agent().get(lost).await;
        assert_eq!(gone, Err(HubError::Rejected(Rejection::NoSuchAsk(lost))));
    });
}

/// Kills a restore as soon as a file of this name is there, or lets it end if it was faster.
fn killed_at(shell: &Shell, home: &Path, part: &str) {
    let pid_file = shell.directory().join("pid");
    let _ = fs::remove_file(&pid_file);
    let before = names(home);
    shell.begin(
        "handraise restore b.db > out 2> err & echo $! > pid.new; mv pid.new pid; wait; clear",
    );
    let is_new = |name: &String| name.contains(part) && !before.contains(name);
    loop {
        let pid = fs::read_to_string(&pid_file).ok().and_then(|pid| pid.trim().parse().ok());
        let Some(pid) = pid.and_then(Pid::from_raw) else { continue };
        let lives = test_kill_process(pid).is_ok();
        if lives && !names(home).iter().any(is_new) {
            continue;
        }
        // It may have ended by now.
        let _ = kill_process(pid, Signal::KILL);
        while test_kill_process(pid).is_ok() {
            std::thread::yield_now();
        }
        return;
    }
}

#[test]
fn a_restore_that_is_killed_leaves_the_old_or_the_new() {
    let mut hub = HubAtWork::start();
    let shell = Shell::at(&hub.data());
    let kept = ask(&hub);
    good(&shell, "handraise backup b.db");
    let home = hub.process().home().clone();
    let (mut old, mut new) = (0, 0);
    for part in ["-restoring", ".before-restore-", "-restoring-wal"].repeat(3) {
        let later = ask(&hub);
        hub.kill();
        killed_at(&shell, home.directory(), part);
        hub.restart();
        run(async {
            assert!(hub.agent().get(kept).await.is_ok(), "{part}");
            match hub.agent().get(later).await {
                Ok(_) => old += 1,
                Err(error) => {
                    assert_eq!(error, HubError::Rejected(Rejection::NoSuchAsk(later)));
                    new += 1;
                }
            }
        });
        let mut audit = hub.process().command();
        let ended = Program::run(audit.args(["audit", "verify"]));
        assert!(ended.status.success(), "{part}: {}", ended.stderr);
    }
    assert_eq!(old + new, 9);
    hub.kill();
    good(&shell, "handraise restore b.db --json");
    assert!(!names(home.directory()).iter().any(|name| name.contains("-restoring")));
}
