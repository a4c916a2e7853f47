//! The contract of every store.

use handraise_store_sqlite::SqliteStore;
use tempfile::TempDir;

#[expect(clippy::unused_async, reason = "the suite also opens stores that have to be waited for")]
async fn open() -> (SqliteStore, TempDir) {
    let home = tempfile::tempdir().unwrap();
    (SqliteStore::open(&home.path().join("asks.db")).unwrap(), home)
}

handraise_testkit::store_contract!(open);
