//! Commands about the hub itself.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use handraise_broker::Head;

use super::JsonArgs;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Where to listen [default: 127.0.0.1:4731, or where it listened last]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,

    /// Where to keep asks, as `sqlite:/path/to/file.db` [default: a file in the home]
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,

    /// Watch the Claude Code sessions of this account, as `handraise watch` does, unless config.toml
    /// says `enabled = false` under `[watch]`
    #[arg(long)]
    pub(crate) watch: bool,

    /// Print one line of JSON when it is up, for scripts
    #[arg(long)]
    pub(crate) json: bool,

    /// Print nothing, log into the home, and leave it to a hub that is there already
    #[arg(long, hide = true, conflicts_with = "json")]
    pub(crate) log_to_home: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DetachedArgs {
    /// The program and its arguments
    #[arg(last = true)]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct LinkArgs {
    /// Draw it as a QR code, for a phone's camera
    #[arg(long, conflicts_with = "json")]
    pub(crate) qr: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DeviceCommand {
    /// Show what holds a token
    List(JsonArgs),
    /// Make a token for a page or a program that answers for you, or for an agent, and print it
    ///
    /// It is shown once. Whoever has a token without `--agent` can answer for you. An agent's token can ask, and
    /// touch only what it has asked itself. `handraise device revoke` ends either.
    Add(AddArgs),
    /// Make a token count no more, at once
    Revoke {
        /// The device's id
        id: String,

        #[command(flatten)]
        json: JsonArgs,
    },
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  handraise device add 'Gobby page'
  handraise device add --agent deploy-bot
  HANDRAISE_AGENT=deploy-bot handraise ask question.json
  handraise device add --agent codex --host build-box")]
pub(crate) struct AddArgs {
    /// What to call a page or program that answers for you
    #[arg(required_unless_present = "agent", conflicts_with = "agent")]
    pub(crate) name: Option<String>,

    /// Make a token for the agent of this name, and keep it in the home as well: programs use it with
    /// `HANDRAISE_AGENT=NAME`
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,

    /// The machine the agent runs on: its name becomes NAME@HOST, and the token is only printed
    #[arg(long, value_name = "HOST", requires = "agent")]
    pub(crate) host: Option<String>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Check that no event was changed, removed or slipped in
    ///
    /// Reads the log itself; a hub may be running or not.
    Verify(VerifyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// An end of the log that was kept elsewhere: shows a rewritten log, too
    #[arg(long, value_name = "SEQ:HASH")]
    pub(crate) head: Option<Head>,

    /// The database, if it is not in the home
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
