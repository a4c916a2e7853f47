//! One watch for a configuration directory, whichever hub it works for: two that type into the same
//! dialog would get in each other's way.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use tokio::sync::oneshot;

/// Held for as long as a watch is at work. The system lets go of it when the process dies.
///
/// The directories themselves are locked, so that nothing is written among Claude Code's files and every
/// path that leads there leads to the same lock.
#[derive(Debug)]
pub(super) struct Lock {
    _files: Vec<File>,
}

/// What became of an attempt.
pub(super) enum Taken {
    /// It is ours.
    Ours(Lock),
    /// Another watch has it: its process, where the system says so.
    Anothers(Option<u32>),
}

impl Lock {
    /// Takes it, unless another watch has it. A watch of one workspace alone leaves the others to other
    /// watches.
    pub(super) fn try_take(config: &Path, workspace: Option<&Path>) -> Taken {
        let mut files = vec![];
        for (path, shared) in places(config, workspace) {
            // What cannot be opened or locked (a network file system) keeps nobody from watching: before
            // each key it is made sure that nobody else types.
            let Ok(file) = File::open(path) else { continue };
            let locked = if shared { file.try_lock_shared() } else { file.try_lock() };
            match locked {
                Ok(()) => files.push(file),
                Err(TryLockError::WouldBlock) => return Taken::Anothers(holder(&file)),
                Err(TryLockError::Error(_)) => {}
            }
        }
        Taken::Ours(Self { _files: files })
    }

    /// Waits until it can be taken. A thread of its own waits, so that nothing wakes up meanwhile.
    pub(super) async fn take(config: &Path, workspace: Option<&Path>) -> io::Result<Self> {
        let places = places(config, workspace);
        let places: Vec<_> =
            places.into_iter().map(|(path, shared)| (path.to_owned(), shared)).collect();
        let (done, taken) = oneshot::channel();
        std::thread::Builder::new().name("watch-lock".into()).spawn(move || {
            let lock = |(path, shared): (_, bool)| {
                let file = File::open(path).ok()?;
                let locked = if shared { file.lock_shared() } else { file.lock() };
                locked.is_ok().then_some(file)
            };
            let files = places.into_iter().filter_map(lock).collect();
            // When nobody waits for it any more, it is let go of.
            let _ = done.send(Self { _files: files });
        })?;
        taken.await.map_err(io::Error::other)
    }
}

/// What is to be locked, and whether others may have it locked in the same way.
fn places<'a>(config: &'a Path, workspace: Option<&'a Path>) -> Vec<(&'a Path, bool)> {
    let own = workspace.map(|workspace| (workspace, false));
    std::iter::once((config, workspace.is_some())).chain(own).collect()
}

/// The process that has locked a file.
fn holder(file: &File) -> Option<u32> {
    let inode = file.metadata().ok()?.ino();
    holder_in(&fs::read_to_string("/proc/locks").ok()?, inode)
}

/// The same, from the kernel's list: `1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF`.
fn holder_in(locks: &str, inode: u64) -> Option<u32> {
    locks.lines().find_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        // One that waits for it has an arrow before its kind.
        let [_, "FLOCK", _, _, pid, place, ..] = words[..] else { return None };
        let locked = place.rsplit(':').next()?.parse::<u64>().ok()?;
        (locked == inode).then(|| pid.parse().ok()).flatten().filter(|pid| *pid != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ours(taken: &Taken) -> bool {
        matches!(taken, Taken::Ours(_))
    }

    #[test]
    fn a_second_watch_of_a_directory_learns_whose_it_is() {
        let config = tempfile::tempdir().unwrap();
        let link = config.path().join("link");
        std::os::unix::fs::symlink(config.path(), &link).unwrap();
        let first = Lock::try_take(config.path(), None);
        assert!(is_ours(&first));
        for path in [config.path(), &link] {
            match Lock::try_take(path, None) {
                Taken::Anothers(pid) => assert_eq!(pid, Some(std::process::id())),
                Taken::Ours(_) => panic!("two have it"),
            }
        }
        drop(first);
        assert!(is_ours(&Lock::try_take(&link, None)));
    }

    #[test]
    fn watches_of_different_workspaces_go_together() {
        let config = tempfile::tempdir().unwrap();
        let [one, two] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        let first = Lock::try_take(config.path(), Some(one.path()));
        let second = Lock::try_take(config.path(), Some(two.path()));
        assert!(is_ours(&first) && is_ours(&second));
        assert!(!is_ours(&Lock::try_take(config.path(), Some(one.path()))));
        assert!(!is_ours(&Lock::try_take(config.path(), None)));
        drop((first, second));
        let all = Lock::try_take(config.path(), None);
        assert!(is_ours(&all));
        assert!(!is_ours(&Lock::try_take(config.path(), Some(one.path()))));
    }

    #[tokio::test]
    async fn one_that_waits_has_it_when_the_other_ends() {
        let config = tempfile::tempdir().unwrap();
        let first = Lock::try_take(config.path(), None);
        let waiting = Lock::take(config.path(), None);
        tokio::pin!(waiting);
        tokio::select! {
            biased;
            _ = &mut waiting => panic!("two have it"),
            () = tokio::task::yield_now() => {}
        }
        drop(first);
        let _second = waiting.await.unwrap();
        assert!(!is_ours(&Lock::try_take(config.path(), None)));
    }

    #[test]
    fn a_directory_that_is_not_there_keeps_nobody_from_watching() {
        assert!(is_ours(&Lock::try_take(Path::new("/nowhere/at/all"), None)));
    }

    #[test]
    fn who_has_a_lock_is_read_from_the_kernels_list() {
        let locks = "\
1: POSIX  ADVISORY  WRITE 11 08:01:5678 0 EOF
2: FLOCK  ADVISORY  WRITE 12 00:2f:567 0 EOF
3: FLOCK  ADVISORY  WRITE 13 00:2f:5678 0 EOF
3: -> FLOCK  ADVISORY  WRITE 14 00:2f:5678 0 EOF
nonsense
4: FLOCK  ADVISORY  READ 0 00:2f:9 0 EOF
";
        assert_eq!(holder_in(locks, 5678), Some(13));
        assert_eq!(holder_in(locks, 567), Some(12));
        for nobody in [9, 1] {
            assert_eq!(holder_in(locks, nobody), None);
        }
    }
}
