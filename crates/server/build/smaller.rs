//! A smaller twin beside each file of text, for those who can read it.

use std::fs;
use std::io;
use std::path::Path;

use zopfli::{Format, Options};

const TEXT: [&str; 6] = ["html", "js", "css", "svg", "json", "webmanifest"];

/// Zopfli takes a second where zlib takes none, once for each build, and leaves 2 kB less of the page.
pub(crate) fn write(page: &Path) -> io::Result<()> {
    for file in crate::table::files(page)? {
        if file.extension().and_then(|it| it.to_str()).is_some_and(|it| TEXT.contains(&it)) {
            let bytes = fs::read(&file)?;
            let mut smaller = vec![];
            zopfli::compress(Options::default(), Format::Gzip, bytes.as_slice(), &mut smaller)?;
            let mut twin = file.into_os_string();
            twin.push(".gz");
            fs::write(twin, smaller)?;
        }
    }
    Ok(())
}
