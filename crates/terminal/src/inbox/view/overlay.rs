//! A text over everything else.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::Line;

use super::super::overlay::{Overlay, Passage};
use super::wrapped;
use crate::clean::{chop, ellipsize, visible};
use crate::palette::{Palette, Role};
use crate::view::columns;

/// Where a meaning begins.
const MEANING: usize = 16;

/// A row, and where it begins.
struct Row {
    text: String,
    at: u16,
    goes_on: bool,
}

/// Returns the rows whose text goes on in the next one.
pub(super) fn draw(
    overlay: &mut Overlay,
    palette: Palette,
    area: Rect,
    buf: &mut Buffer,
) -> Vec<u16> {
    if area.height == 0 || area.width < 2 {
        return vec![];
    }
    let rows: Vec<Row> =
        overlay.passages.iter().flat_map(|passage| rows(passage, area.width)).collect();
    let top = overlay.scroll.fit(rows.len(), usize::from(area.height) - 1);
    let more = match overlay.scroll.beyond() {
        (_, 0) => String::new(),
        (_, below) => format!(" (↓ {below} more)"),
    };
    let title = palette.style(Role::Primary).add_modifier(Modifier::BOLD);
    let text = ellipsize(&format!("{}{more}", overlay.title), usize::from(area.width) - 2);
    buf.set_line(area.x + 1, area.y, &Line::styled(text, title), area.width - 1);
    let mut going_on = vec![];
    for (y, row) in (area.y + 1..area.bottom()).zip(&rows[top..]) {
        let line = Line::styled(row.text.clone(), palette.style(Role::Text));
        buf.set_line(area.x + row.at, y, &line, area.width - row.at);
        if row.goes_on && y + 1 < area.bottom() {
            going_on.push(y);
        }
    }
    going_on
}

fn rows(passage: &Passage, width: u16) -> Vec<Row> {
    match passage {
        Passage::Words(text) => wrapped(text, usize::from(width).saturating_sub(2).max(1))
            .into_iter()
            .map(|text| Row { text, at: 1, goes_on: false })
            .collect(),
        Passage::Meaning { of, is } => {
            let parts = wrapped(is, usize::from(width).saturating_sub(MEANING + 2).max(1));
            let beside = |(n, part): (usize, String)| {
                let of = if n == 0 { visible(of) } else { String::new() };
                let gap = (MEANING - 2).saturating_sub(columns(&of).into());
                Row { text: format!("  {of}{}{part}", " ".repeat(gap)), at: 1, goes_on: false }
            };
            parts.into_iter().enumerate().map(beside).collect()
        }
        Passage::Address(text) => {
            let parts = chop(text, usize::from(width));
            let last = parts.len() - 1;
            // Only a full row runs over into the next.
            let goes_on = |(n, text): (usize, String)| Row {
                goes_on: n < last && columns(&text) == width,
                text,
                at: 0,
            };
            parts.into_iter().enumerate().map(goes_on).collect()
        }
    }
}
