//! Why a hub did not come up, for those who started it where nobody sees what it says.

use std::fs;
use std::io::Read;

use handraise_client::Home;

use crate::failure::Failure;

/// So much of it is read: it is a few lines.
const MOST: u64 = 10_000;

/// Leaves word of what the hub ended with. That it cannot is no worse than what it ended with.
pub(super) fn leave(home: &Home, failure: &Failure) {
    let words = failure.lines().join("\n") + "\n";
    let _ = home.keep_private(Home::LAST_WORDS, words.as_bytes());
}

/// There is nothing to be said any more.
pub(crate) fn forget(home: &Home) {
    // Mostly there is nothing.
    let _ = fs::remove_file(home.last_words());
}

/// What the last hub that did not come up has left, line by line.
pub(crate) fn of(home: &Home) -> Vec<String> {
    let mut text = vec![];
    // Most hubs leave nothing.
    let _ =
        fs::File::open(home.last_words()).and_then(|file| file.take(MOST).read_to_end(&mut text));
    String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
}
