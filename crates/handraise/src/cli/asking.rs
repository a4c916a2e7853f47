//! Commands that put questions to a person here.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::Theme;
use crate::duration::duration;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0    answered
  1    internal error
  2    bad input
  3    declined, or the person wants to talk first
  4    no answer within --timeout
  5    withdrawn, or another process waits for the same ask
  6    nowhere to ask: no terminal and no hub
  130  Ctrl-C

Examples:
  handraise ask --example > question.json
  handraise ask question.json
  handraise ask --strict --timeout 5m --format summary < question.json
  handraise ask --format tool_result --tool-use-id toolu_1 question.json")]
pub(crate) struct AskArgs {
    /// The questions; `-` or nothing reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    /// Where to ask
    #[arg(long, value_enum, default_value_t = Via::Auto)]
    pub(crate) via: Via,

    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Json)]
    pub(crate) format: Format,

    /// With `--format tool_result`: the call that is answered
    #[arg(long, value_name = "ID", required_if_eq("format", "tool_result"),
          value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) tool_use_id: Option<String>,

    /// Hold the questions to the tool's own limits: 1–4 questions, 2–4 options, short labels
    #[arg(long)]
    pub(crate) strict: bool,

    /// Give up after this long, e.g. 90s, 5m, 1h30m, 2d; somebody at work on the answer gets up to as
    /// much again [default: wait for ever]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// Numbered lines and typed answers, for screen readers and simple terminals
    #[arg(long)]
    pub(crate) plain: bool,

    /// Colours for a dark or a light background
    #[arg(long, value_enum, default_value_t = Theme::Auto)]
    pub(crate) theme: Theme,

    /// At the hub: who asks
    #[arg(long, value_name = "NAME", default_value = "handraise-ask")]
    pub(crate) agent: String,

    /// At the hub: what it is about
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// At the hub: a name of your own for this ask; asking again with it finds the same ask
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,

    /// Print sample questions to start from, and ask nothing
    #[arg(long, conflicts_with_all = ["file", "strict", "timeout", "plain"])]
    pub(crate) example: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Answer by itself, through the API; exits 0 only if the agent got what was answered
    #[arg(long)]
    pub(crate) auto: bool,

    /// Numbered lines and typed answers, for screen readers and simple terminals
    #[arg(long)]
    pub(crate) plain: bool,

    /// Colours for a dark or a light background
    #[arg(long, value_enum, default_value_t = Theme::Auto)]
    pub(crate) theme: Theme,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Keys:
  Enter            say it; Alt+Enter, or a \\ at the end, goes on in a new line
  Esc              interrupt the agent
  Ctrl-C           interrupt; twice: leave
  Ctrl-D, /quit    leave; the session goes on
  /question        put a question again that you left with Ctrl-C

Exit codes:
  0    you left, or the session ended
  1    internal error, or the session ended in trouble
  2    bad input: no such session, or several
  6    no terminal, or no hub

Examples:
  handraise chat
  handraise chat 1f9c2a7b")]
pub(crate) struct ChatArgs {
    /// The session: its id, or enough of its end [default: the only one that is live]
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,

    /// Lines as they come, for screen readers and simple terminals
    #[arg(long)]
    pub(crate) plain: bool,

    /// Colours for a dark or a light background
    #[arg(long, value_enum, default_value_t = Theme::Auto)]
    pub(crate) theme: Theme,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Everything, lossless
    Json,
    /// The answer alone; a JSON map when there are several questions
    Text,
    /// Prose for a model to read
    Summary,
    /// What Claude Code takes: allow with updatedInput, or deny with a message
    Claude,
    /// The AskUserQuestionResult shape
    Gencode,
    /// A `user` message with a `tool_result` for --tool-use-id, as agents that speak stream-JSON read it
    #[value(name = "tool_result")]
    ToolResult,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Via {
    /// This terminal and the hub, as far as they are there; the first answer counts
    Auto,
    /// This terminal
    Terminal,
    /// The hub
    Hub,
}
