//! What SQLite's errors mean to a hub.

use handraise_broker::StoreError;

/// The primary result codes of SQLite that a person can do something about.
mod code {
    pub(super) const READ_ONLY: i32 = 8;
    pub(super) const CORRUPT: i32 = 11;
    pub(super) const FULL: i32 = 13;
    pub(super) const CANNOT_OPEN: i32 = 14;
    pub(super) const CONSTRAINT: i32 = 19;
    pub(super) const NOT_A_DATABASE: i32 = 26;
}

/// What went wrong while something was to be kept.
#[derive(Debug)]
pub(crate) struct Failure(StoreError);

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error::{FromSqlConversionFailure, InvalidColumnType};
        let message = error.to_string();
        if let FromSqlConversionFailure(..) | InvalidColumnType(..) = error {
            return Self(StoreError::Damaged(message));
        }
        let code = error.sqlite_error().map_or(0, |error| error.extended_code);
        Self(meaning(code, &message))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "this is how `map_err` hands it over")]
pub(crate) fn store_error(error: sqlx::Error) -> StoreError {
    if let sqlx::Error::Decode(what) = &error {
        return StoreError::Damaged(what.to_string());
    }
    if let sqlx::Error::ColumnDecode { index, source } = &error {
        return StoreError::Damaged(format!("column {index}: {source}"));
    }
    let sqlx::Error::Database(database) = &error else {
        return StoreError::Failed(error.to_string());
    };
    let code = database.code().and_then(|code| code.parse().ok()).unwrap_or(0);
    meaning(code, database.message())
}

fn meaning(extended_code: i32, message: &str) -> StoreError {
    match extended_code & 0xff {
        code::READ_ONLY => StoreError::ReadOnly,
        code::CORRUPT => StoreError::Damaged(message.to_owned()),
        code::NOT_A_DATABASE => StoreError::Damaged("this is no SQLite file".into()),
        code::FULL => StoreError::Full,
        code::CANNOT_OPEN => StoreError::Failed("the database file cannot be opened".into()),
        // The only constraints are places in the log, ids and keys, and the broker gives none twice.
        code::CONSTRAINT => StoreError::Conflict,
        _ => StoreError::Failed(message.to_owned()),
    }
}

/// What is in the file cannot be what was written.
pub(crate) fn damaged(what: impl Into<String>) -> sqlx::Error {
    sqlx::Error::Decode(what.into().into())
}
