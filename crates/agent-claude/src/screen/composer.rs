//! Where a person types to Claude Code when no dialog is open.

use super::dialog::{is_edge, is_rule};

/// What stands in it; `None` when there is none, because a dialog has taken its place.
///
/// It is what stands between the last two rules, behind the prompt sign.
pub(super) fn read(lines: &[String]) -> Option<String> {
    let last = lines.iter().rposition(|line| is_rule(line))?;
    let first = lines[..last].iter().rposition(|line| is_edge(line))?;
    let inside = lines[first + 1..last].join("\n");
    inside.strip_prefix('❯').map(|text| text.trim().to_owned())
}

/// Whether it holds a paste too long to be shown.
pub(super) fn holds_a_paste(text: &str) -> bool {
    text.starts_with("[Pasted text #") && text.ends_with(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn it_is_between_the_last_rules() {
        let rule = "─".repeat(24);
        let screen =
            format!("❯ older\n● ok\n{rule}\n❯\u{a0}two\n  lines\n{rule}\n  ? for shortcuts");
        assert_eq!(read(&lines(&screen)).as_deref(), Some("two\n  lines"));
        let dialog = format!("❯ older\n{rule}\n ☐ Database\n\n❯ 1. Postgres\n{rule}\n  5. Chat");
        assert_eq!(read(&lines(&dialog)), None);
    }
}
