//! What choosing the option in focus would look like, in a box of its own.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::columns;
use crate::clean::chop;
use crate::palette::{Palette, Role};
use crate::prompt::{Mode, Page, Prompt, Scroll};

/// Below this there is no room for two columns.
const BESIDE_FROM: u16 = 84;
/// A box needs its two borders and a line between them.
const SMALLEST: u16 = 3;

/// The preview of the option in focus.
pub(super) struct Preview {
    lines: Vec<String>,
    pub(super) beside: bool,
}

/// Whether the question on screen has previews at all.
pub(super) fn wanted(prompt: &Prompt) -> bool {
    let (Mode::Choosing | Mode::Discarding, Page::Question(i)) = (&prompt.mode, prompt.page) else {
        return false;
    };
    let options = prompt.question(i).map(|(question, _)| question.options());
    options.is_some_and(|options| options.iter().any(|option| option.preview().is_some()))
}

pub(super) fn fits_beside(width: u16) -> bool {
    width >= BESIDE_FROM
}

pub(super) fn list_width(width: u16) -> u16 {
    (width * 2 / 5).max(36)
}

impl Preview {
    pub(super) fn new(prompt: &Prompt, width: u16, beside: bool) -> Option<Self> {
        let Page::Question(i) = prompt.page else { return None };
        let (question, draft) = prompt.question(i)?;
        let other = || question.agents_other().find(|option| option.preview().is_some());
        let option = question.choices().nth(draft.focus).or_else(other);
        let inner = usize::from(width.saturating_sub(4));
        let lines = match option.and_then(|option| option.preview()) {
            Some(text) => chop(text, inner),
            None if beside => vec![],
            None => return None,
        };
        Some(Self { lines, beside })
    }

    /// The rows it would like, of the `room` there is.
    pub(super) fn wanted_rows(&self, room: u16) -> u16 {
        let lines = u16::try_from(self.lines.len()).unwrap_or(u16::MAX);
        if lines == 0 { 0 } else { lines.saturating_add(2).min(room.max(SMALLEST)) }
    }

    pub(super) fn draw(&self, area: Rect, buf: &mut Buffer, palette: Palette, scroll: &mut Scroll) {
        scroll.preview_max = 0;
        let height = self.wanted_rows(area.height).min(area.height);
        if height < SMALLEST || area.width < 6 {
            return;
        }
        let room = usize::from(height - 2);
        scroll.preview_max = self.lines.len().saturating_sub(room);
        scroll.preview = scroll.preview.min(scroll.preview_max);
        let below = scroll.preview_max - scroll.preview;
        let more = match (scroll.preview, below) {
            (0, 0) => String::new(),
            (above, 0) => format!("─ ↑ {above} more "),
            (0, below) => format!("─ ↓ {below} more, PgDn "),
            (above, below) => format!("─ ↑ {above} ↓ {below} more "),
        };
        let border = palette.style(Role::Muted);
        let edge = |left: &str, text: &str, right: &str| {
            let fill = (area.width - 2).saturating_sub(columns(text));
            let line = format!("{left}{text}{}{right}", "─".repeat(fill.into()));
            Line::styled(line, border)
        };
        buf.set_line(area.x, area.y, &edge("╭", "─ Preview ", "╮"), area.width);
        for (y, line) in (area.y + 1..).zip(self.lines.iter().skip(scroll.preview).take(room)) {
            let spans =
                [Span::styled("│ ", border), Span::styled(line, palette.style(Role::Secondary))];
            buf.set_line(area.x, y, &Line::from_iter(spans), area.width);
            buf.set_string(area.right() - 1, y, "│", border);
        }
        buf.set_line(area.x, area.y + height - 1, &edge("╰", &more, "╯"), area.width);
    }
}
