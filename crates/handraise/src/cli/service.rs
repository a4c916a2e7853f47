//! Commands about a hub that is always there.

use clap::{Args, Subcommand};

use super::JsonArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum ServiceCommand {
    /// Have the hub run whenever you are logged in, from now on
    ///
    /// Writes a unit for systemd (a launchd agent on a Mac), starts it and waits until the hub answers.
    /// It starts with your login, and again whenever it ends. Run it again after an upgrade: the hub
    /// starts anew, with the new program. A hub of the same home that runs elsewhere is asked to stop;
    /// nothing is lost, and whoever waits for an answer goes on waiting. What would keep it from starting,
    /// such as a mistake in config.toml, is said first, and nothing is changed then.
    Install(ServiceInstallArgs),
    /// Stop the hub, and have it run no more; what it keeps stays
    Remove(ServiceRemoveArgs),
    /// Show whether the service is installed, and whether its hub answers
    #[command(after_long_help = "\
Exit codes:
  0    installed for this home, and its hub answers
  1    internal error
  6    not installed, or no hub answers")]
    Status(JsonArgs),
}

#[derive(Debug, Clone, Copy, Args)]
#[command(after_long_help = "\
Exit codes:
  0    the hub is up
  1    internal error, or the hub did not come up
  2    it cannot be installed here: nothing was changed

Examples:
  handraise service install
  handraise service install --print")]
pub(crate) struct ServiceInstallArgs {
    /// Show what would be written, and do nothing
    #[arg(long, conflicts_with = "force")]
    pub(crate) print: bool,

    /// Replace a service of this name that somebody else wrote, or one for another home
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ServiceRemoveArgs {
    /// Remove a service of this name that somebody else wrote, or one for another home
    #[arg(long)]
    pub(crate) force: bool,
}
