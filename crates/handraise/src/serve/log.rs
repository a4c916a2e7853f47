//! What the hub has to say while nobody listens.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A file grows no larger; the one before it is kept.
const LARGEST: u64 = 1024 * 1024;

/// A log file that stays small: when it is full it becomes `….old`, and a new one begins.
#[derive(Debug, Clone)]
pub(super) struct LogFile(Arc<Mutex<Open>>);

#[derive(Debug)]
struct Open {
    path: PathBuf,
    largest: u64,
    file: File,
    size: u64,
}

impl LogFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Self::of_size(path, LARGEST)
    }

    fn of_size(path: &Path, largest: u64) -> io::Result<Self> {
        let file = append(path)?;
        let size = file.metadata()?.len();
        Ok(Self(Arc::new(Mutex::new(Open { path: path.to_owned(), largest, file, size }))))
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let more = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if open.size > 0 && open.size.saturating_add(more) > open.largest {
            let mut old = open.path.clone().into_os_string();
            old.push(".old");
            fs::rename(&open.path, old)?;
            open.file = append(&open.path)?;
            open.size = 0;
        }
        let written = open.file.write(bytes)?;
        open.size += u64::try_from(written).unwrap_or(0);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stays_small_and_keeps_the_last_words() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("hub.log");
        let mut log = LogFile::of_size(&path, 100).unwrap();
        for line in 0..100 {
            writeln!(log, "line {line}").unwrap();
        }
        // One that goes on with it counts what is there.
        writeln!(LogFile::of_size(&path, 100).unwrap(), "{}", "x".repeat(90)).unwrap();
        let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
        assert_eq!(read("hub.log").trim_end(), "x".repeat(90));
        assert!(read("hub.log.old").ends_with("line 99\n"));
        assert!(read("hub.log.old").len() <= 100);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    }
}
