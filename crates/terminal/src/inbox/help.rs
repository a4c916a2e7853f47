//! All keys of the inbox.

use super::overlay::Passage;

/// By where they mean something, each with what.
const KEYS: [(&str, &[(&str, &str)]); 4] = [
    (
        "In the list",
        &[
            ("↑ ↓ / k j", "move; PgUp PgDn by a page, Home End to the first or last"),
            ("Enter →", "open the ask"),
            ("/", "only those with these words; Esc shows all again"),
            ("h", "search what was decided"),
            ("x", "dismiss a line that waits for nobody"),
            ("q", "leave; nothing ends"),
        ],
    ),
    (
        "In an ask",
        &[
            ("?", "the keys that answer it"),
            ("w", "all the agent wrote before it asked"),
            ("] [", "the next or previous ask, without going back"),
            ("n", "after its end, and a pause: on to the next that waits"),
            ("↑ ↓ / k j", "after its end: scroll what does not fit; PgUp PgDn by a page"),
            ("Esc", "out of a text, and back to the list; what you typed stays"),
        ],
    ),
    (
        "Everywhere",
        &[
            ("o", "go on in the browser, or show the link; from an ask, at it"),
            ("Ctrl-C", "leave; Ctrl-Z pauses, Ctrl-L redraws"),
        ],
    ),
    (
        "Marks",
        &[
            ("? !", "a question; an approval"),
            ("✎ …", "you have typed something; being sent"),
            ("● ⚠", "has ended; nobody gave, or got, this answer"),
        ],
    ),
];

pub(super) fn passages() -> Vec<Passage> {
    let section = |(place, keys): &(&str, &[(&str, &str)])| {
        let meaning = |(key, meaning): &(&str, &str)| Passage::Meaning {
            of: (*key).to_owned(),
            is: (*meaning).to_owned(),
        };
        let title = Passage::Words((*place).to_owned());
        std::iter::once(title).chain(keys.iter().map(meaning)).collect::<Vec<_>>()
    };
    KEYS.iter().flat_map(section).collect()
}
