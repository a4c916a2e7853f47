//! What was decided: a search, and what it found.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::super::entry::Past;
use super::super::history::{Finding, History};
use crate::clean::ellipsize;
use crate::palette::{Palette, Role};
use crate::view::columns;

pub(super) fn draw(
    history: &mut History,
    palette: Palette,
    area: Rect,
    buf: &mut Buffer,
) -> Option<Position> {
    if area.is_empty() {
        return None;
    }
    let label = Line::styled("Decided: ", palette.style(Role::Primary));
    buf.set_line(area.x, area.y, &label, area.width);
    let at = 9.min(area.width);
    let field = Rect { x: area.x + at, width: area.width - at, height: 1, ..area };
    let cursor = history.field.render(field, buf, palette.style(Role::Text), palette.cursor());
    let rows = Rect { y: area.y + 1, height: area.height - 1, ..area };
    history.resize(usize::from(rows.height));
    let below = history.past.iter().enumerate().skip(history.top);
    for (y, (n, past)) in (rows.top()..rows.bottom()).zip(below) {
        let selected = !history.typing && n == history.selected;
        let line = line(past, palette, selected, usize::from(area.width));
        buf.set_line(rows.x, y, &line, rows.width);
    }
    let end = match history.finding {
        Finding::Searching => "Searching…",
        Finding::Failed => "This was not searched. Enter tries again.",
        Finding::Done if history.past.is_empty() => "Nothing like that was decided.",
        Finding::Done if history.more => "There is more: narrow the search.",
        Finding::Done => "",
    };
    let next = rows.y + u16::try_from(history.past.len() - history.top).unwrap_or(rows.height);
    if next < rows.bottom() {
        let line = Line::styled(format!("  {end}"), palette.style(Role::Muted));
        buf.set_line(rows.x, next, &line, rows.width);
    }
    cursor.filter(|_| history.typing)
}

fn line(past: &Past, palette: Palette, selected: bool, width: usize) -> Line<'static> {
    let muted = palette.style(Role::Muted);
    let mut words = palette.style(if selected { Role::Text } else { Role::Secondary });
    if selected {
        words = words.add_modifier(Modifier::BOLD);
    }
    let pad = |text: &str, to: usize| {
        let text = ellipsize(text, to);
        let gap = to.saturating_sub(usize::from(columns(&text))) + 1;
        format!("{text}{}", " ".repeat(gap))
    };
    let mut spans =
        vec![Span::styled(if selected { "> " } else { "  " }, palette.style(Role::Primary))];
    if width >= 70 {
        spans.push(Span::styled(pad(&past.when, 16), muted));
        spans.push(Span::styled(pad(&past.by, 10), muted));
    }
    spans.push(Span::styled(pad(&past.project, (width / 5).clamp(8, 18)), muted));
    let used: usize = spans.iter().map(Span::width).sum();
    spans.push(Span::styled(ellipsize(&past.headline, width.saturating_sub(used)), words));
    Line::from(spans)
}
