//! A history in a file: one JSON line for each entry.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use super::{Entry, History, HistoryError, HistoryStore};

/// A file that only its owner may read. Each entry is on the disk before anything is done about it.
#[derive(Debug)]
pub struct HistoryFile {
    file: Arc<File>,
    /// Up to here the file is whole lines.
    length: u64,
}

impl HistoryFile {
    /// Opens the history in `path`, or begins one. As long as it is open, nobody else can open it.
    ///
    /// A last line that was not written to its end, because the process or the machine died, is cut
    /// off: nothing was done about it.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is damaged, or is open elsewhere.
    pub async fn open(path: impl Into<PathBuf>) -> Result<History, HistoryError> {
        let path = path.into();
        let opened = tokio::task::spawn_blocking(move || open(&path)).await;
        let (entries, file) = opened.map_err(|_| HistoryError::Read("given up".to_owned()))??;
        Ok(History::kept(entries, file))
    }
}

fn open(path: &Path) -> Result<(Vec<Entry>, HistoryFile), HistoryError> {
    let unreadable = |error: std::io::Error| HistoryError::Read(error.kind().to_string());
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true).mode(0o600);
    let mut file = options.open(path).map_err(unreadable)?;
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => HistoryError::InUse,
        TryLockError::Error(error) => unreadable(error),
    })?;
    let mut bytes = vec![];
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let entries = read(&bytes[..whole])?;
    if whole < bytes.len() {
        file.set_len(whole as u64).map_err(unreadable)?;
    }
    // A new file is there for good only when its directory knows it.
    if let Some(directory) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        File::open(directory).and_then(|directory| directory.sync_all()).map_err(unreadable)?;
    }
    Ok((entries, HistoryFile { file: Arc::new(file), length: whole as u64 }))
}

fn read(lines: &[u8]) -> Result<Vec<Entry>, HistoryError> {
    let lines = lines.split_inclusive(|byte| *byte == b'\n').enumerate();
    lines
        .map(|(i, line)| serde_json::from_slice(line).map_err(|_| HistoryError::Damaged(i + 1)))
        .collect()
}

#[async_trait]
impl HistoryStore for HistoryFile {
    async fn append(&mut self, entry: &Entry) -> Result<(), HistoryError> {
        let unwritable = |error: std::io::Error| HistoryError::Write(error.kind().to_string());
        let mut line = serde_json::to_vec(entry).map_err(|error| unwritable(error.into()))?;
        line.push(b'\n');
        let (file, before, written) = (Arc::clone(&self.file), self.length, line.len() as u64);
        let writing = tokio::task::spawn_blocking(move || {
            let kept = (&*file).write_all(&line).and_then(|()| file.sync_data());
            if kept.is_err() {
                // Half a line would make the next one unreadable. If even this fails, opening cuts it.
                let _ = file.set_len(before);
            }
            kept
        });
        let kept = writing.await.map_err(|_| HistoryError::Write("given up".to_owned()))?;
        kept.map_err(unwritable)?;
        self.length = before + written;
        Ok(())
    }
}
