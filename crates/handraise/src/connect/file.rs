//! The settings file: read once, replaced whole or not at all.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use crate::failure::{Exit, Failure};
use crate::true_name::true_name;

/// A settings file as it was when we looked.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    named: PathBuf,
    target: PathBuf,
    text: Option<String>,
}

impl SettingsFile {
    /// Reads it; a file that is not there is nothing unusual.
    pub(crate) fn read(named: &Path) -> Result<Self, Failure> {
        let unreadable = |error: io::Error| {
            let context = format!("cannot read {}", named.display());
            Failure::new(Exit::BadInput, anyhow::Error::new(error).context(context))
        };
        let target = true_name(named).map_err(unreadable)?;
        let text = match contents(&target).map_err(unreadable)? {
            None => None,
            Some(bytes) => Some(String::from_utf8(bytes).map_err(|error| {
                let at = error.utf8_error().valid_up_to();
                let error = anyhow::anyhow!("{} is not UTF-8 (at byte {at})", named.display());
                Failure::new(Exit::BadInput, error).hint("nothing was changed")
            })?),
        };
        Ok(Self { named: named.to_owned(), target, text })
    }

    /// The path by which it was asked for.
    pub(crate) fn named(&self) -> &Path {
        &self.named
    }

    /// The same, for people.
    pub(crate) fn name(&self) -> String {
        self.named.display().to_string()
    }

    /// Where it really is, behind all links.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// What was in it, if it was there.
    pub(crate) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The directories it needs that are not there, the innermost first.
    pub(crate) fn missing_directories(&self) -> Vec<PathBuf> {
        let above = self.target.ancestors().skip(1);
        above.take_while(|directory| !directory.exists()).map(Path::to_owned).collect()
    }

    /// Refuses what its owner has made read-only. The superuser could write it; that is no reason to.
    pub(crate) fn check_writable(&self) -> Result<(), Failure> {
        let mut places =
            self.target.ancestors().filter_map(|path| Some((path, fs::metadata(path).ok()?)));
        // The file, if it is there, and the directory that it is, or its first new one will be, in.
        let file = places.next();
        let directory = match &file {
            Some((_, metadata)) if metadata.is_file() => places.next(),
            _ => None,
        };
        for (path, metadata) in file.into_iter().chain(directory) {
            if metadata.mode() & 0o200 == 0 {
                let error = anyhow::anyhow!("{} is read-only", path.display());
                let hint = "make it writable (chmod u+w), then run this again; nothing was changed";
                return Err(Failure::new(Exit::BadInput, error).hint(hint));
            }
        }
        Ok(())
    }

    /// Replaces it, unless somebody else has changed it since it was read.
    pub(crate) fn replace(&self, text: &str) -> Result<(), Failure> {
        let made = self.missing_directories();
        let replaced = self.try_replace(text);
        if replaced.is_err() {
            remove_directories(&made);
        }
        replaced
    }

    fn try_replace(&self, text: &str) -> Result<(), Failure> {
        let unwritable = |error| self.unwritable(error);
        let directory = self.target.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(directory).map_err(unwritable)?;
        let old = fs::metadata(&self.target).ok();
        let mut draft = tempfile::Builder::new();
        // A new file is what the umask makes of it, as if anybody had made it.
        let mode = if old.is_some() { 0o600 } else { 0o666 };
        draft.prefix(".handraise-").permissions(fs::Permissions::from_mode(mode));
        let mut draft = draft.tempfile_in(directory).map_err(unwritable)?;
        draft.write_all(text.as_bytes()).map_err(unwritable)?;
        if let Some(old) = old {
            take_after(draft.as_file(), &old).map_err(unwritable)?;
        }
        draft.as_file().sync_all().map_err(unwritable)?;
        self.check_unchanged()?;
        draft.persist(&self.target).map_err(|error| unwritable(error.error))?;
        sync(directory);
        Ok(())
    }

    /// Removes it, and those of the directories that are empty then.
    pub(crate) fn remove(&self, directories: &[PathBuf]) -> Result<(), Failure> {
        self.check_unchanged()?;
        fs::remove_file(&self.target).map_err(|error| self.unwritable(error))?;
        if let Some(directory) = self.target.parent() {
            sync(directory);
        }
        remove_directories(directories);
        Ok(())
    }

    fn check_unchanged(&self) -> Result<(), Failure> {
        let same_place = true_name(&self.named).is_ok_and(|target| target == self.target);
        let now = contents(&self.target).map_err(|error| self.unwritable(error))?;
        if same_place && now.as_deref() == self.text.as_deref().map(str::as_bytes) {
            return Ok(());
        }
        Err(self.changed())
    }

    /// Somebody else was faster.
    pub(crate) fn changed(&self) -> Failure {
        let error = anyhow::anyhow!("{} was changed by somebody else meanwhile", self.name());
        let hint = "run this again to see what would change now; nothing was changed";
        Failure::new(Exit::Withdrawn, error).hint(hint)
    }

    fn unwritable(&self, error: io::Error) -> Failure {
        let full = matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
        let context = format!("cannot write {}", self.name());
        Failure::new(Exit::Internal, anyhow::Error::new(error).context(context)).hint(if full {
            "make room on that disk, and run this again; nothing was changed"
        } else {
            "nothing was changed"
        })
    }
}

fn contents(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(ErrorKind::IsADirectory.into()),
        // To read a pipe or a device may take for ever.
        Ok(metadata) if !metadata.is_file() => Err(io::Error::other("not a file")),
        Ok(_) => fs::read(path).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Gives a new file the mode and the owner of the one it replaces.
fn take_after(file: &File, old: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // Only the superuser may give files away; whoever may write this one keeps it then.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
    file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o7777))
}

/// Makes a new name in a directory last; where that cannot be had, the name is there all the same.
fn sync(directory: &Path) {
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
}

/// Removes directories, unless there is something in them.
fn remove_directories(directories: &[PathBuf]) {
    for directory in directories {
        if fs::remove_dir(directory).is_err() {
            return;
        }
    }
}
