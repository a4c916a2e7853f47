//! The list of the dashboard's files, as Rust.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

const NAME: &str = "dashboard.rs";

pub(crate) fn write_empty(out: &Path) -> io::Result<()> {
    fs::write(out.join(NAME), "&[]")
}

pub(crate) fn write(out: &Path, directory: &Path) -> io::Result<()> {
    let files = files(directory)?;
    let mut table = vec![];
    for file in &files {
        if file.extension().is_some_and(|extension| extension == "gz") {
            continue;
        }
        let path = file.strip_prefix(directory).unwrap_or(file);
        let mut twin = file.clone().into_os_string();
        twin.push(".gz");
        let twin = PathBuf::from(twin);
        let gzip =
            if files.contains(&twin) { format!("Some({})", bytes(&twin)) } else { "None".into() };
        let mut digest = DefaultHasher::new();
        fs::read(file)?.hash(&mut digest);
        let path = path.display().to_string();
        let etag = format!("W/\"{:016x}\"", digest.finish());
        let bytes = bytes(file);
        table.push(format!(
            "File {{ path: {path:?}, etag: {etag:?}, bytes: {bytes}, gzip: {gzip} }}"
        ));
    }
    fs::write(out.join(NAME), format!("&[{}]", table.join(",\n")))
}

/// Every file below a directory, in the same order each time.
pub(crate) fn files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = vec![];
    find(directory, &mut files)?;
    files.sort();
    Ok(files)
}

fn bytes(file: &Path) -> String {
    format!("include_bytes!({:?})", file.display().to_string())
}

fn find(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() { find(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
