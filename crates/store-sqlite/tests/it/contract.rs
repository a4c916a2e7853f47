//! The contract of every store.

use handraise_store_sqlite::SqliteStore;
use tempfile::TempDir;

async fn open() -> (SqliteStore, TempDir) {
    let home = tempfile::tempdir().unwrap();
    (SqliteStore::open(&home.path().join("asks.db")).await.unwrap(), home)
}

handraise_testkit::store_contract!(open);
