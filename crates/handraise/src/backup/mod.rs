//! `handraise backup`: all that a hub keeps, in one file.

mod draft;

use std::fs;
use std::path::{Path, PathBuf};

use handraise_broker::{Sound, StoreError};
use handraise_client::Home;
use handraise_store_sqlite::copy;
use serde_json::json;

use crate::audit::{audit, good};
use crate::cli::BackupArgs;
use crate::failure::{self, Exit, Failure};
use crate::home::refuse_elsewhere;
use crate::serve::{database_file, store_failure};
use crate::{inside_agent, output, own_files, room, runtime, whole_file};
use draft::Draft;

const ELSEWHERE: &str = "name another file";

pub(crate) fn run(home: &Home, args: &BackupArgs) -> Result<Exit, Failure> {
    inside_agent::refuse("backup", home)?;
    if args.database.is_none() {
        refuse_elsewhere(home, "--database URL")?;
    }
    let file = database_file(home, args.database.as_deref())?;
    if !file.exists() {
        let error = anyhow::anyhow!("there is no database at {}", file.display());
        return Err(Failure::new(Exit::BadInput, error).hint("name its home with --data DIR"));
    }
    let to = place(&args.to)?;
    own_files::refuse_all(home, &file, &to)?;
    whole_file::check(&to, args.force, "")?;
    let unwritten = |error| Failure::unwritten(&to, error, ELSEWHERE);
    let draft = Draft::begin(to.parent().unwrap_or(Path::new("/"))).map_err(unwritten)?;
    if let Err(error) = copy(&file, draft.path()) {
        // Before the room is measured.
        drop(draft);
        if error == StoreError::Full {
            let hint = "make room on that disk, or name a file on another; nothing was changed";
            return Err(room::full(&to, &file, hint));
        }
        return Err(store_failure(&file, error));
    }
    let sound = verified(draft.path(), &file)?;
    draft.put(&to, args.force).map_err(unwritten)?;
    if args.json {
        let Sound { head, pruned } = sound;
        output::print_json(&json!({
            "file": to.display().to_string(), "events": head.seq, "head": head.to_string(),
            "pruned": pruned,
        }))?;
    } else {
        output::print(&format!("{}\n  file {}", good(&sound), to.display()))?;
        failure::say(
            "Keep the head apart from the file: it tells whether the file is still the same.",
        );
    }
    Ok(Exit::Answered)
}

/// Where the backup goes: to what a link leads to, as everywhere. A device, a pipe or a socket is no
/// place for one, whatever is wanted.
fn place(to: &Path) -> Result<PathBuf, Failure> {
    let bad = |what: &str| {
        let error = anyhow::anyhow!("{} is {what}", to.display());
        Err(Failure::new(Exit::BadInput, error).hint(ELSEWHERE))
    };
    let to_come = || Ok(std::path::absolute(to).unwrap_or_else(|_| to.to_owned()));
    match fs::symlink_metadata(to) {
        Err(_) => to_come(),
        Ok(there) if there.is_symlink() => match fs::canonicalize(to) {
            Ok(led_to) if led_to.is_file() || led_to.is_dir() => Ok(led_to),
            Ok(_) => bad("a link to a device, a pipe or a socket"),
            Err(_) => bad("a link that leads nowhere"),
        },
        Ok(there) if there.is_file() || there.is_dir() => to_come(),
        Ok(_) => bad("a device, a pipe or a socket, not a file"),
    }
}

/// Reads all of the copy once more: a backup that cannot be used is none.
fn verified(copy: &Path, of: &Path) -> Result<Sound, Failure> {
    let runtime = runtime::single().map_err(|error| Failure::new(Exit::Internal, error))?;
    let audited = runtime.block_on(audit(copy, None));
    let audited = audited.map_err(|error| store_failure(of, error))?;
    audited.map_err(|broken| {
        let error =
            anyhow::Error::new(broken).context("the log does not add up; no backup was made");
        Failure::new(Exit::Internal, error)
    })
}
