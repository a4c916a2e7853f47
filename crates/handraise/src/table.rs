//! Rows and columns for a person.

use std::io::IsTerminal;

use handraise_terminal::{ellipsize, visible};
use jiff::SignedDuration;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text in columns. Cells may hold text of agents; they are made visible.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    /// Columns that agents fill, with the most of the screen each may take.
    limited: Vec<(usize, usize)>,
}

/// Between two columns.
pub(crate) const GAP: usize = 2;

impl Table {
    pub(crate) fn new(heads: &[&str]) -> Self {
        Self { rows: vec![heads.iter().map(ToString::to_string).collect()], limited: vec![] }
    }

    /// Limits the columns AGENT and PROJECT, so that no agent can push the columns after them off the
    /// screen.
    pub(crate) fn limit_agent_columns(mut self) -> Self {
        let most = |head: &String| match head.as_str() {
            "AGENT" => Some(24),
            "PROJECT" => Some(32),
            _ => None,
        };
        let heads = self.rows[0].iter().enumerate();
        self.limited = heads.filter_map(|(n, head)| Some((n, most(head)?))).collect();
        self
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.into_iter().map(|cell| one_line(&cell)).collect());
    }

    /// The table, the last column cut off at `width` if there is one; its cells are visible already.
    pub(crate) fn text(&self, width: Option<usize>) -> String {
        let widths = self.widths(width);
        let lines = self.rows.iter().map(|row| {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                let cell = cut(cell, Some(*width));
                line.push_str(&cell);
                line.push_str(&" ".repeat(width.saturating_sub(cell.width()) + GAP));
            }
            cut(line.trim_end(), width)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// How wide each column is. On a narrow screen the limited ones leave a sixth of it to the last column.
    fn widths(&self, screen: Option<usize>) -> Vec<usize> {
        const NARROWEST: usize = 8;
        let columns = self.rows.first().map_or(0, Vec::len);
        let widest =
            |column: usize| self.rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
        let mut widths: Vec<usize> = (0..columns).map(widest).collect();
        for (column, most) in &self.limited {
            widths[*column] = widths[*column].min(*most);
        }
        let Some(screen) = screen else { return widths };
        let before_last = |widths: &[usize]| -> usize {
            widths[..columns - 1].iter().map(|width| width + GAP).sum()
        };
        while before_last(&widths) > screen - screen / 6 {
            let limited = self.limited.iter().map(|(column, _)| *column);
            let widest = limited.max_by_key(|column| widths[*column]);
            match widest.filter(|column| widths[*column] > NARROWEST) {
                Some(column) => widths[column] -= 1,
                None => break,
            }
        }
        widths
    }
}

/// An agent's text on one line, so that it cannot pass for a line of ours.
pub(crate) fn one_line(text: &str) -> String {
    // Most cells of long tables are plain, and looking at every character for its neighbours takes long.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    // Marked first: to `split_whitespace`, many a hidden character is a space.
    visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An agent's text within a sentence of ours.
pub(crate) fn short(text: &str) -> String {
    const LONGEST: usize = 60;
    within(text, LONGEST)
}

/// An agent's text on one line of at most this width.
pub(crate) fn within(text: &str, width: usize) -> String {
    cut(&one_line(text), Some(width))
}

/// The same, cut in its middle: its beginning and its end tell it from others.
pub(crate) fn ends_within(text: &str, width: usize) -> String {
    let line = one_line(text);
    if line.width() <= width {
        return line;
    }
    let end: usize = width / 2;
    let begin = cut(&line, Some(width - end));
    let mut left = end;
    let kept = line.chars().rev().take_while(|c| {
        let wide = c.width().unwrap_or(0);
        let fits = wide <= left;
        left = left.saturating_sub(wide);
        fits
    });
    let kept: Vec<_> = kept.collect();
    begin.chars().chain(kept.into_iter().rev()).collect()
}

fn cut(line: &str, width: Option<usize>) -> String {
    width.map_or_else(|| line.to_owned(), |width| ellipsize(line, width))
}

/// The width of the terminal, if that is where the output goes.
pub(crate) fn width() -> Option<usize> {
    let stdout = std::io::stdout();
    let size = rustix::termios::tcgetwinsize(&stdout).ok().filter(|_| stdout.is_terminal())?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// A length of time as people say it: `45s`, `12m`, `3h 5m`, `2d 4h`.
pub(crate) fn duration(time: SignedDuration) -> String {
    let seconds = time.as_secs().max(0);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h {}m", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{}d {}h", seconds / 86_400, seconds % 86_400 / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_whatever_is_in_them() {
        let mut table = Table::new(&["ID", "WHAT"]);
        table.row(vec!["漢字".into(), "two\nlines \u{1b}[31m".into()]);
        table.row(vec!["a".into(), "x".into()]);
        let text = table.text(None);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "ID    WHAT");
        assert!(lines[1].starts_with("漢字  two lines "), "{text}");
        assert!(!text.contains('\u{1b}'));
        assert_eq!(lines[2], "a     x");
        assert!(table.text(Some(9)).lines().all(|line| line.width() <= 9));
    }

    #[test]
    fn an_agents_columns_leave_room_for_the_last_one() {
        for screen in [80, 100] {
            let heads = ["WHEN", "TOOK", "BY", "STATE", "AGENT", "PROJECT", "WHAT"];
            let mut table = Table::new(&heads).limit_agent_columns();
            for text in ["\u{115f}", "漢", "❤\u{fe0f}", " ."] {
                let when = "2026-11-19 22:35:52".to_owned();
                let (by, state) = ("the agent".into(), "delivered".into());
                let what = "✔ Denied".to_owned();
                let (agent, project) = (text.repeat(100), text.repeat(500));
                table.row(vec![when, "12s".into(), by, state, agent, project, what]);
            }
            for line in table.text(Some(screen)).lines().skip(1) {
                assert!(line.ends_with("✔ Denied") && line.width() <= screen, "{line}");
            }
            let unlimited = table.text(None);
            let (columns, _) = unlimited.lines().next().unwrap().split_once("WHAT").unwrap();
            assert_eq!(columns.len(), 19 + 4 + 9 + 9 + 24 + 32 + 6 * GAP);
        }
    }

    #[test]
    fn no_character_of_unicode_hides_in_a_cell() {
        let is_hidden = |c: &char| handraise_question::hidden::hides(*c);
        for c in ('\0'..=char::MAX).filter(is_hidden).filter(|c| !matches!(c, '\n' | '\t')) {
            let cell = one_line(&format!("git{c}status"));
            assert!(cell != "git status" && cell.width() > "git status".len() - 1, "{cell:?}");
            assert!(cell.contains(['<', '␡']) || cell.contains(|c| c >= '␀'), "{cell:?}");
        }
    }

    #[test]
    fn what_begins_or_ends_differently_stays_different() {
        assert_eq!(ends_within("shop", 24), "shop");
        assert_eq!(ends_within("the-team-of-ann/services/api", 24), "the-team-of…services/api");
        for text in ["漢字".repeat(40), "e\u{301}".repeat(40), "a\nb".repeat(40)] {
            assert!(ends_within(&text, 24).width() <= 24, "{text}");
        }
    }

    #[test]
    fn durations_are_short() {
        let said = |seconds| duration(SignedDuration::from_secs(seconds));
        assert_eq!([said(-5), said(59), said(60)], ["0s", "59s", "1m"]);
        assert_eq!([said(3_700), said(200_000)], ["1h 1m", "2d 7h"]);
    }
}
