//! Going on in the browser.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use handraise_broker::AskId;
use handraise_client::RemoteHub;
use handraise_terminal::Passage;
use tokio::process::Command;

use super::board::Board;
use crate::environment;

const A_MOMENT: Duration = Duration::from_secs(2);
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
const NOTE: &str =
    "\nThis link works once, within ten minutes. Whoever opens it can answer for you.";

/// Opens an ask, or all that waits, where the person sits; and shows the link for a browser that is not logged
/// in, which leads to the same place.
pub(super) async fn open(hub: RemoteHub, board: Arc<Board>, at: Option<AskId>) {
    let login = match hub.patient(A_MOMENT).link(at).await {
        Ok(link) => link.url,
        Err(error) => return board.remote.say(format!("No link: {error}")),
    };
    // A secret has no place in the arguments of a program, which everybody on the machine can read.
    let dashboard = login.split_once('#').map_or(login.as_str(), |(dashboard, _)| dashboard);
    let place = at.map_or(dashboard.to_owned(), |ask| format!("{dashboard}#/ask/{ask}"));
    let (title, passages) = if opens(&place) {
        let title = "Opened in the browser. If it asks who you are, open this there";
        (title, vec![Passage::Address(login)])
    } else {
        let otherwise = Passage::Words("\nIn one that is not logged in, open this instead:".into());
        let passages = vec![Passage::Address(place), otherwise, Passage::Address(login)];
        ("In a browser that is logged in, open", passages)
    };
    let note = Passage::Words(NOTE.into());
    board.remote.show(title.into(), passages.into_iter().chain([note]).collect());
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
