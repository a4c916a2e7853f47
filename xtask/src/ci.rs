//! What a change must pass.

use anyhow::Result;

use crate::tools::{self, cargo, there_is};
use crate::{screenshots, test};

pub(crate) fn run() -> Result<()> {
    tools::run(&mut cargo(&["fmt", "--all", "--check"]))?;
    tools::run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    tools::run(doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    if there_is("cargo", &["deny", "--version"]) {
        tools::run(&mut cargo(&["deny", "check"]))?;
    } else {
        eprintln!("\ncargo-deny is not installed: licences and advisories are not checked");
    }
    screenshots::check()?;
    test::run()
}
