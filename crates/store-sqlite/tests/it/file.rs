//! The file itself: made, opened again, and refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use handraise_broker::{AskStore, Draft, Head, Hub, HubError, Query, StoreError, StoredEntry};
use handraise_question::AnswerForm;
use handraise_store_sqlite::SqliteStore;
use handraise_testkit::new_ask;
use jiff::Timestamp;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor};
use tempfile::TempDir;

use crate::house::House;

fn home() -> (TempDir, std::path::PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("asks.db");
    (home, file)
}

/// Does something to the file that Handraise would not do.
async fn tamper(file: &Path, sql: &'static str) {
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    connection.execute(sql).await.unwrap();
    connection.close().await.unwrap();
}

fn is_damaged<T: std::fmt::Debug>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Damaged(_)))
}

/// A file in which one ask was answered, and its log's head.
async fn used(file: &Path) -> Head {
    let house = House::at(file).await;
    let id = house.ask(new_ask(Some("k"))).await.unwrap().record.id;
    house.answer(id).await;
    let head = house.broker.head();
    house.stop().await;
    head
}

#[tokio::test]
async fn a_file_that_is_opened_again_holds_everything() {
    let (_home, file) = home();
    let head = used(&file).await;
    let everything = Query { limit: 10, ..Query::default() };
    let first = SqliteStore::open(&file).unwrap();
    let asks = first.list(&everything).await.unwrap();
    assert_eq!((first.head().await, asks.len()), (Ok(head), 1));
    first.close().await;
    let again = SqliteStore::open(&file).unwrap();
    assert_eq!(again.list(&everything).await, Ok(asks.clone()));
    let to_read = SqliteStore::open_to_read(&file).unwrap();
    assert_eq!(to_read.list(&everything).await, Ok(asks));
    assert_eq!(to_read.head().await, Ok(head));
}

#[tokio::test]
async fn a_tidily_closed_store_is_one_file() {
    let (home, file) = home();
    used(&file).await;
    let names: Vec<_> =
        fs::read_dir(home.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["asks.db"]);
}

#[tokio::test]
async fn what_is_opened_to_read_cannot_be_written() {
    let (_home, file) = home();
    used(&file).await;
    let store = SqliteStore::open_to_read(&file).unwrap();
    let mut batch = handraise_broker::Batch::default();
    batch.pruned.push("01977420-dfe8-7101-8101-010101010101".parse().unwrap());
    assert_eq!(store.commit(&batch).await, Err(StoreError::ReadOnly));
}

#[tokio::test]
async fn only_its_owner_may_read_the_file() {
    let (home, file) = home();
    let store = SqliteStore::open(&file).unwrap();
    assert_eq!(store.head().await, Ok(Head::EMPTY));
    let mut names = vec![];
    for entry in fs::read_dir(home.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{entry:?}");
        names.push(entry.file_name());
    }
    names.sort();
    assert_eq!(names, ["asks.db", "asks.db-shm", "asks.db-wal"]);
}

#[tokio::test]
async fn a_file_from_the_future_is_left_alone() {
    let (_home, file) = home();
    used(&file).await;
    tamper(&file, "PRAGMA user_version = 999").await;
    let before = fs::read(&file).unwrap();
    for version in ["PRAGMA user_version = 999", "PRAGMA user_version = -1"] {
        tamper(&file, version).await;
        assert_eq!(SqliteStore::open(&file).unwrap_err(), StoreError::TooNew);
        assert_eq!(SqliteStore::open_to_read(&file).unwrap_err(), StoreError::TooNew);
    }
    tamper(&file, "PRAGMA user_version = 999").await;
    assert_eq!(fs::read(&file).unwrap().len(), before.len());
}

#[tokio::test]
async fn a_file_of_the_first_version_is_brought_up_to_date_with_what_it_holds() {
    let (_home, file) = home();
    let house = House::at(&file).await;
    let id = house.ask_any().await;
    let mut new = new_ask(None);
    new.asker.directory = Some("/home/ann/shop".into());
    new.asker.host = Some("desk".into());
    let answered = house.ask(new).await.unwrap().record.id;
    house.answer(answered).await;
    let first = Draft { version: 1, answers: vec![AnswerForm::default()], ..Draft::default() };
    house.person("ann").keep_draft(id, first.clone()).await.unwrap();
    let head = house.broker.head();
    house.stop().await;
    let spans = async || SqliteStore::open_to_read(&file).unwrap().spans(Timestamp::MIN).await;
    let times = spans().await.unwrap();
    let shop = Some("/home/ann/shop".to_owned());
    let of_people = times.iter().filter(|span| span.by_person);
    let places: Vec<_> =
        of_people.map(|span| (span.directory.clone(), span.host.clone())).collect();
    assert_eq!(places, [(shop, Some("desk".to_owned()))]);
    tamper(
        &file,
        "ALTER TABLE draft DROP COLUMN message; ALTER TABLE draft DROP COLUMN input; \
         DROP TABLE anchor; DROP TABLE session; DROP TABLE message; DROP TABLE session_event; \
         DROP INDEX ask_doubted; ALTER TABLE ask DROP COLUMN doubted; \
         ALTER TABLE ask DROP COLUMN directory; ALTER TABLE ask DROP COLUMN asked_at; \
         ALTER TABLE ask DROP COLUMN by_person; ALTER TABLE ask DROP COLUMN host; \
         DROP INDEX ask_by_key; ALTER TABLE ask DROP COLUMN owner; \
         CREATE UNIQUE INDEX ask_by_key ON ask (agent, key) WHERE key IS NOT NULL; \
         PRAGMA user_version = 1",
    )
    .await;
    assert!(matches!(SqliteStore::open_to_read(&file), Err(StoreError::Failed(_))));

    let house = House::at(&file).await;
    let ann = house.person("ann");
    assert_eq!(house.broker.head(), head);
    assert_eq!(ann.draft(id).await, Ok(Some(first)));
    let second = Draft { version: 2, message: Some("not yet".into()), ..Draft::default() };
    ann.keep_draft(id, second.clone()).await.unwrap();
    assert_eq!(ann.draft(id).await, Ok(Some(second)));
    drop(ann);
    house.stop().await;
    assert_eq!(spans().await, Ok(times), "how long it took is read from the log");
}

#[tokio::test]
async fn what_is_no_database_is_left_alone() {
    let (_home, file) = home();
    let text = "These are the notes of somebody who chose an unlucky name.\n".repeat(100);
    fs::write(&file, &text).unwrap();
    let refused = StoreError::Damaged("this is no SQLite file".into());
    assert_eq!(SqliteStore::open(&file).unwrap_err(), refused);
    assert_eq!(SqliteStore::open_to_read(&file).unwrap_err(), refused);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[tokio::test]
async fn the_database_of_another_program_is_left_alone() {
    for sql in [
        "CREATE TABLE bookmark (url TEXT)",
        "CREATE TABLE bookmark (url TEXT); PRAGMA user_version = 1",
        "CREATE TABLE event (whatever TEXT); PRAGMA user_version = 1",
        "PRAGMA application_id = 77",
    ] {
        let (_home, file) = home();
        tamper(&file, sql).await;
        let before = fs::read(&file).unwrap();
        assert!(is_damaged(&SqliteStore::open(&file)), "{sql}");
        assert!(is_damaged(&SqliteStore::open_to_read(&file)), "{sql}");
        assert_eq!(fs::read(&file).unwrap(), before, "{sql}");
    }
}

#[tokio::test]
async fn there_is_nothing_to_read_where_there_is_no_file() {
    let (_home, file) = home();
    let missing = StoreError::Failed("the database file cannot be opened".into());
    assert_eq!(SqliteStore::open_to_read(&file).unwrap_err(), missing);
    assert!(!file.exists());
    let nowhere = SqliteStore::open(&file.join("asks.db"));
    assert!(matches!(nowhere, Err(StoreError::Failed(_))), "{nowhere:?}");
}

#[tokio::test]
async fn rows_that_nobody_wrote_are_damage() {
    for sql in [
        "UPDATE event SET hash = x'00' WHERE seq = 1",
        "UPDATE event SET at = 9223372036854775807 WHERE seq = 1",
        "UPDATE event SET ask = x'0102' WHERE seq = 1",
        "UPDATE event SET body = '{' WHERE seq = 1",
        "UPDATE event SET name = CAST(x'ff' AS TEXT) WHERE seq = 1",
    ] {
        let (_home, file) = home();
        used(&file).await;
        tamper(&file, sql).await;
        let store = SqliteStore::open(&file).unwrap();
        let log = store.log(0, 10).await;
        let log =
            log.and_then(|log| log.iter().map(StoredEntry::read).collect::<Result<Vec<_>, _>>());
        assert!(is_damaged(&log), "{sql}: {log:?}");
    }
}

/// SQLite lets nobody wait for the one who switches a new file to write ahead, so some may be told
/// to come back; but nobody finds half a database, and nobody trips over what another has made.
#[tokio::test]
async fn many_who_open_a_new_file_at_once_make_one_database() {
    let (_home, file) = home();
    let opening: Vec<_> = (0..8)
        .map(|_| {
            let file = file.clone();
            tokio::task::spawn_blocking(move || SqliteStore::open(&file))
        })
        .collect();
    let locked = StoreError::Failed("database is locked".into());
    for opened in opening {
        match opened.await.unwrap() {
            Ok(store) => assert_eq!(store.head().await, Ok(Head::EMPTY)),
            Err(error) => assert_eq!(error, locked),
        }
    }
    assert_eq!(SqliteStore::open(&file).unwrap().head().await, Ok(Head::EMPTY));
}

#[tokio::test]
async fn a_file_without_anything_in_it_cannot_be_looked_at() {
    let (_home, file) = home();
    fs::write(&file, "").unwrap();
    let refused = SqliteStore::open_to_read(&file);
    assert!(matches!(refused, Err(StoreError::Failed(_))), "{refused:?}");
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_crash() {
    let (_home, file) = home();
    let house = House::at(&file).await;
    let id = house.ask_any().await;
    let answered = house.answer(id).await;
    // What a power cut leaves: the file, and what was written ahead of it.
    let (after, copy) = self::home();
    for name in ["asks.db", "asks.db-wal"] {
        fs::copy(file.with_file_name(name), after.path().join(name)).unwrap();
    }
    let survivor = SqliteStore::open(&copy).unwrap();
    assert_eq!(survivor.head().await, Ok(house.broker.head()));
    assert_eq!(survivor.load(&[id]).await, Ok(vec![answered]));
}

#[tokio::test]
async fn a_second_hub_on_the_same_file_cannot_write_over_the_first() {
    let (_home, file) = home();
    let (one, two) = (House::at(&file).await, House::at(&file).await);
    let first = one.ask_any().await;
    let conflict = Err(HubError::Store(StoreError::Conflict));
    assert_eq!(two.ask(new_ask(None)).await, conflict);
    assert_eq!(two.ask(new_ask(Some("k"))).await, conflict);
    one.answer(first).await;
    assert_eq!(one.names().await, ["ask.opened", "ask.resolved"]);
}

#[tokio::test]
async fn a_file_that_is_hard_linked_into_another_home_is_refused_in_both() {
    let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let names = [home.path().join("asks.db"), other.path().join("asks.db")];
    let house = House::at(&names[0]).await;
    std::fs::hard_link(&names[0], &names[1]).unwrap();
    assert!(SqliteStore::open(&names[1]).is_err(), "while a hub uses it");
    house.ask_any().await;
    house.stop().await;
    for name in &names {
        let why = SqliteStore::open(name).unwrap_err().to_string();
        assert!(why.contains("2 names (hard links)"), "{why}");
        assert!(SqliteStore::check(name).is_err(), "and it is foreseen");
    }
    std::fs::remove_file(&names[1]).unwrap();
    // What an interrupted restore leaves.
    std::fs::hard_link(&names[0], home.path().join("asks.db.before-restore-2026")).unwrap();
    assert_eq!(House::at(&names[0]).await.names().await, ["ask.opened"]);
}
