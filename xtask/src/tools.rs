//! Running programs, and getting those that are missing.

#![expect(clippy::disallowed_methods, reason = "a chore is an edge: it reads the environment")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The top of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Where everything goes that can be made anew.
pub(crate) fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| root().join("target"))
}

/// What cargo has built, in `profile`.
pub(crate) fn built(profile: &str, program: &str) -> PathBuf {
    target().join(profile).join(program)
}

/// The cargo that runs this.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(args).current_dir(root());
    command
}

/// Whether whoever runs this has set a variable.
pub(crate) fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some()
}

/// Runs a command with its output shown, and fails when it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = shown(command);
    eprintln!("\n$ {line}");
    let status = command.status().with_context(|| format!("cannot run {line}"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Whether a program answers at all.
pub(crate) fn there_is(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Makes sure that `program`, of the Debian package of the same name, is installed.
pub(crate) fn need(program: &str, probe: &[&str]) -> Result<()> {
    need_package(program, program, probe)
}

/// The same for a program whose package has another name.
pub(crate) fn need_package(program: &str, package: &str, probe: &[&str]) -> Result<()> {
    if there_is(program, probe) { Ok(()) } else { install(program, package) }
}

/// The same for a file that is no program.
pub(crate) fn need_file(file: &str, package: &str) -> Result<()> {
    if Path::new(file).exists() { Ok(()) } else { install(file, package) }
}

fn install(program: &str, package: &str) -> Result<()> {
    let root = there_is("sh", &["-c", "[ \"$(id -u)\" = 0 ]"]);
    if !root || !there_is("apt-get", &["--version"]) {
        bail!("this needs {program}; install it first, e.g. `sudo apt-get install {package}`");
    }
    eprintln!("{program} is missing; installing it");
    let apt = |args: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
        run(&mut command)
    };
    apt(&["update", "--quiet"])
        .and_then(|()| apt(&["install", "--yes", "--quiet", package]))
        .with_context(|| format!("cannot install {program}; is there a network?"))
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
    let args = command.get_args().map(|arg| arg.to_string_lossy());
    std::iter::once(name).chain(args).collect::<Vec<_>>().join(" ")
}
