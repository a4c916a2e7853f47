//! That nothing is lost of what is there: no decision in a log, and no file that is no log.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::document::{Document, ask_of, is_log};
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

/// What is to stand in a file. A log that is there keeps decisions that the new one has not, because
/// retention has dropped them, they are not wanted this time, or another hub has written them; then it only
/// gets what it lacks. What is no decision log, or another project's, is not replaced.
pub(super) fn text(path: &Path, new: &Document, force: bool) -> Result<String, Failure> {
    let directory = path.parent().filter(|directory| *directory != Path::new(""));
    if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
        let error = anyhow::anyhow!("there is no directory {}", directory.display());
        return Err(Failure::new(Exit::BadInput, error)
            .hint("make it first, or name another place with -o PATH"));
    }
    let whole = new.text();
    if force || !path.is_file() {
        return Ok(whole);
    }
    let bad = |what: &str| {
        let error = anyhow::anyhow!("{} is there and {what}", path.display());
        let hint = "name another place with -o PATH, or replace it with --force";
        Err(Failure::new(Exit::BadInput, error).hint(hint))
    };
    if is_anothers(path) {
        return bad("no decision log");
    }
    let Ok(old) = fs::read(path) else { return bad("cannot be read") };
    let Ok(old) = String::from_utf8(old) else { return bad("no text") };
    let kept: HashSet<_> = whole.lines().filter_map(ask_of).collect();
    if old.lines().filter_map(ask_of).all(|ask| kept.contains(ask)) {
        return Ok(whole);
    }
    if old.lines().next() != Some(new.heading().as_str()) {
        return bad("the log of another project");
    }
    Ok(new.after(&old))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_lost_stays() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log.md");
        let mut shop = Document::default();
        shop.call("shop");
        let none = shop.text();
        assert_eq!(text(&log, &shop, false).unwrap(), none, "there is none");
        let one = format!("{none}\n## 2026-11-16\n\n*ann, 10:00 UTC · test · ask 0a1b2c3d*\n");
        fs::write(&log, &one).unwrap();
        assert_eq!(text(&log, &shop, false).unwrap(), one);
        assert_eq!(text(&log, &shop, true).unwrap(), none);
        let mut blog = Document::default();
        blog.call("blog");
        assert!(text(&log, &blog, false).is_err());
        assert!(text(&directory.path().join("none/log.md"), &shop, true).is_err());
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
            assert!(super::text(&file, &log, false).is_err(), "{text}");
        }
        assert!(is_anothers(directory.path()));
        let nowhere = directory.path().join("nowhere.md");
        std::os::unix::fs::symlink("/nowhere/at/all", &nowhere).unwrap();
        assert!(is_anothers(&nowhere));
    }

    #[test]
    fn a_device_is_not_read() {
        // This one can be read for ever.
        assert!(text(Path::new("/dev/zero"), &Document::default(), false).is_ok());
        assert!(is_anothers(Path::new("/dev/zero")));
    }
}
