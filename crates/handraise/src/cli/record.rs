//! Commands about the record of what was asked and decided.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use handraise_broker::{Head, Resolved};

use crate::export::When;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Reads the database itself: a hub may be running or not, and FILE may be a backup. Drafts,
tokens and devices' secrets are never exported.

WHEN is a day (2026-11-16, in UTC), a moment (2026-11-16T14:00:00Z) or how long ago (30d, 12w).
An ask counts by when it was asked; in a decision log, by when it ended.

Formats:
  jsonl      one ask a line as the API has it, the oldest first. What the agent sent is
             there byte for byte; if it holds line ends, it stands in asSent as text
  decisions  Markdown for people, to be committed. Exported again, it only grows at its
             end. Withdrawn asks are left out

Exit codes:
  0    done
  1    internal error
  2    bad input: nothing was written

Examples:
  handraise export -o asks.jsonl
  handraise export --since 30d --project shop | jq .resolution
  handraise export --format decisions -o docs/decisions/
  handraise export --format decisions --project shop -o DECISIONS.md")]
pub(crate) struct ExportArgs {
    /// How to write it
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    pub(crate) format: ExportFormat,

    /// Where to: a file, written whole or not at all; for decisions also a directory, which gets a file
    /// for each project [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Replace a file that is there; a decision log that would lose decisions, too
    #[arg(long, requires = "output")]
    pub(crate) force: bool,

    /// Only those of agents whose directory has this in it
    #[arg(long, value_name = "PART")]
    pub(crate) project: Option<String>,

    /// Only from then on
    #[arg(long, value_name = "WHEN", value_parser = When::read)]
    pub(crate) since: Option<When>,

    /// Only until then; a day counts whole
    #[arg(long, value_name = "WHEN", value_parser = When::read)]
    pub(crate) until: Option<When>,

    /// Only those of this kind of agent
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,

    /// Only those that ended like this: answered, declined, discuss, `no_answer` or withdrawn
    #[arg(long, value_name = "KIND", value_parser = Resolved::KINDS)]
    pub(crate) kind: Option<String>,

    /// Only those that this person ended
    #[arg(long, value_name = "NAME")]
    pub(crate) person: Option<String>,

    /// Only those in which this can be read: in what was asked, said before, or answered
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,

    /// Only those that have ended
    #[arg(long)]
    pub(crate) ended: bool,

    /// The database, if it is not in the home
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// JSON Lines, lossless
    Jsonl,
    /// A decision log in Markdown for each project
    Decisions,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
The copy is checked before it gets its name: every event, and the chain. Its head tells
later whether it is still the same; keep it apart from the file. In it are asks, drafts,
sessions and the hashes of tokens; config.toml and the token files of the home are not.

Exit codes:
  0    done
  1    internal error, or the log does not add up: no file was written
  2    bad input: no file was written

Examples:
  handraise backup ~/backups/handraise-$(date +%F).db
  handraise audit verify --file ~/backups/handraise-2026-11-16.db --head SEQ:HASH")]
pub(crate) struct BackupArgs {
    /// Where to: a file, written whole or not at all, for your eyes only
    #[arg(value_name = "FILE")]
    pub(crate) to: PathBuf,

    /// Replace a file that is there
    #[arg(long)]
    pub(crate) force: bool,

    /// The database, as for `handraise serve` [default: a file in the home]
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,

    /// Print JSON: `file`, `events`, `head`, `pruned`
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
What was asked and answered after the backup is gone from the log then, and stays in the
file that is kept aside. Tokens that were revoked since are revoked again, if the database
that is there can be read; devices that were added since have to be added anew. Pages that
were open are to be loaded anew.

Exit codes:
  0    done
  1    internal error, or the backup does not add up: nothing was changed
  2    bad input, or a hub is running: nothing was changed

Examples:
  handraise restore ~/backups/handraise-2026-11-16.db
  handraise restore --data /srv/handraise --head SEQ:HASH backup.db")]
pub(crate) struct RestoreArgs {
    /// The backup
    #[arg(value_name = "FILE")]
    pub(crate) from: PathBuf,

    /// The head that was printed with the backup: shows a backup that was changed since
    #[arg(long, value_name = "SEQ:HASH")]
    pub(crate) head: Option<Head>,

    /// The database, as for `handraise serve` [default: a file in the home]
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,

    /// Print JSON: `events`, `head`, `pruned`, `revoked`, `before`
    #[arg(long)]
    pub(crate) json: bool,
}
