//! Small files in the hub's home, for the next hub.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What was kept there; nothing, if nothing can be made of it.
pub(crate) fn read<T: DeserializeOwned + Default>(file: &Path) -> T {
    let kept = fs::read(file).ok();
    kept.and_then(|kept| serde_json::from_slice(&kept).ok()).unwrap_or_default()
}

/// Keeps it, whole or not at all. Not synced: it has to outlive the process, not the machine.
pub(crate) fn keep<T: Serialize>(file: &Path, what: &T) {
    let kept = || -> io::Result<()> {
        let draft = file.with_extension("new");
        let mut options = OpenOptions::new();
        options.create(true).truncate(true).write(true).mode(0o600);
        options.open(&draft)?.write_all(&serde_json::to_vec(what)?)?;
        fs::rename(draft, file)
    };
    if let Err(error) = kept() {
        tracing::debug!(%error, file = %file.display(), "what is shown cannot be noted");
    }
}
