//! `handraise restore`: a backup in the place of the database.
//!
//! All is prepared beside the database, which changes in one step at the end: whatever happens, there is
//! the old one or the new one, and the old one is kept.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use handraise_broker::{AskStore, Broker, DeviceId, Head, RealWorld, Settings, Sound};
use handraise_client::Home;
use handraise_store_sqlite::{SqliteStore, belongings, copy, fold};
use serde_json::json;

use crate::audit::{audit, good};
use crate::cli::RestoreArgs;
use crate::failure::{self, Exit, Failure};
use crate::home::data_option;
use crate::serve::{Lock, database_file, store_failure};
use crate::{environment, inside_agent, output, runtime};

pub(crate) fn run(home: &Home, args: &RestoreArgs) -> Result<Exit, Failure> {
    inside_agent::refuse("restore", home)?;
    if !args.from.is_file() {
        let error = anyhow::anyhow!("there is no backup at {}", args.from.display());
        return Err(Failure::new(Exit::BadInput, error));
    }
    let file = database_file(home, args.database.as_deref())?;
    // What a link leads to is replaced, not the link.
    let file = fs::canonicalize(&file).unwrap_or(file);
    let stop = "stop it first: what it keeps would be lost";
    // Nobody starts a hub before this is done.
    let _home = Lock::of_home(home).map_err(|failure| failure.hint(stop))?;
    let _database = Lock::of_database(&file).map_err(|failure| failure.hint(stop))?;
    let draft = Draft::beside(&file)?;
    let (sound, revoked) = draft.fill(&args.from, &file, args.head)?;
    let before = draft.take_the_place_of(&file)?;
    let before = before.map(|path| path.display().to_string());
    if args.json {
        let Sound { head, pruned } = sound;
        output::print_json(&json!({
            "events": head.seq, "head": head.to_string(), "pruned": pruned, "revoked": revoked,
            "before": before,
        }))?;
        return Ok(Exit::Answered);
    }
    output::print(&good(&sound))?;
    if let Some(before) = before {
        output::print(&format!("  what was there before is {before}"))?;
    }
    match revoked {
        0 => {}
        1 => output::print("  1 token that was revoked since is revoked again")?,
        tokens => output::print(&format!("  {tokens} tokens revoked since are revoked again"))?,
    }
    let data = data_option(home);
    failure::say(&format!(
        "Start the hub with: handraise serve{data}\n\
         See who may come in with: handraise device list{data}"
    ));
    Ok(Exit::Answered)
}

/// A database that is about to take the place of another. It goes away unless it does.
struct Draft(PathBuf);

impl Draft {
    fn beside(file: &Path) -> Result<Self, Failure> {
        let mut path = file.as_os_str().to_owned();
        path.push("-restoring");
        let draft = Self(path.into());
        // One that was left by a restore that was killed.
        draft.remove();
        let mut options = OpenOptions::new();
        let made = options.create_new(true).write(true).mode(0o600).open(&draft.0);
        made.map_err(|error| Failure::unwritable(&draft.0, error))?;
        Ok(draft)
    }

    /// Makes it of the backup, in the present shape and sound; returns how many tokens were revoked.
    fn fill(
        &self,
        backup: &Path,
        file: &Path,
        head: Option<Head>,
    ) -> Result<(Sound, usize), Failure> {
        let unusable = |error| store_failure(backup, error).hint("nothing was changed");
        copy(backup, &self.0).map_err(unusable)?;
        let runtime = runtime::parallel().map_err(|error| Failure::new(Exit::Internal, error))?;
        runtime.block_on(async {
            let store = SqliteStore::open(&self.0).map_err(unusable)?;
            store.close().await;
            // As it was in the backup, before anything is added.
            let audited = audit(&self.0, head).await.map_err(unusable)?;
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
        let failed = |error| store_failure(&self.0, error);
        let store = SqliteStore::open(&self.0).map_err(failed)?;
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
    fn take_the_place_of(self, file: &Path) -> Result<Option<PathBuf>, Failure> {
        let unwritable = |error| Failure::unwritable(file, error);
        File::open(&self.0).and_then(|draft| draft.sync_all()).map_err(unwritable)?;
        let before = keep_aside(file).map_err(unwritable)?;
        fs::rename(&self.0, file).map_err(unwritable)?;
        sync_directory(file).map_err(unwritable)?;
        Ok(before)
    }

    fn remove(&self) {
        for path in belongings(&self.0) {
            // Most of them are not there.
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        self.remove();
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
            fs::copy(path, &names[*at])?;
            File::open(&names[*at])?.sync_all()?;
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
    let name = |end: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(format!(".before-restore-{now}{end}"));
        PathBuf::from(name)
    };
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
