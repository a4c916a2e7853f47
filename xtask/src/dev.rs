//! The loop of whoever works on the dashboard.

use anyhow::{Context, Result};
use handraise_broker::Power;
use handraise_testkit::HubProcess;

use crate::tools::{self, built, cargo};
use crate::web;

const PORT: &str = "5173";

/// A hub on a temporary home, and Vite before it, which shows every change at once. Ctrl-C ends both.
pub(crate) fn run() -> Result<()> {
    web::install()?;
    tools::run(&mut cargo(&["build", "--package", "handraise"]))?;
    let hub = HubProcess::start(&built("debug", "handraise"));
    let made = hub.plain(Power::Person, "POST", "/links", None);
    let link = made.body["url"].as_str().context("the hub made no link")?;
    let secret = link.split_once('#').map_or("", |(_, secret)| secret);
    eprintln!("\nthe hub is at {}, with the home {}", hub.url(), hub.home().directory().display());
    eprintln!("the dashboard: http://127.0.0.1:{PORT}/#{secret}");
    let vite =
        ["exec", "--no", "--", "vite", "--host", "127.0.0.1", "--port", PORT, "--strictPort"];
    tools::run(web::npm(&vite).env("HANDRAISE_HUB", hub.url()))
}
