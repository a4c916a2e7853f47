//! `handraise backup`: all that a hub keeps, in one file.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use handraise_broker::Sound;
use handraise_client::Home;
use handraise_store_sqlite::{belongings, copy};
use serde_json::json;
use tempfile::NamedTempFile;

use crate::audit::{audit, good};
use crate::cli::BackupArgs;
use crate::failure::{self, Exit, Failure};
use crate::serve::{database_file, store_failure};
use crate::{inside_agent, output, runtime, whole_file};

pub(crate) fn run(home: &Home, args: &BackupArgs) -> Result<Exit, Failure> {
    inside_agent::refuse("backup", home)?;
    let file = database_file(home, args.database.as_deref())?;
    if !file.exists() {
        let error = anyhow::anyhow!("there is no database at {}", file.display());
        return Err(Failure::new(Exit::BadInput, error).hint("name its home with --data DIR"));
    }
    let to = std::path::absolute(&args.to).unwrap_or_else(|_| args.to.clone());
    whole_file::check(&to, args.force, "")?;
    refuse_itself(&file, &to)?;
    let unwritable = |error| Failure::unwritable(&to, error);
    let directory = to.parent().unwrap_or(Path::new("/"));
    let draft = draft(directory).map_err(unwritable)?;
    copy(&file, draft.path()).map_err(|error| store_failure(&file, error))?;
    let sound = verified(draft.path())?;
    put(draft, &to, args.force).map_err(unwritable)?;
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

/// The database is not to be replaced by its own copy: a hub may have it open.
fn refuse_itself(file: &Path, to: &Path) -> Result<(), Failure> {
    let name = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if !belongings(&name(file)).contains(&name(to)) {
        return Ok(());
    }
    let error = anyhow::anyhow!("{} is the database itself", to.display());
    Err(Failure::new(Exit::BadInput, error).hint("name another file"))
}

/// A file for its owner's eyes only; it goes away unless it is put in its place.
fn draft(directory: &Path) -> io::Result<NamedTempFile> {
    let mut draft = tempfile::Builder::new();
    draft.prefix(".handraise-backup-").permissions(fs::Permissions::from_mode(0o600));
    draft.tempfile_in(directory)
}

/// Reads all of the copy once more: a backup that cannot be used is none.
fn verified(copy: &Path) -> Result<Sound, Failure> {
    let runtime = runtime::single().map_err(|error| Failure::new(Exit::Internal, error))?;
    let audited = runtime.block_on(audit(copy, None));
    let audited = audited.map_err(|error| store_failure(copy, error))?;
    audited.map_err(|broken| {
        let error =
            anyhow::Error::new(broken).context("the log does not add up; no backup was made");
        Failure::new(Exit::Internal, error)
    })
}

fn put(draft: NamedTempFile, to: &Path, force: bool) -> io::Result<()> {
    draft.as_file().sync_all()?;
    let put = if force { draft.persist(to) } else { draft.persist_noclobber(to) };
    put.map_err(|error| error.error)?;
    File::open(to.parent().unwrap_or(Path::new("/")))?.sync_all()
}
