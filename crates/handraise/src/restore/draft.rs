//! What is prepared beside a database to take its place, and how it does.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use handraise_broker::{AskStore, Broker, DeviceId, Head, RealWorld, Settings, Sound, StoreError};
use handraise_store_sqlite::{BEFORE_RESTORE, SqliteStore, belongings, copy, fold};

use crate::audit::audit;
use crate::failure::{Exit, Failure};
use crate::half_done::HalfDone;
use crate::own_files::is_same;
use crate::serve::store_failure;
use crate::{environment, room, runtime};

/// Where databases are prepared to take the place of this one.
pub(crate) fn drafts(file: &Path) -> [PathBuf; 2] {
    ["-restoring", "-restoring-2"].map(|end| {
        let mut path = file.as_os_str().to_owned();
        path.push(end);
        path.into()
    })
}

/// What a database is called that was there before a restore.
pub(crate) fn kept_aside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(format!("{BEFORE_RESTORE}{end}"));
    name.into()
}

/// A database that is about to take the place of another. It goes away unless it does.
pub(super) struct Draft {
    path: PathBuf,
    half_done: HalfDone,
}

impl Draft {
    /// Begins one, and removes what a restore that was killed has left, unless that is to be restored.
    pub(super) fn beside(file: &Path, from: &Path) -> Result<Self, Failure> {
        let is_source = |path: &PathBuf| belongings(path).iter().any(|part| is_same(part, from));
        let free: Vec<_> = drafts(file).into_iter().filter(|path| !is_source(path)).collect();
        for path in &free {
            remove(path);
        }
        let Some(path) = free.into_iter().next() else {
            let error = anyhow::anyhow!("{} is in the way of a restore", from.display());
            return Err(Failure::new(Exit::BadInput, error).hint("give it another name"));
        };
        let unwritable = |error| Failure::unwritable(&path, error);
        let half_done = HalfDone::guard(belongings(&path).to_vec()).map_err(unwritable)?;
        let mut options = OpenOptions::new();
        let made = options.create_new(true).write(true).mode(0o600).open(&path);
        made.map_err(unwritable)?;
        Ok(Self { path, half_done })
    }

    /// Makes it of the backup, in the present shape and sound; returns how many tokens were revoked.
    pub(super) fn fill(
        &self,
        backup: &Path,
        file: &Path,
        head: Option<Head>,
    ) -> Result<(Sound, usize), Failure> {
        let unusable = |error| {
            if error == StoreError::Full {
                remove(&self.path);
                let hint = "make room on that disk; nothing was changed";
                return room::full(&self.path, backup, hint);
            }
            store_failure(backup, error).hint("nothing was changed")
        };
        copy(backup, &self.path).map_err(unusable)?;
        let runtime = runtime::parallel().map_err(|error| Failure::new(Exit::Internal, error))?;
        runtime.block_on(async {
            let store = SqliteStore::open(&self.path).map_err(unusable)?;
            store.close().await;
            // As it was in the backup, before anything is added.
            let audited = audit(&self.path, head).await.map_err(unusable)?;
            let sound = audited.map_err(|broken| {
                let context = format!("the log in {} does not add up", backup.display());
                let error = anyhow::Error::new(broken).context(context);
                Failure::new(Exit::Internal, error).hint("nothing was changed")
            })?;
            let revoked = self.revoke_again(file).await?;
            Ok((sound, revoked))
        })
    }

    /// Whoever was shut out since the backup stays out, if the database that is there can be read.
    async fn revoke_again(&self, file: &Path) -> Result<usize, Failure> {
        let Ok(old) = SqliteStore::open_to_read(file) else { return Ok(0) };
        let known = old.revoked_devices().await;
        old.close().await;
        let known: Vec<DeviceId> = known.unwrap_or_default();
        let failed = |error| store_failure(&self.path, error);
        let store = SqliteStore::open(&self.path).map_err(failed)?;
        let counting = store.devices().await.map_err(failed)?;
        if !counting.iter().any(|(device, _)| known.contains(&device.id)) {
            store.close().await;
            return Ok(0);
        }
        let start =
            Broker::start(Arc::new(store.clone()), Arc::new(RealWorld), Settings::default());
        let (broker, writer) = start.await.map_err(failed)?;
        let mut revoked = 0;
        for device in broker.devices().into_iter().filter(|device| known.contains(&device.id)) {
            broker.revoke_device(device.id).await.map_err(crate::home::failure)?;
            revoked += 1;
        }
        drop(broker);
        writer.await.map_err(|error| Failure::new(Exit::Internal, error))?;
        store.close().await;
        Ok(revoked)
    }

    /// The one step. Returns where the database that was there is kept.
    pub(super) fn take_the_place_of(self, file: &Path) -> Result<Option<PathBuf>, Failure> {
        let unwritable = |error| Failure::unwritable(file, error);
        File::open(&self.path).and_then(|draft| draft.sync_all()).map_err(unwritable)?;
        self.half_done.finish();
        let before = keep_aside(file).map_err(unwritable)?;
        fs::rename(&self.path, file).map_err(unwritable)?;
        sync_directory(file).map_err(unwritable)?;
        Ok(before)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

fn remove(draft: &Path) {
    for path in belongings(draft) {
        // Most of them are not there.
        let _ = fs::remove_file(path);
    }
}

/// Gives the database another name beside its own, and leaves nothing beside it that belongs to it: the
/// new one would be taken for a part of the old.
fn keep_aside(file: &Path) -> io::Result<Option<PathBuf>> {
    if file.exists() {
        // A damaged one is kept as it is, with what is beside it.
        let _ = fold(file);
    }
    let there: Vec<_> =
        belongings(file).into_iter().enumerate().filter(|(_, path)| path.exists()).collect();
    if there.is_empty() {
        return Ok(None);
    }
    let aside = free_name(file);
    let names = belongings(&aside);
    for (at, path) in &there {
        if fs::hard_link(path, &names[*at]).is_err() {
            // Not every disk has links.
            let copied = fs::copy(path, &names[*at]);
            if let Err(error) = copied.and_then(|_| File::open(&names[*at])?.sync_all()) {
                remove(&aside);
                return Err(error);
            }
        }
    }
    sync_directory(file)?;
    for (_, path) in there.iter().filter(|(at, _)| *at > 0) {
        fs::remove_file(path)?;
    }
    Ok(Some(aside))
}

/// A name that says what it is, and that nothing has yet.
fn free_name(file: &Path) -> PathBuf {
    let now = environment::time().strftime("%Y%m%dT%H%M%SZ");
    let name = |end: &str| kept_aside(file, &format!("{now}{end}"));
    let mut names =
        std::iter::once(name("")).chain((2..).map(|number: u32| name(&format!("-{number}"))));
    names
        .find(|name| !belongings(name).iter().any(|path| path.exists()))
        .unwrap_or_else(|| name(""))
}

fn sync_directory(file: &Path) -> io::Result<()> {
    let directory = file.parent().filter(|path| *path != Path::new("")).unwrap_or(Path::new("."));
    File::open(directory)?.sync_all()
}
