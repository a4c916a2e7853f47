//! Where the questions come from.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use anyhow::Context;

use crate::failure::{Exit, Failure};

/// Far more than any ask may hold, so that its size can be named; not endless, though.
const MOST: u64 = 64 * 1024 * 1024;

/// Reads the questions and names their source for error messages.
pub(crate) fn read(file: Option<&Path>) -> Result<(String, Vec<u8>), Failure> {
    let stdin = io::stdin();
    match file {
        None if stdin.is_terminal() => {
            let error = anyhow::anyhow!("no questions given");
            Err(Failure::new(Exit::BadInput, error)
                .hint("name a file or pipe JSON in; `handraise ask --example` prints a sample"))
        }
        Some(path) if path != Path::new("-") => {
            let name = path.display().to_string();
            let bytes =
                File::open(path).and_then(all).with_context(|| format!("cannot read {name}"));
            Ok((name, bytes.map_err(|error| Failure::new(Exit::BadInput, error))?))
        }
        _ => {
            let bytes = all(stdin.lock()).context("cannot read standard input");
            Ok((
                "standard input".into(),
                bytes.map_err(|error| Failure::new(Exit::BadInput, error))?,
            ))
        }
    }
}

fn all(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MOST).read_to_end(&mut bytes)?;
    Ok(bytes)
}
