//! One hub for a home.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;

use handraise_client::Home;

use crate::failure::{Exit, Failure};

/// Holds the home until it is dropped; the system lets go of it when the process dies.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    pub(crate) fn take(home: &Home) -> Result<Self, Failure> {
        home.create().map_err(|error| Failure::unwritable(home.directory(), error))?;
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).write(true).mode(0o600).open(home.lock());
        let file = file.map_err(|error| Failure::unwritable(&home.lock(), error))?;
        let directory = home.directory().display();
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => {
                let error = anyhow::anyhow!("a hub is already running for {directory}");
                let failure = Failure::new(Exit::BadInput, error);
                let failure = match home.hub() {
                    Some(hub) => {
                        failure.detail(format!("it is process {} at {}", hub.pid, hub.url))
                    }
                    None => failure,
                };
                Err(failure.hint("use that one, or another home: handraise serve --data DIR"))
            }
            Err(TryLockError::Error(error)) => {
                let error = anyhow::Error::new(error).context("cannot lock the home");
                Err(Failure::new(Exit::Internal, error))
            }
        }
    }
}
