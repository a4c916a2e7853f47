//! That nothing is lost from what is there: no decision from a log, and no file that is no log.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::document::{ask_of, is_log};
use crate::failure::{Exit, Failure};

/// Enough to know a log.
const BEGINNING: u64 = 4096;

/// Whether something is there that is no decision log of ours: it stays, and what is written gets another
/// name. What cannot be read may be anything.
pub(super) fn is_anothers(path: &Path) -> bool {
    let Ok(there) = fs::metadata(path) else { return fs::symlink_metadata(path).is_ok() };
    let mut begin = vec![];
    let mut read = || File::open(path)?.take(BEGINNING).read_to_end(&mut begin);
    // A pipe or a device holds no log, and reading one may never end.
    !there.is_file() || read().is_err() || !is_log(&String::from_utf8_lossy(&begin))
}

/// Refuses to replace what is no decision log, or one with decisions that the new one has not: retention
/// has dropped them, or they are another project's.
pub(super) fn check(path: &Path, new: &str, force: bool) -> Result<(), Failure> {
    let directory = path.parent().filter(|directory| *directory != Path::new(""));
    if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
        let error = anyhow::anyhow!("there is no directory {}", directory.display());
        return Err(Failure::new(Exit::BadInput, error)
            .hint("make it first, or name another place with -o PATH"));
    }
    if force || !path.is_file() {
        return Ok(());
    }
    let bad = |error| {
        let hint = "name another place with -o PATH, or replace it with --force";
        Err(Failure::new(Exit::BadInput, error).hint(hint))
    };
    if is_anothers(path) {
        return bad(anyhow::anyhow!("{} is there and no decision log", path.display()));
    }
    let Ok(old) = fs::read(path) else {
        return bad(anyhow::anyhow!("{} is there and cannot be read", path.display()));
    };
    let old = String::from_utf8_lossy(&old);
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
    use super::super::document::Document;
    use super::*;

    #[test]
    fn what_would_be_lost_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log.md");
        let line = |ask: &str| format!("\n*ann, 10:00 UTC · test · ask {ask}*\n");
        let none = Document::default().text();
        let one = format!("{none}{}", line("0a1b2c3d"));
        let two = format!("{one}{}", line("9f8e7d6c"));
        assert!(check(&log, &one, false).is_ok(), "there is none");
        fs::write(&log, &one).unwrap();
        assert!(check(&log, &two, false).is_ok());
        fs::write(&log, &two).unwrap();
        assert!(check(&log, &one, false).is_err());
        assert!(check(&log, &one, true).is_ok());
        assert!(check(&directory.path().join("none/log.md"), &one, true).is_err());
    }

    #[test]
    fn what_is_no_log_of_ours_is_known_as_anothers() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("log.md");
        assert!(!is_anothers(&file), "nothing is there");
        let mut log = Document::default();
        log.call("# `shop`\n");
        fs::write(&file, log.text()).unwrap();
        assert!(!is_anothers(&file));
        for text in ["", "# Readme\n", "# Decisions: shop\n\nWe keep them by hand.\n", "\u{feff}"] {
            fs::write(&file, text).unwrap();
            assert!(is_anothers(&file), "{text}");
            assert!(check(&file, "", false).is_err(), "{text}");
        }
        assert!(is_anothers(directory.path()));
        let nowhere = directory.path().join("nowhere.md");
        std::os::unix::fs::symlink("/nowhere/at/all", &nowhere).unwrap();
        assert!(is_anothers(&nowhere));
    }

    #[test]
    fn a_device_is_not_read() {
        // This one can be read for ever.
        assert!(check(Path::new("/dev/zero"), "", false).is_ok());
        assert!(is_anothers(Path::new("/dev/zero")));
    }
}
