//! Files that are written whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::fd::AsRawFd;
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
    /// It has no name until it is whole: a process that is killed leaves nothing behind.
    Nameless(BufWriter<File>),
    /// Where there are no such files.
    Named(BufWriter<NamedTempFile>),
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
        let draft = if let Some(draft) = nameless(directory(&path), mode)? {
            Draft::Nameless(BufWriter::new(draft))
        } else {
            let mut draft = names();
            draft.permissions(fs::Permissions::from_mode(mode));
            Draft::Named(BufWriter::new(draft.tempfile_in(directory(&path))?))
        };
        let file = Self { path, draft };
        if let Some(old) = old {
            file.permit(old.permissions())?;
        }
        Ok(file)
    }

    fn permit(&self, permissions: fs::Permissions) -> io::Result<()> {
        match &self.draft {
            Draft::Nameless(draft) => draft.get_ref().set_permissions(permissions),
            Draft::Named(draft) => draft.get_ref().as_file().set_permissions(permissions),
            Draft::Straight(_) => Ok(()),
        }
    }

    /// Puts it in its place, on the disk.
    pub(crate) fn keep(self) -> io::Result<()> {
        match self.draft {
            Draft::Straight(mut straight) => return straight.flush(),
            Draft::Nameless(draft) => {
                let draft = draft.into_inner().map_err(io::IntoInnerError::into_error)?;
                draft.sync_all()?;
                // A name beside the one it is for: what is there is replaced in one step.
                let named = names().make_in(directory(&self.path), |name| call(&draft, name))?;
                named.persist(&self.path).map_err(|error| error.error)?;
            }
            Draft::Named(draft) => {
                let draft = draft.into_inner().map_err(io::IntoInnerError::into_error)?;
                draft.as_file().sync_all()?;
                draft.persist(&self.path).map_err(|error| error.error)?;
            }
        }
        File::open(directory(&self.path))?.sync_all()
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.draft {
            Draft::Named(draft) => draft.write(bytes),
            Draft::Nameless(draft) | Draft::Straight(draft) => draft.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.draft {
            Draft::Named(draft) => draft.flush(),
            Draft::Nameless(draft) | Draft::Straight(draft) => draft.flush(),
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

/// How files on their way are called.
fn names() -> tempfile::Builder<'static, 'static> {
    let mut names = tempfile::Builder::new();
    names.prefix(".handraise-");
    names
}

/// A file that only this process has, where the disk knows such files.
#[cfg(target_os = "linux")]
fn nameless(directory: &Path, mode: u32) -> io::Result<Option<File>> {
    use rustix::fs::{Mode, OFlags};
    use rustix::io::Errno;
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    match rustix::fs::open(directory, flags, Mode::from_raw_mode(mode)) {
        // It is named through there.
        Ok(file) => Ok(Path::new("/proc/self/fd").is_dir().then(|| file.into())),
        // No other file could be made there either.
        Err(error @ (Errno::ACCESS | Errno::PERM | Errno::ROFS | Errno::NOSPC | Errno::DQUOT)) => {
            Err(error.into())
        }
        Err(_) => Ok(None),
    }
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path, _: u32) -> io::Result<Option<File>> {
    Ok(None)
}

/// Gives a file without a name one that nothing has.
fn call(file: &File, name: &Path) -> io::Result<()> {
    let number = file.as_raw_fd();
    let (here, follow) = (rustix::fs::CWD, rustix::fs::AtFlags::SYMLINK_FOLLOW);
    Ok(rustix::fs::linkat(here, format!("/proc/self/fd/{number}"), here, name, follow)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_there_whole_or_not_at_all_and_keeps_its_permissions() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let entries = || fs::read_dir(directory.path()).unwrap().count();
        let mut given_up = WholeFile::begin(&path, 0o600).unwrap();
        given_up.write_all(b"half").unwrap();
        drop(given_up);
        assert_eq!(entries(), 0);
        write(&path, "one", 0o600).unwrap();
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        write(&path, "two", 0o600).unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), mode()), ("two", 0o666));
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, "three", 0o600).unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), entries()), ("three", 2));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
