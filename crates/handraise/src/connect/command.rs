//! What agents run.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use handraise_client::Home;

use crate::environment;
use crate::failure::{Exit, Failure};

/// The command that the hooks run, for a shell.
pub(crate) fn hook_command(home: &Home) -> Result<String, Failure> {
    line(home, &["hook", "claude"])
}

/// A command for a shell: this program by its absolute path, these words, and the home where it is not
/// the one that is found without being named.
pub(super) fn line(home: &Home, words: &[&str]) -> Result<String, Failure> {
    let program = program().map_err(|error| {
        let error = anyhow::Error::new(error).context("cannot tell where this program is");
        Failure::new(Exit::Internal, error)
    })?;
    let mut command = format!("{} {}", word(&program)?, words.join(" "));
    // The variable that may name the home here need not be set where this is run.
    if environment::platform_home().as_deref() != Some(home.directory()) {
        command = format!("{command} --data {}", word(home.directory())?);
    }
    Ok(command)
}

/// Where this program is: by the path it was called by, if that leads here. An upgrade replaces what a
/// link leads to, and the link goes on leading to the program.
pub(crate) fn program() -> io::Result<PathBuf> {
    let here = std::env::current_exe()?;
    let real = fs::canonicalize(&here)?;
    let called = std::env::args_os().next().and_then(|name| called(&name));
    Ok(called.filter(|path| fs::canonicalize(path).is_ok_and(|path| path == real)).unwrap_or(here))
}

fn called(name: &OsStr) -> Option<PathBuf> {
    let path = match Path::new(name).components().count() {
        0 => return None,
        1 if !Path::new(name).has_root() => environment::found_by_shell(name)?,
        _ => PathBuf::from(name),
    };
    std::path::absolute(path).ok()
}

/// A path as one word of a shell.
fn word(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().and_then(|text| shlex::try_quote(text).ok());
    text.map(Into::into).ok_or_else(|| {
        let error =
            anyhow::anyhow!("{} cannot be written into settings: not UTF-8", path.display());
        Failure::new(Exit::BadInput, error).hint("rename it, or move it elsewhere")
    })
}
