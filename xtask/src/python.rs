//! Programs written in Python, with exactly the packages they were tried with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::tools::{need_package, run, target, there_is};

/// A Python below `target/` that has the packages a requirements file names; made when it is missing
/// or the file has changed.
pub(crate) fn with_packages(name: &str, requirements: &Path) -> Result<PathBuf> {
    let wanted = fs::read_to_string(requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let place = target().join("python").join(name);
    let python = place.join("bin/python");
    // Written last, so that half an installation is none.
    let installed = place.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|has| has == wanted) {
        return Ok(python);
    }
    need_package("python3", "python3-venv", &["-c", "import venv, ensurepip"])?;
    if !there_is("python3", &["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]) {
        bail!("this needs Python 3.10 or newer, and `python3` is older");
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&place))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    run(Command::new(&python).args(pip).arg(requirements)).with_context(|| {
        format!("cannot install what {} names; is there a network?", requirements.display())
    })?;
    fs::write(&installed, wanted)
        .with_context(|| format!("cannot write {}", installed.display()))?;
    Ok(python)
}
