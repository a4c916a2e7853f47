//! Every test there is.

use anyhow::Result;

use crate::tools::{self, cargo, need, need_package, there_is};
use crate::{agents, clients, desktop, mcp_clients, schemathesis, web};

pub(crate) fn run() -> Result<()> {
    need("tmux", &["-V"])?;
    need("git", &["--version"])?;
    // And with it `kill`, `ps` and `pkill`.
    need_package("pgrep", "procps", &["--version"])?;
    // Of the same package as `setpriv` and `nsenter`.
    need_package("unshare", "util-linux", &["--version"])?;
    need("mount", &["--version"])?;
    need_package("/usr/lib/systemd/systemd", "systemd", &["--version"])?;
    desktop::install()?;
    agents::install()?;
    web::install()?;
    clients::install()?;
    mcp_clients::install()?;
    clients::check()?;
    web::check()?;
    schemathesis::check()?;
    web::browse()?;
    // Examples in documentation first, so that the counts of the suite close the output.
    tools::run(&mut cargo(&["test", "--workspace", "--doc", "--quiet"]))?;
    if there_is("cargo", &["nextest", "--version"]) {
        tools::run(&mut cargo(&["nextest", "run", "--workspace"]))
    } else {
        // A test runs one of them.
        tools::run(&mut cargo(&["build", "--workspace", "--examples"]))?;
        tools::run(&mut cargo(&["test", "--workspace", "--lib", "--bins", "--tests"]))
    }
}
