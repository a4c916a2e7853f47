//! An older revision's hooks and database, with today's hub.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::tools::{self, cargo, root, target, there_is};

/// Where the tests find the program of before.
const OLD: &str = "HANDRAISE_OLD_PROGRAM";

/// Builds the program of a revision beside the work tree, and runs the tests of an upgrade with it.
pub(crate) fn from(revision: &str) -> Result<()> {
    let commit = git(&["rev-parse", "--verify", &format!("{revision}^{{commit}}")])?;
    let place = target().join("upgrade");
    let tree = place.join(&commit);
    let tree_name = tree.display().to_string();
    if !tree.exists() {
        // What was there under this name and is gone is in git's way otherwise.
        git(&["worktree", "prune"])?;
        git(&["worktree", "add", "--detach", &tree_name, &commit])?;
    }
    let build = place.join("build");
    let mut command = cargo(&["build", "--package", "handraise"]);
    tools::run(command.current_dir(&tree).env("CARGO_TARGET_DIR", &build))?;
    let old = build.join("debug/handraise");
    if !there_is(&old.display().to_string(), &["--version"]) {
        bail!("{} does not run", old.display());
    }
    println!("\nfrom {commit} to this work tree:");
    tests(&old)
}

/// The same, with the last release where no revision is named.
pub(crate) fn run(revision: Option<&str>) -> Result<()> {
    if let Some(revision) = revision {
        return from(revision);
    }
    let last = git(&["describe", "--tags", "--abbrev=0"]);
    from(&last.context("there is no release yet: name a revision to upgrade from")?)
}

fn tests(old: &Path) -> Result<()> {
    let args: &[&str] = if there_is("cargo", &["nextest", "--version"]) {
        &["nextest", "run", "--package", "handraise", "--test", "it", "upgrading::"]
    } else {
        &["test", "--package", "handraise", "--test", "it", "upgrading::"]
    };
    tools::run(cargo(args).env(OLD, old))
}

fn git(args: &[&str]) -> Result<String> {
    let output = Command::new("git").args(args).current_dir(root()).output();
    let output = output.context("cannot run git")?;
    if !output.status.success() {
        bail!("git {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
