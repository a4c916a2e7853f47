//! What the screen of Claude Code shows.

/// What stands in the composer, without any white space; `None` when there is no composer, because a
/// dialog has taken its place.
///
/// It is what stands between the last two rules, behind the prompt sign. A dialog has a rule above its
/// heading and another above its last row, but no prompt sign right below the first.
pub(super) fn composer(screen: &str) -> Option<String> {
    let lines: Vec<_> = screen.lines().collect();
    let last = lines.iter().rposition(|line| is_rule(line))?;
    let first = lines[..last].iter().rposition(|line| is_rule(line))?;
    let inside = dense(&lines[first + 1..last].concat());
    inside.strip_prefix('❯').map(str::to_owned)
}

/// Whether a dialog with questions is open. A session with a title has it in a rule below.
pub(super) fn asks(screen: &str) -> bool {
    let mut lines = screen.lines().filter(|line| !line.trim().is_empty() && !is_rule(line));
    let footer = lines.next_back().unwrap_or_default();
    footer.contains("Enter to select") && footer.contains("Esc to cancel")
}

/// Whether `text` is there, wherever its lines are broken.
pub(super) fn shows(screen: &str, text: &str) -> bool {
    dense(screen).contains(&dense(text))
}

/// Without white space: a line too long for the screen is broken at blanks, and indented.
pub(super) fn dense(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn is_rule(line: &str) -> bool {
    line.starts_with("──────────")
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPOSER: &str = "\
❯ an older prompt

● ok
────────────────────────
❯\u{a0}a prompt that is too
  long
────────────────────────
  ? for shortcuts
";
    const DIALOG: &str = "\
❯ the prompt
────────────────────────
 ☐ Database

Which database should we
use?

❯ 1. Postgres
  2. SQLite
  3. Type something.
────────────────────────
  4. Chat about this

Enter to select · ↑/↓ to navigate · Esc to cancel

";

    #[test]
    fn the_composer_is_between_the_last_rules() {
        assert_eq!(composer(COMPOSER).as_deref(), Some("apromptthatistoolong"));
        assert_eq!(composer(DIALOG), None);
        assert_eq!(composer(""), None);
    }

    #[test]
    fn a_dialog_is_known_by_its_footer() {
        assert!(asks(DIALOG));
        assert!(!asks(COMPOSER));
        assert!(shows(DIALOG, "Which database should we use?"));
    }
}
