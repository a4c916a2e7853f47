//! When a disk is full: what it takes.

use std::path::Path;

use handraise_store_sqlite::belongings;
use rustix::fs::statvfs;

use crate::failure::{Exit, Failure};

/// A copy of a database does not fit where it is to be written.
pub(crate) fn full(to: &Path, database: &Path, hint: &str) -> Failure {
    let error = anyhow::anyhow!("cannot write {}: the disk is full", to.display());
    let failure = Failure::new(Exit::Internal, error).hint(hint);
    let needed = belongings(database).into_iter().filter_map(|part| part.metadata().ok());
    let needed: u64 = needed.map(|part| part.len()).sum();
    let directory = to.parent().filter(|path| *path != Path::new("")).unwrap_or(Path::new("."));
    match statvfs(directory) {
        Ok(disk) => {
            let left = disk.f_bavail.saturating_mul(disk.f_frsize);
            failure.detail(format!("it needs about {}, and {} are left", size(needed), size(left)))
        }
        Err(_) => failure.detail(format!("it needs about {}", size(needed))),
    }
}

/// A number of bytes, as people say it.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if bytes < 1000 {
        return format!("{bytes} bytes");
    }
    // In tenths, rounded up: too little room is no help.
    let mut tenths = bytes.div_ceil(100);
    let mut units = UNITS.into_iter();
    let mut unit = units.next().unwrap_or_default();
    while tenths >= 10_000 {
        let Some(next) = units.next() else { break };
        tenths = tenths.div_ceil(1000);
        unit = next;
    }
    if tenths < 100 && !tenths.is_multiple_of(10) {
        return format!("{}.{} {unit}", tenths / 10, tenths % 10);
    }
    format!("{} {unit}", tenths.div_ceil(10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short_and_never_too_small() {
        let sizes =
            [0, 999, 1000, 1001, 4096, 9_999, 1_234_567, 999_999, 20_000_000, 7_100_000_000]
                .map(size);
        let expected = [
            "0 bytes",
            "999 bytes",
            "1 kB",
            "1.1 kB",
            "4.1 kB",
            "10 kB",
            "1.3 MB",
            "1 MB",
            "20 MB",
            "7.1 GB",
        ];
        assert_eq!(sizes, expected);
        assert!(size(u64::MAX).ends_with(" PB"));
    }
}
