//! The picture of the inbox: three agents wait, and the question of one is open.

use std::path::Path;

use anyhow::{Context, Result};
use handraise_broker::Power;
use handraise_testkit::Key::{Down, Enter};
use handraise_testkit::{HubProcess, Pty, Screen};
use serde_json::{Value, json};

use crate::svg;
use crate::tools::root;

const PICTURE: &str = "docs/inbox.svg";

/// Draws the inbox anew, as the real program shows it.
pub(crate) fn draw(program: &Path) -> Result<()> {
    let picture = svg::of(&three_wait(program)?);
    std::fs::write(root().join(PICTURE), picture)
        .with_context(|| format!("cannot write {PICTURE}"))?;
    eprintln!("drew {PICTURE}");
    Ok(())
}

fn three_wait(program: &Path) -> Result<Screen> {
    let hub = HubProcess::start(program);
    for ask in asks() {
        let asked = hub.plain(Power::Agent, "POST", "/asks", Some(&ask));
        asked.body["id"].as_str().with_context(|| format!("the hub said {}", asked.body))?;
    }
    let data = hub.home().directory().display().to_string();
    let program = program.display().to_string();
    let env = [("COLORTERM", "truecolor"), ("COLORFGBG", "15;0")];
    let inbox = [&program, "inbox", "--data", &data];
    let mut pty = Pty::spawn(&inbox, hub.directory(), &env, (132, 21));
    pty.wait_for("3 wait");
    pty.press(&[Down]);
    pty.wait_for("╭─ Library ─╮");
    pty.press(&[Enter]);
    Ok(pty.wait_for("↑↓ navigate"))
}

/// What waits: an approval, a question with a few words before it, and one that ends soon.
fn asks() -> [Value; 3] {
    [
        json!({
            "asker": {"agent": "claude-code", "directory": "/home/ann/shop", "title": "Clean up dates",
                "preamble": "I have read the service. It parses dates in four places, and two of them \
                    disagree about time zones."},
            "questions": [{"question": "Which library is to stay?", "header": "Library",
                "multiSelect": false, "options": [
                    {"label": "jiff (Recommended)", "description": "Correct by default"},
                    {"label": "chrono", "description": "Used in the old service"}]}],
        }),
        json!({
            "asker": {"agent": "claude-code", "directory": "/home/ann/site"}, "kind": "approval",
            "approval": {"tool": "Bash", "input": {"command": "npm run deploy"}},
        }),
        json!({
            "asker": {"agent": "codex", "directory": "/home/ann/api"},
            "policy": {"deadlineSeconds": 240},
            "questions": [{"question": "Which auth method should the API use?", "header": "Auth",
                "multiSelect": false, "options": [{"label": "JWT"}, {"label": "Session cookie"}]}],
        }),
    ]
}
