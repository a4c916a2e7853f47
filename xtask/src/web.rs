//! The dashboard's own tools: npm, its checks, and a real browser.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::npm;
use crate::tools::{built, cargo, is_set, need, root, run};

/// Where the dashboard's sources are.
pub(crate) fn place() -> PathBuf {
    root().join("web")
}

/// Makes sure that everything the dashboard is checked with is installed below `web`.
pub(crate) fn install() -> Result<()> {
    npm::install(&place())
}

/// Types, accessibility as far as the compiler sees it, and the tests beside the code.
pub(crate) fn check() -> Result<()> {
    run(&mut npm(&["run", "check"]))?;
    run(&mut npm(&["test"]))
}

/// The dashboard in a real browser, before a real hub.
pub(crate) fn browse() -> Result<()> {
    need_browser()?;
    run(&mut cargo(&["build", "--package", "handraise"]))?;
    run(&mut playwright("debug", "playwright.config.ts"))
}

/// Makes sure that there is a Chromium, unless another one is named.
pub(crate) fn need_browser() -> Result<()> {
    if is_set("HANDRAISE_CHROMIUM") { Ok(()) } else { need("chromium", &["--version"]) }
}

/// Playwright with one of its configurations, and the hub as it was built.
pub(crate) fn playwright(profile: &str, config: &str) -> Command {
    let mut command = npm(&["exec", "--no", "--", "playwright", "test", "--config", config]);
    command.env("HANDRAISE_PROGRAM", built(profile, "handraise"));
    command
}

/// npm in the dashboard's folder.
pub(crate) fn npm(args: &[&str]) -> Command {
    npm::npm(&place(), args)
}
