//! The command line, as `--help` tells it.

mod agents;
mod answering;
mod asking;
mod connecting;
mod hub;
mod inbox;
mod looking;
mod record;
mod service;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use agents::*;
pub(crate) use answering::*;
pub(crate) use asking::*;
pub(crate) use connecting::*;
pub(crate) use hub::*;
pub(crate) use inbox::*;
pub(crate) use looking::*;
pub(crate) use record::*;
pub(crate) use service::*;

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

// Builds the arguments of the one subcommand that is run: hooks and prompts start often.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
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
    /// was left. `HANDRAISE_LOG=info` makes it log each event by its id, without text of questions or answers.
    Serve(ServeArgs),
    /// Have the hub always there: run by systemd, or by launchd on a Mac
    #[command(subcommand)]
    Service(ServiceCommand),
    /// Talk to the agent of a session that is live at the hub
    ///
    /// Shows what was said and what is, puts the agent's questions right there, and brings what you
    /// type to it. Several may do so at once, here and in the browser. Leaving ends nothing.
    Chat(ChatArgs),
    /// One screen for all that waits, over all agents
    ///
    /// The list of every waiting question and approval, most blocking first; answer it right there, with
    /// the keyboard. It follows what happens elsewhere, and leaving ends nothing. Needs a running hub
    /// (`handraise serve`) and works over SSH.
    Inbox(InboxArgs),
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
    /// Write down what was asked and decided: JSON Lines, or a decision log to commit
    ///
    /// JSON Lines hold every ask, lossless, for programs. The decision log is Markdown for people, one file
    /// for each project: what was asked, the options, the choice, own words, who and when. An answer that
    /// nobody gave is called that.
    Export(ExportArgs),
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
    /// Copy everything a hub keeps into one file, while it runs or not
    ///
    /// The copy is as the hub stood at one moment: whatever was acknowledged before is in it. Nobody has to
    /// wait meanwhile.
    Backup(BackupArgs),
    /// Put a backup in the place of the database
    ///
    /// The backup is checked first. The database that is there is kept aside, under a name that is printed.
    /// No hub may be running for the home.
    Restore(RestoreArgs),
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
    /// open stays at the hub, and the next watch takes it up. Where the hub itself watches (`[watch]` in
    /// config.toml, or the service), it says so and ends.
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
    /// A program that has nothing to do with the process that started it
    #[command(hide = true)]
    Detached(DetachedArgs),
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

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
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

    #[test]
    fn a_command_has_one_description() {
        let listed = Cli::command();
        let mut built = Cli::command();
        built.build();
        for command in listed.get_subcommands() {
            let own = built.find_subcommand(command.get_name()).unwrap();
            assert_eq!(own.get_about(), command.get_about(), "{}", command.get_name());
            assert_eq!(own.get_long_about(), command.get_long_about(), "{}", command.get_name());
        }
    }
}
