//! The specification's way to where it was wanted. It is in the home first: no answer is given twice because
//! a file could not be written.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use handraise_client::Home;

use super::place::{About, Place};
use crate::failure::{self, Exit, Failure};
use crate::output;

/// Refuses what could not be written in the end.
pub(super) fn check(to: &Path, force: bool) -> Result<(), Failure> {
    if to == Path::new("-") {
        return Ok(());
    }
    let bad = |error: anyhow::Error, hint: &str| {
        Err(Failure::new(Exit::BadInput, error).hint(hint.to_owned()))
    };
    let directory = to.parent().unwrap_or(Path::new("/"));
    match fs::metadata(to) {
        Ok(there) if there.is_dir() => {
            bad(anyhow::anyhow!("{} is a directory", to.display()), "name a file with -o FILE")
        }
        Ok(_) if !force => bad(
            anyhow::anyhow!("{} is there already", to.display()),
            "name another file with -o FILE, or replace it with --force",
        ),
        _ if !directory.is_dir() => bad(
            anyhow::anyhow!("there is no directory {}", directory.display()),
            "make it first, or name another file with -o FILE",
        ),
        _ => Ok(()),
    }
}

/// Keeps it in the home. The interview is finished then.
pub(super) fn keep(place: &Place, text: &str) -> Result<(), Failure> {
    let path = place.specification();
    write(&path, text, 0o600).map_err(|error| Failure::unwritable(&path, error))
}

/// Puts the specification that is kept where it was wanted.
pub(super) fn deliver(
    home: &Home,
    place: &Place,
    about: &About,
    force: bool,
) -> Result<Exit, Failure> {
    let kept = place.specification();
    let text = fs::read_to_string(&kept).map_err(|error| {
        let error = anyhow::Error::new(error).context(format!("cannot read {}", kept.display()));
        Failure::new(Exit::Internal, error)
    })?;
    if about.output == Path::new("-") {
        output::print(text.trim_end())?;
        return Ok(Exit::Answered);
    }
    let kept = || {
        let resume = super::resume(home, about);
        format!("nothing is lost; have it written elsewhere with: {resume} -o FILE")
    };
    // Hours may have gone by since it was looked at.
    check(&about.output, force).map_err(|failure| failure.hint(kept()))?;
    write(&about.output, &text, 0o666)
        .map_err(|error| Failure::unwritable(&about.output, error).hint(kept()))?;
    failure::say("The specification is written:");
    output::print(&about.output.display().to_string())?;
    Ok(Exit::Answered)
}

/// Writes a file whole or not at all; behind a link, and with the permissions it had.
fn write(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A pipe or a device is written to, not replaced.
        return fs::write(path, text);
    }
    let mode = old.map_or(mode, |old| old.permissions().mode());
    let directory = path.parent().unwrap_or(Path::new("/"));
    let mut draft = tempfile::Builder::new();
    draft.prefix(".handraise-").permissions(fs::Permissions::from_mode(mode));
    let mut draft = draft.tempfile_in(directory)?;
    draft.write_all(text.as_bytes())?;
    draft.as_file().sync_all()?;
    draft.persist(path).map_err(|error| error.error)?;
    fs::File::open(directory)?.sync_all()
}
