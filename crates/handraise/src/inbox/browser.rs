//! Going on in the browser.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use handraise_client::RemoteHub;

use super::board::Board;
use crate::environment;

const A_MOMENT: Duration = Duration::from_secs(2);
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Opens the dashboard where the person sits; shows the link where nothing can be opened.
pub(super) async fn open(hub: RemoteHub, board: Arc<Board>) {
    let link = match hub.patient(A_MOMENT).link().await {
        Ok(link) => link,
        Err(error) => return board.remote.say(format!("No link: {error}")),
    };
    let url = link.url.clone();
    let opened = tokio::task::spawn_blocking(move || opens(&url)).await.unwrap_or(false);
    if opened {
        board.remote.say("Opened in the browser.".into());
    } else {
        let note = "It works once, within ten minutes. Whoever opens it can answer for you.";
        board.remote.show("Open this in a browser".into(), format!("{}\n\n{note}", link.url));
    }
}

fn opens(url: &str) -> bool {
    if !environment::has_display() {
        return false;
    }
    let mut opener = Command::new(OPENER);
    opener.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    opener.status().is_ok_and(|status| status.success())
}
