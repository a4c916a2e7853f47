//! Commands that run, watch or serve an agent.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use handraise_broker::SessionId;

use super::{Theme, Via};
use crate::duration::duration;
use crate::interview::Api;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  handraise interview 'Add authentication to my app'
  handraise interview --model gpt-5 -o docs/auth.md 'Add authentication to my app'
  handraise interview --api openai --base-url http://localhost:11434/v1 --model qwen3 'Add …'
  handraise interview --resume

Keys come from the environment alone: ANTHROPIC_API_KEY or OPENAI_API_KEY. ANTHROPIC_BASE_URL and
OPENAI_BASE_URL are heard, too.

Exit codes:
  0    the specification was written
  1    the model could not be talked to; go on with --resume
  2    bad input
  6    nowhere to ask: no hub and no terminal
  130  Ctrl-C; go on with --resume")]
pub(crate) struct InterviewArgs {
    /// What is to be done
    #[arg(value_name = "TASK", required_unless_present_any = ["resume", "list"])]
    pub(crate) task: Option<String>,

    /// Go on with an interview that was left in the middle [default: the newest]
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "",
          conflicts_with_all = ["task", "max_asks"])]
    pub(crate) resume: Option<String>,

    /// Show all interviews
    #[arg(long, conflicts_with_all = ["task", "resume"])]
    pub(crate) list: bool,

    /// Where the specification goes; `-` is standard output [default: SPEC.md]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Replace a file that is there already
    #[arg(long)]
    pub(crate) force: bool,

    /// The model [default: claude-opus-5-5]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) model: Option<String>,

    /// How to speak to it [default: by its name, else by the key that is set]
    #[arg(long, value_enum)]
    pub(crate) api: Option<Api>,

    /// Where it is
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// How many times it may ask; then it has to come to an end
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) max_asks: u16,

    /// Where to ask
    #[arg(long, value_enum, default_value_t = Via::Auto)]
    pub(crate) via: Via,

    /// Numbered lines and typed answers, for screen readers and simple terminals
    #[arg(long)]
    pub(crate) plain: bool,

    /// Colours for a dark or a light background
    #[arg(long, value_enum, default_value_t = Theme::Auto)]
    pub(crate) theme: Theme,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  handraise run
  handraise run -m 'Check the basket' -- claude --model opus
  handraise run --approvals all --defer-after 30m -- claude
  handraise run --answers tool_result -- my-agent --stream-json

Exit codes:
  0    the session ended, or waits for an answer elsewhere
  1    internal error, or the program ended before it had said anything
  2    bad input: the program is missing, or its arguments are not for it
  6    no hub")]
pub(crate) struct RunArgs {
    /// What to run, behind two dashes: Claude Code and its arguments [default: what config.toml says,
    /// else claude]
    #[arg(value_name = "PROGRAM", last = true)]
    pub(crate) command: Vec<OsString>,

    /// The first words to it
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) message: Option<String>,

    /// What the session is about [default: the first words]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// Who is asked before a tool is used; questions always go to you [default: what config.toml says,
    /// else all with --preset gobby, else ask]
    #[arg(long, value_enum)]
    pub(crate) approvals: Option<Approvals>,

    /// How the program asks questions and takes answers: `control` is Claude Code's way; `tool_result` is
    /// for other programs that speak stream-JSON, started with their own arguments only
    #[arg(long, value_enum, default_value_t)]
    pub(crate) answers: Answers,

    /// Let Claude Code go away when a question waited this long, and come back with the answer, even
    /// days later
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) defer_after: Option<Duration>,

    /// Tell it that nobody answered after this long, e.g. 90s, 5m [default: wait for ever]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// What happens then [default: tell]
    #[arg(long, value_enum)]
    pub(crate) on_deadline: Option<OnDeadline>,

    /// The rules of another front end: gobby allows every tool without asking, waits 300 s for answers and
    /// tells, and declines at once when its last page goes; prime-agent waits 55 s and ends the turn, also
    /// when you cancel
    #[arg(long, value_enum)]
    pub(crate) preset: Option<Preset>,

    /// Do not chat here: the session is led from the dashboard, or with `handraise chat`
    #[arg(long)]
    pub(crate) detached: bool,

    /// Numbered lines and typed answers, for screen readers and simple terminals
    #[arg(long)]
    pub(crate) plain: bool,

    /// Colours for a dark or a light background
    #[arg(long, value_enum, default_value_t = Theme::Auto)]
    pub(crate) theme: Theme,

    /// A session that somebody else has opened
    #[arg(long, value_name = "ID", hide = true, conflicts_with_all = ["message", "title"])]
    pub(crate) session: Option<SessionId>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0    ended by Ctrl-C, or --once is done
  1    internal error: files cannot be watched
  2    bad input: no such agent
  6    no hub

Examples:
  handraise watch
  handraise watch --once
  handraise watch --agent agent-pan-1 --json")]
pub(crate) struct WatchArgs {
    /// Claude Code's configuration directory [default: `$CLAUDE_CONFIG_DIR`, else `~/.claude`]
    #[arg(long, value_name = "DIR")]
    pub(crate) claude: Option<PathBuf>,

    /// Only sessions in the workspace of this Panopticon agent
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,

    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,

    /// Look once: bring what waits to the hub, settle what is over, and end
    #[arg(long)]
    pub(crate) once: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
To let a client use it, add this to its MCP configuration:

  {
    \"mcpServers\": {
      \"handraise\": { \"command\": \"handraise\", \"args\": [\"mcp\"] }
    }
  }

A client that cannot find the program wants its whole path as command.")]
pub(crate) struct McpArgs {
    /// How long a call waits before it returns a ticket [default: a little less than the client is known
    /// to wait, else 50s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) patience: Option<Duration>,

    /// Whose token to use: codex, gemini, opencode, qwen, or one made with `handraise device add --agent`
    /// [default: `$HANDRAISE_AGENT`, else mcp]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct BoundArgs {
    /// The process that started it
    pub(crate) parent: i32,
    /// The program and its arguments
    #[arg(last = true)]
    pub(crate) command: Vec<OsString>,
}

/// How a program asks questions and takes the answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Answers {
    /// Claude Code: a `control_request` to use the tool, answered by a `control_response`
    #[default]
    Control,
    /// A call of `AskUserQuestion` in an `assistant` message, answered by a `tool_result` on standard
    /// input; Claude Code ignores such an answer
    #[value(name = "tool_result")]
    ToolResult,
}

/// Who is asked before a tool is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Approvals {
    /// You
    #[default]
    Ask,
    /// Nobody: everything is allowed
    All,
}

/// What happens when nobody answered in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnDeadline {
    /// The model reads that nobody answered
    Tell,
    /// The turn ends, and the model reads it with your next words
    Interrupt,
}

/// The rules of another front end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// Every tool is allowed; questions wait 300 s, then the model reads that nobody answered, at once when
    /// the last page goes
    Gobby,
    /// Questions wait 55 s, then the turn ends, also when you cancel
    PrimeAgent,
}

/// An agent with hooks of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Hooked {
    /// Claude Code
    Claude,
}
