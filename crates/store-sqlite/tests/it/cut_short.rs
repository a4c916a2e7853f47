//! A file whose maker was killed in the middle of it.

use handraise_broker::{AskStore, Head};
use handraise_store_sqlite::SqliteStore;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};

#[tokio::test]
async fn a_file_whose_maker_was_killed_is_made_anew() {
    let home = tempfile::tempdir().unwrap();
    let [file, journal] = ["asks.db", "asks.db-journal"].map(|name| home.path().join(name));
    // A transaction that is half in the file, which only its journal can take back.
    let maker = SqliteConnectOptions::new().filename(home.path().join("maker.db"));
    let mut maker = maker.create_if_missing(true).connect().await.unwrap();
    let half = "PRAGMA cache_size = 1; BEGIN; CREATE TABLE half (done); \
                INSERT INTO half VALUES (zeroblob(100000)), (zeroblob(100000))";
    sqlx::raw_sql(half).execute(&mut maker).await.unwrap();
    std::fs::copy(home.path().join("maker.db"), &file).unwrap();
    std::fs::copy(home.path().join("maker.db-journal"), &journal).unwrap();
    maker.close().await.unwrap();
    assert!(file.metadata().unwrap().len() > 100_000, "nothing was written before the kill");

    let store = SqliteStore::open(&file).unwrap();
    assert_eq!(store.head().await, Ok(Head::EMPTY));
    assert!(!journal.exists());
}
