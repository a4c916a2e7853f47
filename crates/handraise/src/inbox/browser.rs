//! Going on in the browser.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use handraise_client::RemoteHub;
use handraise_terminal::Passage;
use tokio::process::Command;

use super::board::Board;
use crate::environment;

const A_MOMENT: Duration = Duration::from_secs(2);
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Opens the dashboard where the person sits, and shows the link for a browser that is not logged in.
pub(super) async fn open(hub: RemoteHub, board: Arc<Board>) {
    let link = match hub.patient(A_MOMENT).link().await {
        Ok(link) => link,
        Err(error) => return board.remote.say(format!("No link: {error}")),
    };
    // A secret has no place in the arguments of a program, which everybody on the machine can read.
    let opened = link.url.split_once('#').is_some_and(|(dashboard, _)| opens(dashboard));
    let title = if opened {
        "Opened in the browser. If it asks who you are, open this there"
    } else {
        "Open this in a browser"
    };
    let note = "\nIt works once, within ten minutes. Whoever opens it can answer for you.";
    let passages = vec![Passage::Address(link.url), Passage::Words(note.into())];
    board.remote.show(title.into(), passages);
}

/// Whether it could be started. Nobody waits for it, and Ctrl-C here is not for the browser.
fn opens(address: &str) -> bool {
    if !environment::has_display() {
        return false;
    }
    let mut opener = Command::new(OPENER);
    opener.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match opener.process_group(0).spawn() {
        Ok(mut opener) => {
            drop(tokio::spawn(async move { opener.wait().await }));
            true
        }
        Err(_) => false,
    }
}
