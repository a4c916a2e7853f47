//! Pictures in the documentation, drawn by the real program; and all of the dashboard, to look at.

use std::path::Path;

use anyhow::{Context, Result, bail};
use handraise_testkit::Key::{Down, Enter, Text};
use handraise_testkit::{Pty, Screen};

use crate::tools::{built, cargo, root, run, target};
use crate::{desktop, inbox, svg, web};

const PICTURE: &str = "docs/prompt.svg";
/// Which pictures of the dashboard are in the documentation, and under which name.
const OF_THE_DASHBOARD: [(&str, &str); 2] = [
    ("waiting.desk-light.png", "docs/dashboard.png"),
    ("waiting.phone-dark.png", "docs/dashboard-phone.png"),
];

/// Draws the pictures anew.
pub(crate) fn draw() -> Result<()> {
    let path = root().join(PICTURE);
    std::fs::write(&path, picture()?).with_context(|| format!("cannot write {PICTURE}"))?;
    eprintln!("drew {PICTURE}");
    let program = built("debug", "handraise");
    inbox::draw(&program)?;
    desktop::draw(&program)?;
    dashboard()
}

/// Every page and state, for desk and phone, light and dark.
fn dashboard() -> Result<()> {
    web::install()?;
    web::need_browser()?;
    let place = target().join("screenshots");
    let mut playwright = web::playwright("debug", "pictures/playwright.config.ts");
    run(playwright.env("HANDRAISE_PICTURES", &place))?;
    for (name, picture) in OF_THE_DASHBOARD {
        std::fs::copy(place.join(name), root().join(picture))
            .with_context(|| format!("cannot write {picture}"))?;
        eprintln!("drew {picture}");
    }
    eprintln!("all pages and states are in {}", place.display());
    Ok(())
}

/// Fails when a committed picture no longer shows what the program draws.
pub(crate) fn check() -> Result<()> {
    let committed = std::fs::read_to_string(root().join(PICTURE)).unwrap_or_default();
    if committed != picture()? {
        bail!("{PICTURE} no longer shows the prompt as it is; run `cargo xtask screenshots`");
    }
    eprintln!("{PICTURE} is up to date");
    Ok(())
}

fn picture() -> Result<String> {
    run(&mut cargo(&["build", "--package", "handraise"]))?;
    Ok(svg::of(&second_question(&built("debug", "handraise"))?))
}

/// The sample's second question, with two boxes ticked.
fn second_question(program: &Path) -> Result<Screen> {
    let directory = tempfile::tempdir()?;
    let program = program.display().to_string();
    let line = r#""$0" ask --example | "$0" ask - > answer"#;
    let env = [("COLORTERM", "truecolor"), ("COLORFGBG", "15;0")];
    let mut pty = Pty::spawn(&["sh", "-c", line, &program], directory.path(), &env, (76, 21));
    pty.wait_for("Question 1 of 2");
    pty.press(&[Enter]);
    pty.wait_for("Question 2 of 2");
    pty.press(&[Text("1"), Text("2"), Down]);
    Ok(pty.wait_until("two ticked boxes and the focus on the second", |screen| {
        screen.has("☑ Google") && screen.has("> ☑ GitHub")
    }))
}
