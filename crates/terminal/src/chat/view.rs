//! Drawing a chat: pure functions from what there is to say to lines and a buffer.
//!
//! From top to bottom: the unfinished end of what the agent says, what waits to be heard, a blank
//! line, the field, and one line that says how things stand.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::{ChatLine, Conversation, Ink, Status};
use crate::clean::{ellipsize, visible, wrap};
use crate::palette::{Palette, Role};

const LEAD: &str = "› ";
const TALLEST_FIELD: u16 = 10;
/// Of what waits, so much is shown.
const MOST_WAITING: usize = 3;

/// A paragraph as the lines it takes.
pub(crate) fn lines_of(line: &ChatLine, palette: Palette, columns: u16) -> Vec<Line<'static>> {
    let lead = visible(&line.lead);
    let set_in = lead.width();
    let width = usize::from(columns.max(2) - 1).saturating_sub(set_in).max(1);
    let style = style_of(line.ink, palette);
    let lead_style = if line.ink == Ink::Person { palette.style(Role::Primary) } else { style };
    let parts = if line.brief {
        vec![ellipsize(first_line(&line.text), width)]
    } else {
        wrap(&line.text, width)
    };
    let drawn = parts.into_iter().enumerate().map(|(n, part)| {
        let before = if n == 0 { lead.clone() } else { " ".repeat(set_in) };
        Line::from(vec![Span::styled(before, lead_style), Span::styled(part, style)])
    });
    drawn.collect()
}

/// The first line that says anything.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

fn style_of(ink: Ink, palette: Palette) -> Style {
    match ink {
        Ink::Plain => Style::new(),
        Ink::Person => palette.style(Role::Text),
        Ink::Muted => palette.style(Role::Muted),
        Ink::Trouble => palette.style(Role::Error),
    }
}

/// Draws what stands below, and says where its cursor is.
pub(crate) fn draw(
    conversation: &Conversation,
    palette: Palette,
    columns: u16,
    rows: u16,
) -> (Buffer, Option<Position>) {
    let muted = palette.style(Role::Muted);
    let lead = small(LEAD.width());
    let field_width = columns.saturating_sub(lead).max(1);
    let field_rows = small(conversation.field.rows(field_width));
    let field_rows = field_rows.clamp(1, (rows / 3).clamp(1, TALLEST_FIELD));
    let gap = u16::from(rows >= 8);
    // One row always stays for what was said before.
    let room = rows.saturating_sub(field_rows + gap + 2);

    let waiting = waiting_lines(&conversation.waiting, columns, room.min(4));
    let room = usize::from(room).saturating_sub(waiting.len());
    let mut above = match &conversation.growing {
        Some(text) => lines_of(&ChatLine::agent(text), palette, columns),
        None => vec![],
    };
    above.drain(..above.len().saturating_sub(room));
    above.extend(waiting.into_iter().map(|line| Line::styled(line, muted)));

    let top = small(above.len());
    let height = top + gap + field_rows + 1;
    let mut buf = Buffer::empty(Rect::new(0, 0, columns, height));
    for (y, line) in (0..).zip(&above) {
        buf.set_line(0, y, line, columns);
    }
    let y = top + gap;
    buf.set_string(0, y, LEAD, palette.style(Role::Primary));
    let area = Rect::new(lead.min(columns), y, columns.saturating_sub(lead), field_rows);
    let cursor = conversation.field.render(area, &mut buf, Style::new(), palette.cursor());
    let below = ellipsize(&standing(conversation), usize::from(columns.max(2) - 1));
    let style =
        if conversation.status == Status::Away { palette.style(Role::Warning) } else { muted };
    buf.set_string(0, height - 1, below, style);
    (buf, cursor)
}

/// What waits to be heard, the latest last.
fn waiting_lines(texts: &[String], columns: u16, room: u16) -> Vec<String> {
    let most = MOST_WAITING.min(room.into());
    let hidden = texts.len().saturating_sub(most);
    let width = usize::from(columns.max(2) - 1);
    let more = (hidden > 0 && most > 0).then(|| format!("  queued: {hidden} more"));
    let shown = texts.iter().skip(hidden);
    let shown = shown.map(|text| ellipsize(&format!("  queued: {text}"), width));
    let skip = usize::from(more.is_some() && usize::from(room) <= most);
    more.into_iter().chain(shown.skip(skip)).collect()
}

/// How things stand, in words.
pub(crate) fn words_of(status: Status) -> &'static str {
    match status {
        Status::Starting => "starting",
        Status::Working => "working · Esc interrupts",
        Status::Asking => "waiting for an answer · what you say is queued",
        Status::SetAside => "a question waits · /question shows it again",
        Status::Idle => "idle · Enter sends · Alt+Enter new line · Ctrl-D leaves",
        Status::Stopped => "stopped · what you say starts it again",
        Status::Away => "the hub is away · what you say is sent when it is back",
    }
}

fn standing(conversation: &Conversation) -> String {
    let words = words_of(conversation.status);
    match &conversation.notice {
        Some(notice) => notice.clone(),
        None if conversation.closing => "something waits · it comes up when you pause".to_owned(),
        None => words.to_owned(),
    }
}

fn small(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
