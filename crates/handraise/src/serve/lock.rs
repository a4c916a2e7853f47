//! One hub for a home, and for a database.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use handraise_client::Home;

use crate::failure::{Exit, Failure};
use crate::true_name::true_name;

/// Holds a home or a database until it is dropped; the system lets go of it when the process dies.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// A hub that was killed while it started a program (tmux, a notifier) leaves its lock to it, until that
/// program runs: a few milliseconds, on a busy machine some more.
const ATTEMPTS: u32 = 10;
const BETWEEN: Duration = Duration::from_millis(30);

impl Lock {
    /// `None` when a hub runs there already.
    pub(crate) fn of_free_home(home: &Home) -> Result<Option<Self>, Failure> {
        home.create().map_err(|error| Failure::unwritable(home.directory(), error))?;
        Self::take(&home.lock())
    }

    pub(crate) fn of_home(home: &Home) -> Result<Self, Failure> {
        Self::of_free_home(home)?.ok_or_else(|| Self::is_held(home))
    }

    /// A hub runs there already.
    pub(crate) fn is_held(home: &Home) -> Failure {
        let directory = home.directory().display();
        let error = anyhow::anyhow!("a hub is already running for {directory}");
        let failure = Failure::new(Exit::BadInput, error);
        let failure = match home.hub() {
            Some(hub) => failure.detail(format!("it is process {} at {}", hub.pid, hub.url)),
            None => failure,
        };
        failure.hint("use that one, or another home: handraise serve --data DIR")
    }

    /// Whether nobody holds a home. Only for when something went wrong: it is held for the moment in which
    /// this is found out.
    pub(crate) fn is_free(home: &Home) -> bool {
        matches!(Self::take(&home.lock()), Ok(Some(_)))
    }

    /// Beside the database: another home's hub may have been told to use it, too.
    pub(crate) fn of_database(file: &Path) -> Result<Self, Failure> {
        Self::take(&lock_of_database(file))?.ok_or_else(|| {
            let error = anyhow::anyhow!("another hub uses {}", file.display());
            Failure::new(Exit::BadInput, error).hint("stop that one, or name another --database")
        })
    }

    /// `None` when somebody else has it.
    fn take(path: &Path) -> Result<Option<Self>, Failure> {
        let mut options = OpenOptions::new();
        // To read as well, because opening a pipe only to write would wait for a reader for ever.
        options.create(true).truncate(false).read(true).write(true).mode(0o600);
        let file = options.open(path);
        let file = file.map_err(|error| Failure::unwritable(path, error))?;
        for attempt in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if attempt < ATTEMPTS => std::thread::sleep(BETWEEN),
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => {
                    let context = format!("cannot lock {}", path.display());
                    let error = anyhow::Error::new(error).context(context);
                    return Err(Failure::new(Exit::Internal, error));
                }
            }
        }
        Ok(Some(Self { _file: file }))
    }
}

/// What is locked by whoever uses a database.
pub(crate) fn lock_of_database(file: &Path) -> PathBuf {
    let mut lock = true_name(file).unwrap_or_else(|_| file.to_owned()).into_os_string();
    lock.push("-lock");
    lock.into()
}
