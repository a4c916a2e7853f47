//! Packages for Node.js, at exactly the versions of a lock file.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::tools::{need, run};

/// Makes sure that everything the lock file in `place` names is installed there.
pub(crate) fn install(place: &Path) -> Result<()> {
    let wanted = place.join("package-lock.json");
    // Left behind when npm is done; it is compared by what it was made from.
    let made_from = place.join("node_modules/.made-from-package-lock.json");
    if fs::read(&wanted).ok() == fs::read(&made_from).ok() {
        return Ok(());
    }
    // Debian's package of npm brings Node along.
    need("npm", &["--version"])?;
    run(&mut npm(place, &["ci", "--ignore-scripts", "--no-audit", "--no-fund"])).with_context(
        || format!("cannot install what {} names; is there a network?", wanted.display()),
    )?;
    fs::copy(&wanted, &made_from)?;
    Ok(())
}

/// npm in a folder.
pub(crate) fn npm(place: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(args).current_dir(place);
    command
}
