//! Commands that make agents and the hub find each other.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_long_help = "\
The settings are
  claude    $CLAUDE_CONFIG_DIR/settings.json, else ~/.claude/settings.json
  codex     $CODEX_HOME/config.toml, else ~/.codex/config.toml
  opencode  opencode.jsonc, opencode.json or config.json in $XDG_CONFIG_HOME/opencode,
            else in ~/.config/opencode
  gemini    $GEMINI_CLI_HOME/.gemini/settings.json, else ~/.gemini/settings.json
  qwen      ~/.qwen/settings.json

Exit codes:
  0    done, or nothing to do
  1    internal error
  2    bad input, settings that cannot be changed, or nobody to ask: nothing was changed
  3    you said no: nothing was changed
  5    the settings changed meanwhile: nothing was changed

Examples:
  handraise connect claude
  handraise connect codex
  handraise connect claude --project --yes
  handraise connect claude --undo")]
pub(crate) struct ConnectArgs {
    /// Which agent
    #[arg(value_enum)]
    pub(crate) agent: Agent,

    /// Take it out again; settings nobody changed since become what they were before
    #[arg(long)]
    pub(crate) undo: bool,

    #[command(flatten)]
    pub(crate) which: SettingsArgs,

    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

// Which settings of an agent are meant. Not a doc comment: it would become the help of a command.
#[derive(Debug, Args)]
pub(crate) struct SettingsArgs {
    /// Other settings than your own
    #[arg(long, value_name = "FILE", conflicts_with = "project")]
    pub(crate) settings: Option<PathBuf>,

    /// Only this project: in this directory `.claude/settings.local.json`, `.codex/config.toml`,
    /// `opencode.jsonc`, `.gemini/settings.json` or `.qwen/settings.json`
    #[arg(long)]
    pub(crate) project: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0    all is well
  1    something is not as it should be
  6    no hub")]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) which: SettingsArgs,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    /// Claude Code: hooks
    Claude,
    /// Codex: an MCP server
    Codex,
    /// opencode: an MCP server
    Opencode,
    /// Gemini CLI: an MCP server
    Gemini,
    /// Qwen Code: an MCP server
    Qwen,
}

impl Agent {
    /// What people call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Opencode => "opencode",
            Self::Gemini => "Gemini CLI",
            Self::Qwen => "Qwen Code",
        }
    }

    /// What they type to start it; the same names it for us.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Opencode => "opencode",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
        }
    }
}
