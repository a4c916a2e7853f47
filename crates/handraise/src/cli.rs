//! The command line, as `--help` tells it.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use jiff::SignedDuration;

/// Carries a coding agent's questions to a person and the person's answer back.
#[derive(Debug, Parser)]
#[command(
    name = "handraise",
    version,
    arg_required_else_help = true,
    after_help = "\
Try it:
  handraise ask --example | handraise ask -"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Put questions to the person at this terminal and print the answer
    ///
    /// The questions are JSON as the AskUserQuestion tool takes it. The prompt is drawn on the
    /// terminal itself; standard output carries the answer and nothing else.
    Ask(AskArgs),
    /// Print a completion script for your shell
    Completions {
        /// The shell to complete for
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0    answered
  1    internal error
  2    bad input
  3    declined, or the person wants to talk first
  4    no answer within --timeout
  5    withdrawn
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

    /// Where to ask; `auto` asks everywhere it can
    #[arg(long, value_enum, default_value_t = Via::Auto)]
    pub(crate) via: Via,

    /// How to print the answer
    #[arg(long, value_enum, default_value_t = Format::Json)]
    pub(crate) format: Format,

    /// Hold the questions to the tool's own limits: 1–4 questions, 2–4 options, short labels
    #[arg(long)]
    pub(crate) strict: bool,

    /// Give up after this long, e.g. 90s, 5m, 1h30m; somebody at work on the answer gets up to as
    /// much again [default: wait for ever]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// Numbered lines and typed answers, for screen readers and simple terminals
    #[arg(long)]
    pub(crate) plain: bool,

    /// Colours for a dark or a light background
    #[arg(long, value_enum, default_value_t = Theme::Auto)]
    pub(crate) theme: Theme,

    /// Print sample questions to start from, and ask nothing
    #[arg(long, conflicts_with_all = ["file", "strict", "timeout", "plain"])]
    pub(crate) example: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Via {
    /// Everywhere it can
    Auto,
    /// This terminal
    Terminal,
    /// A running hub; this version has none yet
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

const LONGEST_WAIT: Duration = Duration::from_hours(366 * 24);

fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
    let parsed = match seconds {
        Some(seconds) => Ok(SignedDuration::from_secs(seconds)),
        None => text.parse::<SignedDuration>().map_err(|error| error.to_string()),
    };
    let parsed = parsed.map_err(|error| format!("{error}; write it as 90s, 5m or 1h30m"))?;
    match Duration::try_from(parsed) {
        Ok(wait) if wait > LONGEST_WAIT => Err("at most 366 days are allowed".into()),
        Ok(wait) if wait >= Duration::from_secs(1) => Ok(wait),
        _ => Err("at least one second is needed".into()),
    }
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
    fn durations_are_read_as_people_write_them() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1h30m"), Ok(Duration::from_mins(90)));
        for wrong in
            ["", "0s", "-5s", "soon", "99999999999999999999", "10ms", "400d", "9223372036854775807"]
        {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
