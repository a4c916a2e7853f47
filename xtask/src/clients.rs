//! The clients in other languages, with the SDKs they are for.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::npm::{self, npm};
use crate::python;
use crate::tools::{root, run, target};

/// Makes sure that both SDKs are installed, and the clients can be used.
pub(crate) fn install() -> Result<()> {
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    // What is edited counts at once, also for the end-to-end tests.
    let client = ["--no-deps", "--no-build-isolation", "--editable", "."];
    run(in_python()?.args(pip).args(client))?;
    npm::install(&in_typescript())?;
    // Packages for one system are optional to npm: what it cannot get it leaves out in silence.
    let sdk = in_typescript().join("node_modules/@anthropic-ai");
    let here = sdk
        .read_dir()?
        .flatten()
        .any(|package| package.file_name().to_string_lossy().starts_with("claude-agent-sdk-"));
    if !here {
        bail!("npm has not installed the Claude Code of the SDK, and gave no reason");
    }
    run(&mut npm(&in_typescript(), &["run", "build"]))
}

/// Types, and the tests that need no agent.
pub(crate) fn check() -> Result<()> {
    run(in_python()?.args(["-m", "mypy", "--cache-dir"]).arg(target().join("python/mypy")))?;
    run(in_python()?.args(["-m", "pytest"]))?;
    run(&mut npm(&in_typescript(), &["test"]))
}

/// Python with the packages of the client, in its folder.
fn in_python() -> Result<Command> {
    let place = root().join("clients/python");
    let python = python::with_packages("clients", &place.join("requirements.txt"))?;
    let mut command = Command::new(python);
    command.current_dir(place);
    Ok(command)
}

fn in_typescript() -> PathBuf {
    root().join("clients/typescript")
}
