//! What a hub would refuse at its start, as far as that can be told before anything is done.

use std::fs;
use std::io;
use std::net::SocketAddr;

use handraise_client::Home;
use handraise_store_sqlite::SqliteStore;
use rustix::fs::{Access, access};
use rustix::io::Errno;

use crate::config::Config;
use crate::failure::Failure;
use crate::serve::{check_address, store_failure};

/// Refuses to start a hub that would end at once.
pub(super) fn check(home: &Home) -> Result<(), Failure> {
    check_writable(home).map_err(Failure::nothing_changed)?;
    let config = Config::read(home).map_err(|failure| failure.or_hint("correct it"));
    let listen = config.map_err(Failure::nothing_changed)?.listen;
    check_database(home).map_err(Failure::nothing_changed)?;
    match listen {
        Some(address) if !is_ours(home, address) => {
            check_address(address).map_err(Failure::nothing_changed)
        }
        Some(_) | None => Ok(()),
    }
}

/// The home need not be there; then it must be possible to make it.
fn check_writable(home: &Home) -> Result<(), Failure> {
    let unwritable = |error| Failure::unwritable(home.directory(), error);
    let above = home.directory().ancestors();
    let Some((there, found)) =
        above.into_iter().find_map(|path| Some((path, fs::metadata(path).ok()?)))
    else {
        return Ok(());
    };
    if !found.is_dir() {
        return Err(unwritable(io::ErrorKind::NotADirectory.into()));
    }
    access(there, Access::WRITE_OK | Access::EXEC_OK).map_err(|error| unwritable(error.into()))?;
    // Another account may have run a hub here.
    match access(home.lock(), Access::READ_OK | Access::WRITE_OK) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(Failure::unwritable(&home.lock(), error.into())),
    }
}

/// What a hub that runs has opened, another one can open, too.
fn check_database(home: &Home) -> Result<(), Failure> {
    let file = home.database();
    if home.hub().is_some() || !file.exists() {
        return Ok(());
    }
    SqliteStore::check(&file).map_err(|error| store_failure(&file, error))
}

/// Whether a hub of this home listens there, which makes room for the next one.
fn is_ours(home: &Home, address: SocketAddr) -> bool {
    let at = home.hub().and_then(|hub| hub.url.strip_prefix("http://")?.parse::<SocketAddr>().ok());
    at.is_some_and(|at| at.port() == address.port())
}
