//! Which keys do what: one line below the prompt, all of them on `?`.

use handraise_question::Select;

use super::columns;
use crate::prompt::{Mode, Page, Prompt, Purpose};

const KEYS: &[(&str, &str)] = &[
    ("↑ ↓ / k j", "move between options; Home End to the first or last"),
    ("Enter", "choose (single) or confirm what is ticked (multi)"),
    ("Space", "tick or untick"),
    ("1–9", "choose or tick by number"),
    ("Tab → / ←", "next or previous question"),
    ("n", "add a note to the answer"),
    ("l", "leave a question open, on the review page"),
    ("d", "talk first instead of answering"),
    ("x", "decline, with a reason"),
    ("PgUp PgDn", "scroll the preview, or a long question"),
    ("Ctrl-U Ctrl-D", "scroll a long question beside a preview"),
    ("Alt-Enter", "new line while typing (also Ctrl-J)"),
    ESC,
    ("Ctrl-C", "stop without an answer; Ctrl-Z pauses, Ctrl-L redraws"),
];

const ESC: (&str, &str) = ("Esc", "set the text aside; cancel everything");
const ESC_AMONG_OTHERS: (&str, &str) = ("Esc", "set the text aside; back to the list");

/// Every key, for the help page of this prompt.
pub(super) fn keys(prompt: &Prompt) -> impl Iterator<Item = (&'static str, &'static str)> {
    let among_others = prompt.among_others;
    KEYS.iter().map(move |key| if among_others && *key == ESC { ESC_AMONG_OTHERS } else { *key })
}

/// The longest line of hints that fits.
pub(super) fn line(prompt: &Prompt, width: u16) -> String {
    let (full, short) = hints(prompt);
    let full: Vec<_> = full.into_iter().filter(|hint| !hint.is_empty()).collect();
    // Hints beyond the first few are given up one by one; `?` knows them all.
    for keep in (4.min(full.len())..=full.len()).rev() {
        let line = full[..keep].join(" • ");
        if columns(&line) <= width {
            return line;
        }
    }
    short.to_owned()
}

fn hints(prompt: &Prompt) -> (Vec<&'static str>, &'static str) {
    let several = prompt.drafts.len() > 1;
    let esc = if prompt.among_others { "esc back" } else { "esc cancel" };
    match (&prompt.mode, prompt.page) {
        (Mode::Help, _) => (vec!["↑↓ scroll", "any other key goes back"], "other keys: back"),
        (Mode::Discarding, _) => {
            (vec!["y throw away", "any other key keeps it"], "y discard • other keys keep")
        }
        (Mode::Writing { purpose, .. }, _) => {
            let enter = match purpose {
                Purpose::Words => "enter confirm",
                Purpose::Note { .. } => "enter keep",
                Purpose::Discuss => "enter send",
                Purpose::Reason => "enter decline",
            };
            (vec![enter, "alt+enter new line", "esc set aside"], "enter • alt+enter line • esc")
        }
        (Mode::Choosing, Page::Review { .. }) => (
            vec!["↑↓ navigate", "enter select", "l leave open", esc, "? help", "n note"],
            "↑↓ • enter • l open • esc • ?",
        ),
        (Mode::Choosing, Page::Question(i)) => {
            let multi = prompt.question(i).is_some_and(|(q, _)| q.select() == Select::Multi);
            let toggle = if multi { "space toggle" } else { "" };
            let tab = if several { "tab next" } else { "" };
            let short = if multi {
                "↑↓ • enter • space • esc • ?"
            } else {
                "↑↓ • enter • esc • ? help"
            };
            (vec!["↑↓ navigate", "enter select", toggle, esc, "? help", tab, "n note"], short)
        }
    }
}
