//! What the dashboard weighs, and how fast it shows what waits.

use anyhow::Result;

use crate::tools::{cargo, run};
use crate::web as dashboard;

/// In real Chromium, before a hub as it is released; the numbers and what they are compared with are
/// in `web/bench`.
pub(crate) fn web() -> Result<()> {
    dashboard::install()?;
    dashboard::need_browser()?;
    run(&mut cargo(&["build", "--release", "--package", "handraise"]))?;
    run(&mut dashboard::playwright("release", "bench/playwright.config.ts"))
}
