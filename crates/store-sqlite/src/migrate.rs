//! The shape of the file, and how older shapes become the present one.

use handraise_broker::StoreError;
use sqlx::{Executor, SqlitePool};

use crate::error::store_error;

/// One script for each version; the file says in `user_version` how many it has seen.
const SCRIPTS: [&str; 1] = [include_str!("../migrations/1.sql")];

/// Brings a file up to the present shape, all of it or nothing.
pub(crate) async fn migrate(pool: &SqlitePool) -> Result<(), StoreError> {
    let seen = check(pool).await?;
    for (version, script) in SCRIPTS.iter().enumerate().skip(seen) {
        let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await.map_err(store_error)?;
        let script = format!("{script}\nPRAGMA user_version = {};", version + 1);
        transaction.execute(sqlx::AssertSqlSafe(script)).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
    }
    Ok(())
}

/// How many scripts a file has seen, unless it is from the future.
pub(crate) async fn check(pool: &SqlitePool) -> Result<usize, StoreError> {
    let version: i64 =
        sqlx::query_scalar("PRAGMA user_version").fetch_one(pool).await.map_err(store_error)?;
    match usize::try_from(version) {
        Ok(seen) if seen <= SCRIPTS.len() => Ok(seen),
        _ => Err(StoreError::TooNew),
    }
}
