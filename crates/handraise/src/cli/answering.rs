//! Commands that end an ask.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::duration::duration;

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

    /// Allow what an approval asks for; at a terminal you are shown all of it first
    #[arg(long, conflicts_with = "deny")]
    pub(crate) allow: bool,

    /// With --allow: allow it without being shown what it is, as a script does
    #[arg(long, requires = "allow")]
    pub(crate) yes: bool,

    /// Deny what an approval asks for
    #[arg(long)]
    pub(crate) deny: bool,

    /// With --allow or --deny: a word to the agent
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: Option<String>,

    /// Read the answers as the API takes them, from a file or `-`, and print the ask as JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["choose", "words", "note", "leave", "allow", "yes", "deny", "message"])]
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
