//! What the disk says when SQLite says only that something failed.

use std::path::Path;

use handraise_broker::StoreError;
use rustix::fs::{StatVfsMountFlags, statvfs};

/// Names the cause of a failure, if it is one a person can do something about.
///
/// SQLite names a full disk in most places but not in all, and a disk that the kernel has made
/// read-only under an open file in none: both are a "disk I/O error" then.
pub(crate) fn explain(file: &Path, error: StoreError) -> StoreError {
    let StoreError::Failed(_) = &error else { return error };
    match statvfs(file) {
        Ok(disk) if disk.f_flag.contains(StatVfsMountFlags::RDONLY) => StoreError::ReadOnly,
        Ok(disk) if disk.f_bavail == 0 => StoreError::Full,
        Ok(_) | Err(_) => error,
    }
}
