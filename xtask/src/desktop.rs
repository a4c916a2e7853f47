//! A desktop for tests and pictures, and the picture of a notification on it.

use std::path::Path;

use anyhow::{Context, Result};
use handraise_broker::Power;
use handraise_testkit::{Desktop, HubProcess};
use serde_json::json;

use crate::tools::{need, need_file, need_package, root};

const PICTURE: &str = "docs/notification.png";

/// Makes sure that there is a notification daemon, and a desktop nobody sees.
pub(crate) fn install() -> Result<()> {
    need("dunst", &["--version"])?;
    need_package("Xvfb", "xvfb", &["-help"])?;
    need_package("dbus-daemon", "dbus", &["--version"])?;
    // Of the same package as `dbus-send`, and this one says that it is there.
    need_package("dbus-uuidgen", "dbus-bin", &["--version"])
}

/// Draws a notification anew, as a real daemon shows it.
pub(crate) fn draw(program: &Path) -> Result<()> {
    install()?;
    need_package("import", "imagemagick", &["-version"])?;
    // Any font will do for tests; a picture looks the same everywhere only with this one.
    need_file("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "fonts-dejavu-core")?;
    let desktop = Desktop::start();
    let mut hub = HubProcess::prepare(program);
    hub.set_variable("DBUS_SESSION_BUS_ADDRESS", desktop.bus());
    hub.restart();
    let ask = json!({
        "asker": {"agent": "claude-code", "directory": "/home/dev/api", "title": "Rework the login"},
        "questions": [{"question": "Which auth method should the API use?", "header": "Auth",
            "multiSelect": false, "options": [{"label": "JWT"}, {"label": "Session cookie"}]}],
    });
    let asked = hub.plain(Power::Agent, "POST", "/asks", Some(&ask));
    asked.body["id"].as_str().with_context(|| format!("the hub said {}", asked.body))?;
    desktop.wait_bodies(&["Auth: Which auth method should the API use?"]);
    desktop.picture(&root().join(PICTURE));
    eprintln!("drew {PICTURE}");
    Ok(())
}
