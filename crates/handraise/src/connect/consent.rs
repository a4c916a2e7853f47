//! The difference, and the question whether to write it.

use std::io::{self, IsTerminal, Write};

use handraise_terminal::visible;
use similar::TextDiff;

use super::file::SettingsFile;
use crate::failure::{Exit, Failure};
use crate::{environment, output};

/// Shows what would change; `None` says the file would go.
pub(super) fn show(file: &SettingsFile, after: Option<&str>) -> Result<(), Failure> {
    let name = |text: Option<&str>| text.map_or("/dev/null".into(), |_| file.name());
    let (before, old, new) = (file.text(), name(file.text()), name(after));
    let difference = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    let difference = difference.unified_diff().header(&old, &new).to_string();
    let colours = io::stdout().is_terminal() && !environment::is_set("NO_COLOR");
    // Made visible before it is coloured, so only these colours reach the terminal.
    let difference = visible(difference.trim_end());
    let lines = difference.lines().map(|line| match colour(line).filter(|_| colours) {
        Some(code) => format!("\x1b[{code}m{line}\x1b[0m"),
        None => line.to_owned(),
    });
    output::show_raw(&lines.collect::<Vec<_>>().join("\n"))
}

fn colour(line: &str) -> Option<&'static str> {
    match line.as_bytes().first()? {
        _ if line.starts_with("--- ") || line.starts_with("+++ ") => Some("1"),
        b'+' => Some("32"),
        b'-' => Some("31"),
        b'@' => Some("36"),
        _ => None,
    }
}

/// Whether to go on. Asks, unless `yes` was said beforehand; only a clear yes is one.
pub(super) fn given(yes: bool) -> Result<bool, Failure> {
    if yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() {
        let error = anyhow::anyhow!("there is no terminal to ask at");
        let hint = "pass --yes to write this without being asked; nothing was changed";
        return Err(Failure::new(Exit::BadInput, error).hint(hint));
    }
    let mut said = String::new();
    let asked =
        write!(io::stderr(), "Write this? [y/N] ").and_then(|()| io::stdin().read_line(&mut said));
    asked.map_err(|error| {
        let error = anyhow::Error::new(error).context("cannot ask at this terminal");
        Failure::new(Exit::BadInput, error).hint("pass --yes to write this without being asked")
    })?;
    Ok(matches!(said.trim().to_lowercase().as_str(), "y" | "yes"))
}
