//! What the screen says of a dialog with questions.
//!
//! Nothing here knows what was asked: [`super::expected`] compares. A dialog that is taller than the
//! window loses its top, so what is out of sight is unknown rather than wrong.

use unicode_width::UnicodeWidthChar;

/// A dialog on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Dialog {
    /// One question.
    Question(Page),
    /// The answers, before they are sent.
    Review(Review),
}

/// The page of one question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Page {
    /// Which questions have an answer; unknown where the heading is out of sight.
    pub(super) answered: Option<Vec<bool>>,
    /// The question; unknown where it is out of sight.
    pub(super) question: Option<String>,
    /// The rows with numbers that can be seen from their beginning.
    pub(super) rows: Vec<Row>,
    /// What stands above the first of them, if that is out of sight.
    pub(super) above: String,
    /// Where the cursor is, if it is in sight.
    pub(super) focus: Option<Focus>,
    /// Beside previews: what was noted.
    pub(super) notes: Option<String>,
    /// Whether keys go into a text.
    pub(super) writes: bool,
    /// Whether the list can be scrolled.
    pub(super) is_scrolled: bool,
}

/// A row with a number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) number: usize,
    pub(super) ticked: Option<bool>,
    pub(super) text: String,
}

/// Where the cursor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Focus {
    /// On a row, by its number.
    Row(usize),
    /// On the row that leads on.
    Onward,
    /// On "Chat about this".
    Chat,
}

/// The page on which answers are sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Review {
    pub(super) answered: Option<Vec<bool>>,
    /// What it says, without its headings.
    pub(super) text: String,
    /// Whether its beginning is out of sight.
    pub(super) is_cut: bool,
    /// Whether the cursor is where it sends.
    pub(super) sends: bool,
}

const CURSOR: char = '❯';
const CHAT: &str = "Chat about this";

impl Dialog {
    /// Reads it; `None` when no dialog with questions is open.
    pub(super) fn read(lines: &[String]) -> Option<Self> {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        // A session with a name has it in a rule below, and one that goes on by itself says when.
        let ends = |line: &&str| !line.is_empty() && !is_edge(line) && !counts_down(line);
        let end = lines.iter().rposition(ends)? + 1;
        let lines = &lines[..end];
        review(lines).map(Self::Review).or_else(|| page(lines).map(Self::Question))
    }
}

fn page(lines: &[&str]) -> Option<Page> {
    let foot = lines.iter().rposition(|line| without_vim(line).starts_with("Enter to select"))?;
    let footer = lines[foot..].join(" ");
    // As an editor with modes it has another use for Esc, and does not offer it.
    let whole = footer.ends_with("Esc to cancel") || without_vim(&footer) != footer;
    if !whole || lines.len() - foot > 4 {
        return None;
    }
    let chat = lines[..foot].iter().rposition(|line| !line.is_empty())?;
    let (chat_focused, chat_text) = focused(lines[chat]);
    let chat_text =
        chat_text.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if chat_text.trim_start() != CHAT || !is_rule(lines.get(chat.checked_sub(1)?)?) {
        return None;
    }
    let below = chat - 1;
    let above = lines[..below].iter().rposition(|line| is_rule(line)).map_or(0, |rule| rule + 1);
    let mut body = &lines[above..below];
    let mut page = Page { writes: footer.contains("ctrl+g"), ..Page::default() };
    let heading = body.iter().position(|line| !line.is_empty());
    if let Some(answered) = heading.and_then(|first| tabs(body[first])) {
        page.answered = Some(answered);
        body = &body[heading.unwrap_or_default() + 1..];
    }
    body = onward(body, &mut page);
    let starts = row_starts(body);
    let first = starts.first().copied().unwrap_or(body.len());
    // A question of several lines has a bar before each.
    let plain = |line: &&str| line.strip_prefix('│').unwrap_or(line).to_owned();
    let text = body[..first].iter().map(plain).collect::<Vec<_>>().join("\n");
    if page.answered.is_some() {
        page.question = Some(text);
    } else {
        page.above = text;
    }
    let beside = starts.first().and_then(|first| box_column(body[*first]));
    for (place, start) in starts.iter().enumerate() {
        let end = starts.get(place + 1).copied().unwrap_or(body.len());
        read_row(&body[*start..end], beside, &mut page);
    }
    // Beside previews the row it came from keeps its mark.
    if chat_focused {
        page.focus = Some(Focus::Chat);
    }
    if beside.is_some() {
        page.notes = notes(&body[first..]);
    }
    Some(page)
}

/// The footer without the mode of an editor that has modes.
fn without_vim(footer: &str) -> &str {
    footer.strip_prefix("-- INSERT -- · ").unwrap_or(footer)
}

/// What stands below the footer of a dialog that closes by itself before long.
fn counts_down(line: &str) -> bool {
    line.trim_start().starts_with("auto-continue in ")
}

/// Takes the row that leads on off the end of a list in which several can be chosen.
fn onward<'a>(body: &'a [&'a str], page: &mut Page) -> &'a [&'a str] {
    let Some((last, rest)) = body.split_last() else { return body };
    let (is_focused, text) = focused(last);
    if !last.starts_with(['❯', ' ']) || !matches!(text.trim(), "Submit" | "Next") {
        return body;
    }
    if is_focused {
        page.focus = Some(Focus::Onward);
    }
    rest
}

/// Where rows begin: counted upwards from the last, so that numbers within a text do not count.
fn row_starts(body: &[&str]) -> Vec<usize> {
    let mut starts: Vec<usize> = vec![];
    let mut wanted = None;
    for (place, line) in body.iter().enumerate().rev() {
        let Some((number, _)) = row_number(line) else { continue };
        if wanted.is_none_or(|wanted| wanted == number) {
            starts.push(place);
            wanted = number.checked_sub(1);
        }
        if number <= 1 {
            break;
        }
    }
    starts.reverse();
    starts
}

/// The number at the beginning of a row, and what follows.
fn row_number(line: &str) -> Option<(usize, &str)> {
    let rest = line.strip_prefix([CURSOR, ' ', '↓', '↑'])?.strip_prefix(' ')?;
    let (number, text) = rest.split_once('.')?;
    let number = number.parse().ok().filter(|number| (1..100).contains(number))?;
    Some((number, text.strip_prefix(' ').unwrap_or(text)))
}

fn read_row(lines: &[&str], beside: Option<usize>, page: &mut Page) {
    let lines: Vec<&str> = match beside {
        Some(column) => lines.iter().map(|line| split_at_column(line, column).0).collect(),
        None => lines.to_vec(),
    };
    let Some((number, text)) = lines.first().and_then(|line| row_number(line)) else { return };
    if lines[0].starts_with(CURSOR) {
        page.focus = Some(Focus::Row(number));
    }
    page.is_scrolled |= lines[0].starts_with(['↓', '↑']);
    let (ticked, text) = match text {
        text if text.starts_with("[ ] ") => (Some(false), &text["[ ] ".len()..]),
        text if text.starts_with("[✔] ") => (Some(true), &text["[✔] ".len()..]),
        text => (None, text),
    };
    let text = std::iter::once(text).chain(lines[1..].iter().copied()).collect::<Vec<_>>();
    page.rows.push(Row { number, ticked, text: text.join("\n") });
}

/// What was noted beside previews, below the box.
fn notes(body: &[&str]) -> Option<String> {
    let start = body.iter().rposition(|line| line.trim_start().starts_with("Notes: "))?;
    let text = body[start..].join("\n");
    Some(text.trim_start().trim_start_matches("Notes: ").to_owned())
}

/// The column where the box of a preview begins.
fn box_column(line: &str) -> Option<usize> {
    let before = &line[..line.find('┌')?];
    Some(before.chars().map(|c| c.width().unwrap_or(0)).sum())
}

fn split_at_column(line: &str, column: usize) -> (&str, &str) {
    let mut width = 0;
    for (place, c) in line.char_indices() {
        if width >= column {
            return line.split_at(place);
        }
        width += c.width().unwrap_or(0);
    }
    (line, "")
}

fn review(lines: &[&str]) -> Option<Review> {
    let (cancel, lines) = lines.split_last()?;
    let (submit, lines) = lines.split_last()?;
    let (sends, submit) = focused(submit);
    let (cancels, cancel) = focused(cancel);
    if submit.trim() != "1. Submit answers" || cancel.trim() != "2. Cancel" || sends == cancels {
        return None;
    }
    let ready = lines.iter().rposition(|line| !line.is_empty())?;
    if lines[ready] != "Ready to submit your answers?" {
        return None;
    }
    let lines = &lines[..ready];
    let heading = lines.iter().rposition(|line| *line == "Review your answers");
    let answered = heading.and_then(|heading| {
        let above = lines[..heading].iter().rposition(|line| !line.is_empty())?;
        tabs(lines[above])
    });
    let text = lines[heading.map_or(0, |heading| heading + 1)..].join("\n");
    Some(Review { answered, text, is_cut: heading.is_none(), sends })
}

/// Which questions have an answer, from the heading of a dialog.
fn tabs(line: &str) -> Option<Vec<bool>> {
    let several = line.starts_with('←') && line.ends_with('→');
    if !several && !line.starts_with(" ☐ ") && !line.starts_with(" ☒ ") {
        return None;
    }
    Some(line.chars().filter(|c| matches!(c, '☐' | '☒')).map(|c| c == '☒').collect())
}

/// Whether the cursor is on a line, and what is on it.
fn focused(line: &str) -> (bool, &str) {
    line.strip_prefix(CURSOR).map_or((false, line), |rest| (true, rest))
}

/// A rule, perhaps with a name in it that leaves little of it.
pub(super) fn is_edge(line: &str) -> bool {
    is_rule(line) || (line.starts_with('─') && line.ends_with('─'))
}

pub(super) fn is_rule(line: &str) -> bool {
    line.starts_with("──────────")
}

#[cfg(test)]
#[path = "dialog_tests.rs"]
mod tests;
