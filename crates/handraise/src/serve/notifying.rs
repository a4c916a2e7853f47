//! How the person of this hub is tapped on the shoulder.

use std::io::{IsTerminal, stdout};

use handraise_broker::Record;
use handraise_client::Home;
use handraise_notify::terminal::Style;
use handraise_notify::{CommandSettings, DesktopSettings, Settings};
use handraise_server::has_dashboard;
use handraise_wire::v1::AskResponse;
use serde_json::Value;

use crate::config::{Notify, Ring};
use crate::environment;

/// What the configuration and this machine make possible.
pub(super) fn settings(home: &Home, config: &Notify, url: &str) -> Settings {
    if config.desktop == Some(true) && environment::session_bus().is_none() {
        tracing::warn!(
            "no notification on the desktop: no session bus is named in the environment"
        );
    }
    let bus = environment::session_bus().filter(|_| config.desktop != Some(false));
    let desktop = bus.map(|bus| DesktopSettings {
        bus,
        wanted: config.desktop == Some(true),
        dashboard: has_dashboard().then(|| url.to_owned()),
    });
    let through_tmux = environment::is_set("TMUX");
    let style =
        config.terminal.and_then(Ring::sequence).map(|sequence| Style { sequence, through_tmux });
    let terminal = style.filter(|_| stdout().is_terminal());
    Settings {
        text: config.text,
        remind_after: config.remind_after.map(|wait| wait.0),
        directory: home.directory().to_owned(),
        desktop,
        terminal: terminal.map(|style| (style, Box::new(stdout()) as _)),
        command: config.command.clone().map(|words| CommandSettings { words, form }),
    }
}

/// The API's form of an ask.
fn form(record: &Record) -> Value {
    serde_json::to_value(AskResponse::from(record)).unwrap_or_default()
}
