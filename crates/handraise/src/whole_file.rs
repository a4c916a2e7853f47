//! Files that are written whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::{Exit, Failure};

/// Refuses what could not be written in the end; `named` says how files are named, as ` with -o FILE`.
pub(crate) fn check(to: &Path, force: bool, named: &str) -> Result<(), Failure> {
    if to == Path::new("-") {
        return Ok(());
    }
    let bad =
        |error: anyhow::Error, hint: String| Err(Failure::new(Exit::BadInput, error).hint(hint));
    let directory = to.parent().unwrap_or(Path::new("/"));
    match fs::metadata(to) {
        Ok(there) if there.is_dir() => {
            bad(anyhow::anyhow!("{} is a directory", to.display()), format!("name a file{named}"))
        }
        Ok(_) if !force => bad(
            anyhow::anyhow!("{} is there already", to.display()),
            format!("name another file{named}, or replace it with --force"),
        ),
        _ if !directory.is_dir() => bad(
            anyhow::anyhow!("there is no directory {}", directory.display()),
            format!("make it first, or name another file{named}"),
        ),
        _ => Ok(()),
    }
}

/// A file on its way. Nobody sees it before it is kept; behind a link, and with the permissions it had.
pub(crate) struct WholeFile {
    path: PathBuf,
    draft: Draft,
}

enum Draft {
    New(BufWriter<NamedTempFile>),
    /// A pipe or a device is written to, not replaced.
    Straight(BufWriter<File>),
}

impl WholeFile {
    /// Begins one; `mode` is what a new file gets, as far as the account's own rules allow.
    pub(crate) fn begin(path: &Path, mode: u32) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        let path = fs::canonicalize(&path).unwrap_or(path);
        let old = fs::metadata(&path).ok();
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            let straight = File::options().write(true).open(&path)?;
            return Ok(Self { path, draft: Draft::Straight(BufWriter::new(straight)) });
        }
        let mode = old.map_or(mode, |old| old.permissions().mode());
        let mut draft = tempfile::Builder::new();
        draft.prefix(".handraise-").permissions(fs::Permissions::from_mode(mode));
        let draft = draft.tempfile_in(directory(&path))?;
        Ok(Self { path, draft: Draft::New(BufWriter::new(draft)) })
    }

    /// Puts it in its place, on the disk.
    pub(crate) fn keep(self) -> io::Result<()> {
        match self.draft {
            Draft::Straight(mut straight) => straight.flush(),
            Draft::New(draft) => {
                let draft = draft.into_inner().map_err(io::IntoInnerError::into_error)?;
                draft.as_file().sync_all()?;
                draft.persist(&self.path).map_err(|error| error.error)?;
                File::open(directory(&self.path))?.sync_all()
            }
        }
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.draft {
            Draft::New(draft) => draft.write(bytes),
            Draft::Straight(straight) => straight.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.draft {
            Draft::New(draft) => draft.flush(),
            Draft::Straight(straight) => straight.flush(),
        }
    }
}

/// Writes one that is in memory.
pub(crate) fn write(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let mut file = WholeFile::begin(path, mode)?;
    file.write_all(text.as_bytes())?;
    file.keep()
}

fn directory(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}
