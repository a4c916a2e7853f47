//! That no decision is lost from a log that is there.

use std::collections::HashSet;
use std::path::Path;

use super::document::{BEGIN, ask_of};
use crate::failure::{Exit, Failure};

/// Refuses to replace what is no decision log, or one with decisions that the new one has not: retention
/// has dropped them, or they are another project's.
pub(super) fn check(path: &Path, new: &str, force: bool) -> Result<(), Failure> {
    let directory = path.parent().filter(|directory| *directory != Path::new(""));
    if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
        let error = anyhow::anyhow!("there is no directory {}", directory.display());
        return Err(Failure::new(Exit::BadInput, error)
            .hint("make it first, or name another place with -o PATH"));
    }
    // A pipe or a device holds no log, and reading one may never end.
    if force || !path.is_file() {
        return Ok(());
    }
    let Ok(old) = std::fs::read(path) else { return Ok(()) };
    let old = String::from_utf8_lossy(&old);
    let bad = |error| {
        let hint = "name another place with -o PATH, or replace it with --force";
        Err(Failure::new(Exit::BadInput, error).hint(hint))
    };
    if !old.starts_with(BEGIN) {
        return bad(anyhow::anyhow!("{} is there and no decision log", path.display()));
    }
    let kept: HashSet<_> = new.lines().filter_map(ask_of).collect();
    match old.lines().filter_map(ask_of).filter(|ask| !kept.contains(ask)).count() {
        0 => Ok(()),
        lost => {
            let lost = if lost == 1 {
                "a decision that is".to_owned()
            } else {
                format!("{lost} decisions that are")
            };
            let (path, why) = (path.display(), "retention has dropped it, or it is not wanted");
            bad(anyhow::anyhow!("{path} has {lost} not in this export: {why}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_lost_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log.md");
        let line = |ask: &str| format!("\n*ann, 10:00 UTC · test · ask {ask}*\n");
        let one = format!("{BEGIN}shop\n{}", line("0a1b2c3d"));
        let two = format!("{one}{}", line("9f8e7d6c"));
        assert!(check(&log, &one, false).is_ok(), "there is none");
        std::fs::write(&log, &one).unwrap();
        assert!(check(&log, &two, false).is_ok());
        std::fs::write(&log, &two).unwrap();
        assert!(check(&log, &one, false).is_err());
        assert!(check(&log, &one, true).is_ok());
        std::fs::write(&log, "# Readme\n").unwrap();
        assert!(check(&log, &one, false).is_err());
        assert!(check(&directory.path().join("none/log.md"), &one, true).is_err());
    }

    #[test]
    fn a_device_is_not_read() {
        // This one can be read for ever.
        assert!(check(Path::new("/dev/zero"), BEGIN, false).is_ok());
    }
}
