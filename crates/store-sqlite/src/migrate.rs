//! The shape of the file, and how older shapes become the present one.

use handraise_broker::StoreError;
use rusqlite::{Connection, TransactionBehavior};

use crate::error::Failure;

/// One script for each version; the file says in `user_version` how many it has seen.
const SCRIPTS: [&str; 8] = [
    include_str!("../migrations/1.sql"),
    include_str!("../migrations/2.sql"),
    include_str!("../migrations/3.sql"),
    include_str!("../migrations/4.sql"),
    include_str!("../migrations/5.sql"),
    include_str!("../migrations/6.sql"),
    include_str!("../migrations/7.sql"),
    include_str!("../migrations/8.sql"),
];
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
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), Failure> {
    if shape(connection)? == Shape::Present {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Looked at once more: another process may have been faster.
    if let Shape::Older(seen) = shape(&transaction)? {
        for script in &SCRIPTS[seen..] {
            transaction.execute_batch(script)?;
        }
        transaction.pragma_update(None, "application_id", OURS)?;
        transaction.pragma_update(
            None,
            "user_version",
            i64::try_from(SCRIPTS.len()).unwrap_or(i64::MAX),
        )?;
    }
    Ok(transaction.commit()?)
}

/// Looks at a file without changing it: another program's and one from the future are refused.
pub(crate) fn shape(connection: &Connection) -> Result<Shape, Failure> {
    let marks = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) \
         FROM pragma_application_id, pragma_user_version";
    let marks = connection.query_row(marks, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    let (owner, version, things): (i64, i64, i64) = marks?;
    if (owner, version, things) == (0, 0, 0) {
        return Ok(Shape::Older(0));
    }
    if owner != OURS {
        return Err(StoreError::Damaged("this is another program's database".into()).into());
    }
    match usize::try_from(version) {
        Ok(seen) if seen == SCRIPTS.len() => Ok(Shape::Present),
        Ok(seen) if seen < SCRIPTS.len() => Ok(Shape::Older(seen)),
        _ => Err(StoreError::TooNew.into()),
    }
}
