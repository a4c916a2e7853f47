//! The command line, as `--help` tells it.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use handraise_broker::{Head, Resolved, SessionId};

use crate::duration::duration;
use crate::interview::Api;

/// Carries a coding agent's questions to a person and the person's answer back.
#[derive(Debug, Parser)]
#[command(
    name = "handraise",
    version,
    arg_required_else_help = true,
    after_help = "\
Try it:
  handraise demo"
)]
pub(crate) struct Cli {
    /// The hub's home [default: `$HANDRAISE_HOME`, else the platform's data directory]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) data: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See it work in one minute: an agent asks, you answer
    ///
    /// A hub on a temporary database and an agent that is a script, just for this. No model, no key,
    /// no network.
    Demo(DemoArgs),
    /// Put questions to a person and print the answer
    ///
    /// The questions are JSON as the AskUserQuestion tool takes it. They are put at this terminal, at
    /// the hub, or at both at once: the first answer counts. The prompt is drawn on the terminal
    /// itself; standard output carries the answer and nothing else.
    Ask(AskArgs),
    /// Run the hub, where asks wait for a person
    ///
    /// It listens on this machine only, keeps everything in its home, and takes up the work where it
    /// was left. `HANDRAISE_LOG=info` makes it talk.
    Serve(ServeArgs),
    /// Talk to the agent of a session that is live at the hub
    ///
    /// Shows what was said and what is, puts the agent's questions right there, and brings what you
    /// type to it. Several may do so at once, here and in the browser. Leaving ends nothing.
    Chat(ChatArgs),
    /// Show what waits
    List(JsonArgs),
    /// Answer an ask
    Answer(AnswerArgs),
    /// Decline to answer an ask
    Decline(DeclineArgs),
    /// Ask to talk first
    Discuss(DiscussArgs),
    /// Move the deadline of an ask
    Extend(ExtendArgs),
    /// Show what was decided
    History(HistoryArgs),
    /// Read transcripts: what was asked, how it was answered, and what looks wrong
    ///
    /// Reads what Claude Code wrote down of its sessions, whether or not Handraise was there. Needs no hub
    /// and changes nothing. An answer is suspicious when it is empty, when it came before anybody could
    /// have read the question, at the dialog or from a hook or a rule, and when the dialog closed by
    /// itself.
    Check(CheckArgs),
    /// Show how the hub is
    Status(JsonArgs),
    /// Make a one-time login link
    ///
    /// Whoever opens it first, within ten minutes, can answer for you.
    Link(LinkArgs),
    /// Show, add or revoke what holds a token
    #[command(subcommand)]
    Device(DeviceCommand),
    /// Check the log
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Let an agent raise its hand: write hooks or a server into its settings
    ///
    /// Claude Code gets hooks, which bring its own questions to the hub. Codex, opencode, Gemini CLI and Qwen
    /// Code get an MCP server (`handraise mcp`) with a tool to ask you. Shows what would change and asks
    /// first. Everything else in the settings stays byte for byte.
    Connect(ConnectArgs),
    /// What an agent's hooks run
    ///
    /// `handraise connect` writes it into the agent's settings; nobody types it. It reads the event on
    /// standard input, brings a question to the hub and the answer back, and never stands in the way:
    /// without a hub it ends at once, and the agent's own dialog works as always.
    Hook {
        /// Which agent
        agent: Hooked,
    },
    /// Run Claude Code without a terminal of its own, under the hub
    ///
    /// Its words, its tools and its questions go to the hub, and what you say there comes back: here,
    /// in the dashboard and on the phone at once. Tools wait for your approval, questions for your
    /// answer. Needs a running hub (`handraise serve`).
    Run(RunArgs),
    /// Watch Claude Code sessions that run without hooks: bring their questions to the hub
    ///
    /// Finds every session of this account, brings its questions to the hub, types your answer into its
    /// tmux pane key by key, and raises an alarm when an agent went on with an answer that nobody gave.
    /// What it does not type it says. Needs a running hub (`handraise serve`). Ctrl-C ends it; what is
    /// open stays at the hub, and the next watch takes it up.
    Watch(WatchArgs),
    /// Let any MCP client ask you: a server on standard input and output
    ///
    /// Gives an agent two tools: `ask_user` puts its questions to you through the hub and waits for your
    /// answer, `wait_answer` goes on waiting where the agent's own patience ended first. The agent starts
    /// it; nobody types it. Needs a running hub (`handraise serve`) once something is asked.
    Mcp(McpArgs),
    /// Be asked about a task until it is clear; get the agreed specification
    ///
    /// A model asks, you answer: here, in the dashboard or on the phone. It stops when nothing that matters
    /// is open, and writes what was decided, why and by whom, and what is still open, as Markdown. Left in
    /// the middle, by Ctrl-C or a crash, it goes on at the open question with `--resume`.
    Interview(InterviewArgs),
    /// A program that ends with the process that started it
    #[command(hide = true)]
    Bound(BoundArgs),
    /// Check hub, tokens, hooks and agents, and ask a probe question end to end
    ///
    /// The probe goes through the hooks as they are installed, without a model: it is asked, answered
    /// and read in your name, and stays in the history.
    Doctor(DoctorArgs),
    /// Print a completion script for your shell
    Completions {
        /// The shell to complete for
        shell: clap_complete::Shell,
    },
}

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
  handraise run --approvals all --defer-after 30m -- claude")]
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
    /// else ask]
    #[arg(long, value_enum)]
    pub(crate) approvals: Option<Approvals>,

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

    /// The rules of another front end: gobby waits 300 s and tells, and declines at once when its last
    /// page goes; prime-agent waits 55 s and ends the turn
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
}

#[derive(Debug, Args)]
pub(crate) struct BoundArgs {
    /// The process that started it
    pub(crate) parent: i32,
    /// The program and its arguments
    #[arg(last = true)]
    pub(crate) command: Vec<OsString>,
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
    /// 300 s, then the model reads that nobody answered; at once when the last page goes
    Gobby,
    /// 55 s, then the turn ends
    PrimeAgent,
}

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
  handraise ask --strict --timeout 5m --format summary < question.json")]
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

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Where to listen [default: 127.0.0.1:4731, or where it listened last]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,

    /// Where to keep asks, as `sqlite:/path/to/file.db` [default: a file in the home]
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,

    /// Print one line of JSON when it is up, for scripts
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
NAME is a question's header, its text or its number; where there is one question it may be left out.

Exit codes:
  0    this answer stands
  2    bad input: nothing was sent
  5    somebody else was first, or the agent had an answer already
  6    no hub

Examples:
  handraise answer 1f9c2a7b --choose Database=SQLite
  handraise answer 1f9c2a7b --choose Features=Tests --choose Features=Lints --words Features=\"and docs\"
  handraise answer 1f9c2a7b --leave Deadline --choose 1=JWT --note 1=\"for now\"")]
pub(crate) struct AnswerArgs {
    /// The ask: its id, or enough of its end
    pub(crate) id: String,

    /// Choose an option; repeat it for several
    #[arg(long, value_name = "NAME=LABEL")]
    pub(crate) choose: Vec<String>,

    /// Answer in your own words
    #[arg(long, value_name = "NAME=TEXT")]
    pub(crate) words: Vec<String>,

    /// Add a remark
    #[arg(long, value_name = "NAME=TEXT")]
    pub(crate) note: Vec<String>,

    /// Leave a question open on purpose
    #[arg(long, value_name = "NAME")]
    pub(crate) leave: Vec<String>,

    /// Allow what an approval asks for
    #[arg(long, conflicts_with = "deny")]
    pub(crate) allow: bool,

    /// Deny what an approval asks for
    #[arg(long)]
    pub(crate) deny: bool,

    /// With --allow or --deny: a word to the agent
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: Option<String>,

    /// Read the answers as the API takes them, from a file or `-`, and print the ask as JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["choose", "words", "note", "leave", "allow", "deny", "message"])]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DeclineArgs {
    /// The ask: its id, or enough of its end
    pub(crate) id: String,

    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DiscussArgs {
    /// The ask: its id, or enough of its end
    pub(crate) id: String,

    /// What you want to say first
    pub(crate) words: String,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExtendArgs {
    /// The ask: its id, or enough of its end
    pub(crate) id: String,

    /// How much longer, e.g. 90s, 5m, 1h30m, 2d
    #[arg(value_name = "DURATION", value_parser = duration)]
    pub(crate) by: Duration,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// At most this many, the last decided first
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,

    /// Only those that ended like this: answered, declined, discuss, `no_answer` or withdrawn
    #[arg(long, value_name = "KIND", value_parser = Resolved::KINDS)]
    pub(crate) kind: Option<String>,

    /// Only those of this kind of agent
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,

    /// Only those of agents whose directory has this in it
    #[arg(long, value_name = "PART")]
    pub(crate) project: Option<String>,

    /// Only those that this person ended
    #[arg(long, value_name = "NAME")]
    pub(crate) person: Option<String>,

    /// Only those in which this can be read: in what was asked, said before, or answered
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,

    /// Only those whose agent went on with an answer that nobody gave
    #[arg(long)]
    pub(crate) doubted: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Each question counts once:
  OPTIONS    options were chosen
  WORDS      answered in own words, perhaps beside options
  OPEN       others of the same call were answered, this one was not
  DECLINED   the person said no, or wanted to talk first
  NO ANSWER  the agent was told that nobody answered
  WAITING    there is no result yet; the session may be gone
  FAILED     nobody was asked: a wrong call, no such tool, a session that ended
SUSPICIOUS answers count under one of these, too. WAITED, MEDIAN and LONGEST are how long calls waited.
Columns in which nothing is are left out.

JSON:
  projects    a list of {directory, and the counts below}
  total       {transcripts, calls, asked, fromOptions, ownWords, leftOpen, declined, noAnswer, waiting,
              failed, suspicious, throughHook, waitedSeconds: {total, median, longest}}
  suspicious  a list of {kind, why, at, directory, session, call, questions, read}; kind is one of empty,
              too_fast, timed_out, from_nowhere
  skipped     {files, lines} that could not be read

Exit codes:
  0    done, also when something is suspicious
  1    internal error
  2    bad input: no such directory, file or agent

Examples:
  handraise check
  handraise check ~/projects/shop
  handraise check --json ~/.claude | jq '.total, .suspicious[]'")]
pub(crate) struct CheckArgs {
    /// Where to look: a directory agents worked in, a configuration directory of Claude Code, its
    /// `projects`, one directory in there, or one transcript [default: all of yours:
    /// `$CLAUDE_CONFIG_DIR`, else ~/.claude]
    #[arg(value_name = "DIR")]
    pub(crate) place: Option<PathBuf>,

    /// Only the sessions of this agent of Panopticon, by ~/.panopticon/agents/ID/state.json
    #[arg(long, value_name = "ID", conflicts_with = "place")]
    pub(crate) agent: Option<String>,

    /// Print JSON: an object with `projects`, `total`, `suspicious` and `skipped`
    #[arg(long)]
    pub(crate) json: bool,
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
    /// Make a token for a page or a program that answers for you, and print it
    ///
    /// It is shown once. Whoever has it can answer for you; `handraise device revoke` ends that.
    Add {
        /// What to call it
        name: String,

        #[command(flatten)]
        json: JsonArgs,
    },
    /// Make a token count no more, at once
    Revoke {
        /// The device's id
        id: String,

        #[command(flatten)]
        json: JsonArgs,
    },
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

/// Which settings of an agent are meant.
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

/// An agent with hooks of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Hooked {
    /// Claude Code
    Claude,
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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Theme {
    /// Ask the terminal
    Auto,
    Dark,
    Light,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
