//! Opening what may be anything: a pipe nobody writes to, a device, a link to itself.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a file to read it, if that is what it is. Never waits for anybody.
pub(super) fn open(path: &Path) -> io::Result<(File, Metadata)> {
    // Looked at first: opening alone may do something to a device.
    regular(&std::fs::metadata(path)?)?;
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    regular(&metadata)?;
    Ok((file, metadata))
}

fn regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = if metadata.is_dir() { "it is a directory" } else { "it is no regular file" };
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

/// The beginning of a small file; nothing when there is none.
pub(crate) fn beginning(path: &Path, most: u64) -> Option<Vec<u8>> {
    let (file, _) = open(path).ok()?;
    let mut bytes = vec![];
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
