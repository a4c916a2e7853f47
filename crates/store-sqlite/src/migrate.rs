//! The shape of the file, and how older shapes become the present one.

use handraise_broker::StoreError;
use sqlx::{Connection, Executor, Row, Sqlite, SqliteConnection};

use crate::error::store_error;

/// One script for each version; the file says in `user_version` how many it has seen.
const SCRIPTS: [&str; 1] = [include_str!("../migrations/1.sql")];
/// What marks a file as Handraise's: `hand`, in SQLite's `application_id`.
const OURS: i64 = 0x6861_6e64;

/// How far a file is from the present shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Present,
    /// It has seen so many scripts; none, when it is new.
    Older(usize),
}

/// Brings a file up to the present shape, all of it or nothing.
pub(crate) async fn migrate(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    if shape(&mut *connection).await? == Shape::Present {
        return Ok(());
    }
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(store_error)?;
    // Looked at once more: another process may have been faster.
    if let Shape::Older(seen) = shape(&mut *transaction).await? {
        for script in &SCRIPTS[seen..] {
            transaction.execute(*script).await.map_err(store_error)?;
        }
        let marks =
            format!("PRAGMA application_id = {OURS}; PRAGMA user_version = {}", SCRIPTS.len());
        transaction.execute(sqlx::AssertSqlSafe(marks)).await.map_err(store_error)?;
    }
    transaction.commit().await.map_err(store_error)
}

/// Looks at a file without changing it: another program's and one from the future are refused.
pub(crate) async fn shape(
    database: impl Executor<'_, Database = Sqlite>,
) -> Result<Shape, StoreError> {
    let marks = sqlx::query(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) AS things \
         FROM pragma_application_id, pragma_user_version",
    );
    let marks = marks.fetch_one(database).await.map_err(store_error)?;
    let mark = |name: &str| marks.try_get::<i64, _>(name).map_err(store_error);
    let (owner, version, things) =
        (mark("application_id")?, mark("user_version")?, mark("things")?);
    if (owner, version, things) == (0, 0, 0) {
        return Ok(Shape::Older(0));
    }
    if owner != OURS {
        return Err(StoreError::Damaged("this is another program's database".into()));
    }
    match usize::try_from(version) {
        Ok(seen) if seen == SCRIPTS.len() => Ok(Shape::Present),
        Ok(seen) if seen < SCRIPTS.len() => Ok(Shape::Older(seen)),
        _ => Err(StoreError::TooNew),
    }
}
