//! What changes among Claude Code's files, as the kernel tells it.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use notify::event::ModifyKind;
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::Notify;

use crate::transcript::Places;

/// Why nothing can be watched.
#[derive(Debug, thiserror::Error)]
pub enum Unwatchable {
    /// All of this account's watches are in use.
    #[error("the kernel has no watch left for {0}: raise fs.inotify.max_user_watches (sysctl)")]
    NoWatchLeft(PathBuf),
    /// All of this account's instances are in use.
    #[error(
        "the kernel does not let another program watch: raise fs.inotify.max_user_instances (sysctl)"
    )]
    NoInstanceLeft,
    /// It does not say why.
    #[error("changes of files cannot be watched: {0}")]
    Other(String),
}

/// The directories that are watched: Claude Code's own and the one above it, that of its sessions, and each
/// project's. Where one is not there yet, the nearest one above it is watched.
pub(super) struct Files {
    places: Places,
    config: PathBuf,
    watcher: RecommendedWatcher,
    watched: HashSet<PathBuf>,
    news: Arc<News>,
}

/// What changed since the last look.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Something, and nobody knows what.
    pub(super) everything: bool,
    /// What is said of sessions that run.
    pub(super) sessions: bool,
    /// Which directories there are.
    directories: bool,
    /// Directories that are not what they were.
    replaced: HashSet<PathBuf>,
    /// Transcripts.
    pub(super) transcripts: HashSet<PathBuf>,
}

#[derive(Default)]
struct News {
    changes: Mutex<Changes>,
    told: Notify,
}

/// Of more files than this it is simpler to look at all.
const MOST: usize = 10_000;

impl Files {
    /// Watches what there is.
    pub(super) fn watch(config: &Path) -> Result<Self, Unwatchable> {
        let news = Arc::new(News::default());
        let hearer = Hearer { config: config.to_owned(), news: Arc::clone(&news) };
        let watcher = notify::recommended_watcher(move |event| hearer.hear(event));
        let watcher = watcher.map_err(|error| unwatchable(config, &error))?;
        let places = Places::new(config.to_owned());
        let config = config.to_owned();
        let mut files = Self { places, config, watcher, watched: HashSet::new(), news };
        files.adjust(&HashSet::new())?;
        Ok(files)
    }

    /// Waits for a change. Whatever is new is watched when this returns: what it holds counts as changed.
    pub(super) async fn changed(&mut self) -> Result<Changes, Unwatchable> {
        loop {
            let mut changes = std::mem::take(&mut *self.news.lock());
            if changes.everything || changes.directories {
                changes.everything |= self.adjust(&changes.replaced)?;
            }
            if changes.everything || changes.sessions || !changes.transcripts.is_empty() {
                return Ok(changes);
            }
            self.news.told.notified().await;
        }
    }

    /// Watches the directories there are now; whether any of them is new.
    fn adjust(&mut self, replaced: &HashSet<PathBuf>) -> Result<bool, Unwatchable> {
        for path in replaced {
            if self.watched.remove(path) {
                // It is gone already, as a rule.
                let _ = self.watcher.unwatch(path);
            }
        }
        let mut any = false;
        // What is found in a directory that was not watched before may itself be new: once more.
        loop {
            let wanted = self.wanted();
            let gone: Vec<_> = self.watched.difference(&wanted).cloned().collect();
            for path in gone {
                let _ = self.watcher.unwatch(&path);
                self.watched.remove(&path);
            }
            let mut new = false;
            for path in wanted {
                if self.watched.contains(&path) {
                    continue;
                }
                match self.watcher.watch(&path, RecursiveMode::NonRecursive) {
                    Ok(()) => {
                        self.watched.insert(path);
                        new = true;
                    }
                    Err(error) => match unwatchable(&path, &error) {
                        Unwatchable::Other(_) => {}
                        serious @ (Unwatchable::NoWatchLeft(_) | Unwatchable::NoInstanceLeft) => {
                            return Err(serious);
                        }
                    },
                }
            }
            any |= new;
            if !new {
                return Ok(any);
            }
        }
    }

    fn wanted(&self) -> HashSet<PathBuf> {
        let own = [self.config.clone(), self.places.sessions(), self.places.projects()];
        let there = own.iter().map(|path| nearest(path));
        // A directory that somebody has open, as our lock has its own, is removed without a word: only the
        // one above tells.
        let above = self.config.parent().map(nearest);
        there.chain(above).chain(self.places.directories()).collect()
    }
}

/// Waits until there is a configuration directory.
pub(super) async fn until_there(config: &Path) -> Result<(), Unwatchable> {
    if config.is_dir() {
        return Ok(());
    }
    let mut files = Files::watch(config)?;
    // Whatever was made before it was watched is there now.
    while !config.is_dir() {
        files.changed().await?;
    }
    Ok(())
}

/// The directory, or the nearest one above it.
fn nearest(path: &Path) -> PathBuf {
    let there = path.ancestors().find(|path| path.is_dir());
    there.unwrap_or(Path::new("/")).to_owned()
}

/// Sorts what the kernel tells.
struct Hearer {
    config: PathBuf,
    news: Arc<News>,
}

impl Hearer {
    fn hear(&self, event: notify::Result<Event>) {
        let mut changes = self.news.lock();
        match event {
            // Of all that happens to files, nothing comes as often as that somebody reads them.
            Ok(Event { kind: EventKind::Access(_), .. }) => return,
            Ok(event) if event.need_rescan() => changes.everything = true,
            Ok(event) => {
                for path in &event.paths {
                    self.note(&mut changes, event.kind, path);
                }
            }
            Err(_) => changes.everything = true,
        }
        if changes.transcripts.len() > MOST || changes.replaced.len() > MOST {
            changes.transcripts.clear();
            changes.everything = true;
        }
        let worth_telling = changes.everything
            || changes.sessions
            || changes.directories
            || !changes.transcripts.is_empty();
        drop(changes);
        if worth_telling {
            self.news.told.notify_one();
        }
    }

    fn note(&self, changes: &mut Changes, kind: EventKind, path: &Path) {
        let (sessions, projects) = (self.config.join("sessions"), self.config.join("projects"));
        let above = path.parent();
        if self.config.starts_with(path) || path == sessions || path == projects {
            changes.directories = true;
            changes.everything = true;
            note_replaced(changes, kind, path);
        } else if above == Some(sessions.as_path()) {
            changes.sessions |= path.extension().is_some_and(|found| found == "json");
        } else if above == Some(projects.as_path()) {
            changes.directories = true;
            note_replaced(changes, kind, path);
        } else if above.and_then(Path::parent) == Some(projects.as_path())
            && path.extension().is_some_and(|found| found == "jsonl")
        {
            changes.transcripts.insert(path.to_owned());
        }
    }
}

fn note_replaced(changes: &mut Changes, kind: EventKind, path: &Path) {
    if matches!(kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))) {
        changes.replaced.insert(path.to_owned());
    }
}

impl News {
    fn lock(&self) -> std::sync::MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unwatchable(path: &Path, error: &notify::Error) -> Unwatchable {
    match &error.kind {
        ErrorKind::MaxFilesWatch => Unwatchable::NoWatchLeft(path.to_owned()),
        ErrorKind::Io(io) if is(io, rustix::io::Errno::NOSPC) => {
            Unwatchable::NoWatchLeft(path.to_owned())
        }
        ErrorKind::Io(io) if is(io, rustix::io::Errno::MFILE) => Unwatchable::NoInstanceLeft,
        ErrorKind::Io(_)
        | ErrorKind::Generic(_)
        | ErrorKind::PathNotFound
        | ErrorKind::WatchNotFound
        | ErrorKind::InvalidConfig(_) => Unwatchable::Other(error.to_string()),
    }
}

fn is(error: &io::Error, number: rustix::io::Errno) -> bool {
    error.raw_os_error() == Some(number.raw_os_error())
}
