//! Commands that show what was.

use std::path::PathBuf;

use clap::Args;
use handraise_broker::{Days, Resolved};

#[derive(Debug, Args)]
#[command(after_long_help = "\
Each bar of --times is a day, all in one scale; where there is no room for so many, several days. WAITED is
how long agents waited, all together and however it ended; MEDIAN and LONGEST are how long you took.

JSON of --times:
  dates       the days, the last one today
  projects    a list of {name, times}, the one whose agents waited longest first; 12 at most
  others      the times of all other projects together, or null
  all         the times of everything
Times are {days: [..], total}, each of them {asks, answered, waitedSeconds, medianSeconds, longestSeconds}.

Examples:
  handraise history --project shop --text \"which database\"
  handraise history --times
  handraise history --times --days 90 --json | jq .all.total")]
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

    /// Show how long agents waited and you took instead, by project and by day
    #[arg(long, conflicts_with_all = ["limit", "kind", "agent", "project", "person", "text", "doubted"])]
    pub(crate) times: bool,

    /// For --times: so many days, the last of which is today
    #[arg(long, value_name = "N", default_value_t = 14, requires = "times",
        value_parser = clap::value_parser!(u16).range(1..=i64::from(Days::MOST)))]
    pub(crate) days: u16,

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
