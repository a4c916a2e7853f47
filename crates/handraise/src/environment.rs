//! The environment, read in one place and passed on as values.

#![expect(clippy::disallowed_methods, reason = "this is the edge where it is read")]

use handraise_terminal::ColorHints;
use jiff::Timestamp;

/// What the environment says of the terminal's colours.
pub(crate) fn color_hints() -> ColorHints {
    let var = |name| std::env::var(name).ok();
    ColorHints {
        no_color: var("NO_COLOR"),
        colorterm: var("COLORTERM"),
        term: var("TERM"),
        colorfgbg: var("COLORFGBG"),
    }
}

/// The time now, in RFC 3339, to the millisecond.
pub(crate) fn now() -> String {
    format!("{:.3}", Timestamp::now())
}
