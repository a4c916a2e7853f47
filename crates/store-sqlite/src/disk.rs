//! What the disk says where SQLite says nothing, or only that something failed.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use handraise_broker::StoreError;
use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::process::{Resource, getrlimit};

use crate::connect::beside;

/// Names the cause of a failure, if it is one a person can do something about.
///
/// SQLite names a full disk in most places but not in all, and a disk that the kernel has made
/// read-only under an open file in none, nor a file that may not grow: all are a "disk I/O error" then.
pub(crate) fn explain(file: &Path, error: StoreError) -> StoreError {
    let StoreError::Failed(_) = &error else { return error };
    match statvfs(file) {
        Ok(disk) if disk.f_flag.contains(StatVfsMountFlags::RDONLY) => StoreError::ReadOnly,
        Ok(disk) if disk.f_bavail == 0 || may_not_grow(file) => StoreError::Full,
        Ok(_) | Err(_) => error,
    }
}

/// Whether the database or its journal is as large as files of this process may become.
fn may_not_grow(file: &Path) -> bool {
    let Some(most) = getrlimit(Resource::Fsize).current else { return false };
    ["", "-wal"]
        .iter()
        .any(|end| std::fs::metadata(beside(file, end)).is_ok_and(|found| found.len() >= most))
}

/// SQLite would go on writing to a file that has lost its name, and say that it is kept.
pub(crate) fn gone(what: &str) -> StoreError {
    let gone = format!("{what} was moved or removed; put it back, or start the hub again");
    StoreError::Failed(gone)
}

/// Which file it is, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// The file that is called so, if there is one.
    pub(crate) fn of(file: &Path) -> Option<Self> {
        let found = std::fs::metadata(file).ok()?;
        Some(Self { device: found.dev(), inode: found.ino() })
    }
}
