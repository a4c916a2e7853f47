//! The files a hub keeps: no command writes over them, whatever they are called.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use handraise_broker::Power;
use handraise_client::Home;
use handraise_store_sqlite::belongings;

use crate::failure::{Exit, Failure};
use crate::restore;
use crate::serve::lock_of_database;
use crate::true_name::{are_the_same, true_name};

/// Deeper than anything in a home.
const DEEPEST: usize = 8;

/// Refuses to write to what is one of the hub's own files, or would be taken for one.
pub(crate) fn refuse(home: &Home, database: &Path, to: &Path) -> Result<(), Failure> {
    let bad = |what| bad(to, what);
    if is_database(database, to) {
        return bad("the database itself");
    }
    let own = [home.config(), home.lock(), home.log(), home.hub_file(), home.last_words()];
    let tokens = [Power::Agent, Power::Person].map(|of| home.token_file(of));
    let of_agents = fs::read_dir(home.agents()).into_iter().flatten().flatten();
    let of_agents = of_agents.map(|entry| entry.path());
    let mut own = own.into_iter().chain(tokens).chain(of_agents).chain(beside(database));
    if own.any(|own| is_same(&own, to)) {
        return bad("one of the hub's own files");
    }
    if is_kept_aside(database, to) {
        return bad("a database that a restore has kept");
    }
    Ok(())
}

/// The same for whatever is in its home, but for backups that somebody keeps there.
pub(crate) fn refuse_all(home: &Home, database: &Path, to: &Path) -> Result<(), Failure> {
    refuse(home, database, to)?;
    let to_itself = Identity::of(to);
    if to_itself.is_some() && !is_backup(to) && has(home.directory(), to_itself, DEEPEST) {
        return bad(to, "one of the hub's own files");
    }
    Ok(())
}

fn bad(to: &Path, what: &str) -> Result<(), Failure> {
    let error = anyhow::anyhow!("{} is {what}", to.display());
    Err(Failure::new(Exit::BadInput, error).hint("name another file; nothing was changed"))
}

/// What commands keep beside a database while they work on it.
fn beside(database: &Path) -> impl Iterator<Item = PathBuf> {
    let drafts = restore::drafts(database).into_iter().flat_map(|draft| belongings(&draft));
    drafts.chain([lock_of_database(database)])
}

/// Whether this is what a restore has kept.
fn is_kept_aside(database: &Path, file: &Path) -> bool {
    let begin = restore::kept_aside(database, "");
    let (Ok(file), Ok(begin)) = (true_name(file), true_name(&begin)) else { return false };
    file.as_os_str().as_encoded_bytes().starts_with(begin.as_os_str().as_encoded_bytes())
}

/// Whether this is a database, or a part of it.
pub(crate) fn is_database(database: &Path, file: &Path) -> bool {
    belongings(database).iter().any(|part| is_same(part, file))
}

/// Whether two names are of one file, or will be when it is there.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    let (here, there) = (Identity::of(one), Identity::of(other));
    (here.is_some() && here == there) || are_the_same(one, other)
}

/// Which file it is, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self { device: found.dev(), inode: found.ino() })
    }
}

/// Whether a file is somewhere in a directory.
fn has(directory: &Path, file: Option<Identity>, deepest: usize) -> bool {
    let Ok(entries) = fs::read_dir(directory) else { return false };
    entries.flatten().any(|entry| {
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_directory && deepest > 0 {
            return has(&entry.path(), file, deepest - 1);
        }
        Identity::of(&entry.path()) == file
    })
}

/// Whether a file is a database of Handraise's.
fn is_backup(path: &Path) -> bool {
    let mut begin = [0; 72];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut begin));
    // Where SQLite says that it is one, and which program's.
    read.is_ok() && begin.starts_with(b"SQLite format 3\0") && begin.ends_with(b"hand")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_hub_keeps_is_known_by_every_name() {
        let directory = tempfile::tempdir().unwrap();
        let (home, elsewhere) = (directory.path().join("home"), directory.path().join("else"));
        fs::create_dir_all(home.join("interviews")).unwrap();
        fs::create_dir(&elsewhere).unwrap();
        let home = Home::new(home);
        let database = home.database();
        let mut backup = b"SQLite format 3\0".to_vec();
        backup.resize(68, 0);
        backup.extend(b"hand and the rest");
        fs::write(&database, &backup).unwrap();
        fs::write(home.directory().join("kept.db"), &backup).unwrap();
        fs::write(home.directory().join("handraise.db.before-restore-1"), &backup).unwrap();
        fs::write(home.directory().join("interviews/one.json"), "{}").unwrap();
        fs::write(home.token_file(Power::Agent), "secret").unwrap();
        fs::write(elsewhere.join("mine"), "mine").unwrap();
        fs::hard_link(home.token_file(Power::Agent), elsewhere.join("hard")).unwrap();
        std::os::unix::fs::symlink(&database, elsewhere.join("soft")).unwrap();
        std::os::unix::fs::symlink(home.directory(), elsewhere.join("way")).unwrap();

        let refused = |path: &str| refuse_all(&home, &database, &elsewhere.join(path)).is_err();
        for own in [
            "hard",
            "soft",
            "way/handraise.db",
            "way/handraise.db-wal",
            "way/handraise.db-lock",
            "way/handraise.db-restoring-wal",
            "way/handraise.db.before-restore-1",
            "../home/agent.token",
            "../home/person.token",
            "way/config.toml",
            "way/hub.json",
            "way/interviews/one.json",
        ] {
            assert!(refused(own), "{own}");
        }
        for free in ["mine", "new", "way/new.db", "way/kept.db", "way/handraise.db.old", "none/x"] {
            assert!(!refused(free), "{free}");
        }
    }
}
