//! The command that shows all that waits.

use clap::Args;

use super::Theme;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Keys (`?` shows all of them):
  ↑ ↓         move; what comes and goes does not move what you have selected
  Enter       open the ask; then answer it with the keys of `handraise ask`
  Esc         back to the list; what you typed stays
  n           after an answer: on to the next that waits
  /           only those with these words
  h           search what was decided
  o           go on in the browser, at the open ask, or show the link
  q, Ctrl-C   leave; nothing ends

At the top stands what went wrong, then what ends soonest, then what has waited
longest. While the hub is away, what you type and answer stays, and is sent when
it is back. What was typed and not sent is printed when you leave. An ask that
ends while you look at it takes no key until you pause.

Exit codes:
  0    you left
  1    internal error
  2    bad input, or started inside an agent
  6    no terminal, or no hub

Examples:
  handraise inbox
  ssh -t devbox handraise inbox
  handraise inbox --project shop")]
pub(crate) struct InboxArgs {
    /// Only asks of agents whose directory has this in it
    #[arg(long, value_name = "PART")]
    pub(crate) project: Option<String>,

    /// Colours for a dark or a light background
    #[arg(long, value_enum, default_value_t = Theme::Auto)]
    pub(crate) theme: Theme,
}
