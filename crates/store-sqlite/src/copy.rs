//! Copies of a whole database, and what has to be gone before one takes another's place.

use std::path::{Path, PathBuf};

use handraise_broker::StoreError;
use rusqlite::Connection;

use crate::connect::{self, beside};
use crate::disk;
use crate::error::Failure;
use crate::migrate::{self, Shape};
use crate::writer::Access;

/// Copies a database as it stands at one moment into `to`, which is empty or not there. Others may write
/// to it meanwhile. What was deleted from it is not in the copy.
///
/// # Errors
///
/// When it cannot be read, is damaged, is no database of Handraise's or a newer one's, or the copy cannot
/// be written.
pub fn copy(file: &Path, to: &Path) -> Result<(), StoreError> {
    Ok(copied(file, to)?)
}

fn copied(file: &Path, to: &Path) -> Result<(), Failure> {
    let connection = connect::open(file, Access::Read)?;
    if migrate::shape(&connection)? == Shape::Older(0) {
        return Err(StoreError::Failed("there is nothing in it yet".into()).into());
    }
    check(&connection)?;
    let Some(name) = to.to_str() else {
        return Err(StoreError::Failed("the copy's name is no text".into()).into());
    };
    // It reads all of it in one go, as a reader that no writer waits for. SQLite's online backup would
    // begin again whenever another process writes.
    match connection.execute("VACUUM INTO ?1", [name]) {
        Ok(_) => Ok(()),
        Err(error) => Err(disk::explain(to, Failure::from(error).into()).into()),
    }
}

/// Whether its parts fit each other; a copy would not show that an index has lost something.
fn check(connection: &Connection) -> Result<(), Failure> {
    let found: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(StoreError::Damaged(found).into()) }
}

/// Brings into the file what a hub that was killed has left beside it. Nobody else may have it open.
///
/// # Errors
///
/// When it cannot be opened and written to.
pub fn fold(file: &Path) -> Result<(), StoreError> {
    // The last one that closes it tidies up.
    Ok(connect::tidy_up(file)?)
}

/// The files that belong to a database, itself first: with any of the others beside it, another file of
/// its name would be taken for damaged, or be damaged.
#[must_use]
pub fn belongings(file: &Path) -> [PathBuf; 4] {
    ["", "-wal", "-shm", "-journal"].map(|end| beside(file, end))
}
