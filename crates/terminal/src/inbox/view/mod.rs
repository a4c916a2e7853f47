//! Drawing the inbox: a pure function from its state to a buffer.
//!
//! A line on top says how much waits, one at the bottom which keys there are. Between them stands the
//! list, or the ask that is open; on a wide screen both, side by side.

mod history;
mod list;
mod overlay;
mod page;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::state::{Inbox, View};
use crate::clean::{ellipsize, wrap};
use crate::full::Picture;
use crate::palette::{Palette, Role};
use crate::view::columns;

/// From here on, list and ask are side by side.
const WIDE: u16 = 110;
/// Below this there is no row to spare for more keys than those that answer.
const TALL: u16 = 14;

/// Draws the whole screen.
pub(crate) fn draw(inbox: &mut Inbox, palette: Palette, (width, height): (u16, u16)) -> Picture {
    let area = Rect::new(0, 0, width, height);
    let mut buf = Buffer::empty(area);
    inbox.side_by_side = width >= WIDE && height >= TALL;
    let asking = matches!(inbox.view, View::Ask) && inbox.overlay.is_none();
    let own_keys = asking && inbox.scene().is_some();
    let footer = u16::from(!own_keys || height >= TALL || inbox.notice.is_some());
    let body = Rect { y: 1.min(height), height: height.saturating_sub(1 + footer), ..area };

    let list_area =
        if inbox.side_by_side { Rect { width: list_width(width), ..body } } else { body };
    let list_height = usize::from(height.saturating_sub(2));
    inbox.asks.list.resize(list_height);

    let mut cursor = None;
    let mut going_on = vec![];
    if let Some(overlay) = &mut inbox.overlay {
        going_on = overlay::draw(overlay, palette, body, &mut buf);
    } else if let View::History(found) = &mut inbox.view {
        cursor = history::draw(found, palette, body, &mut buf);
    } else if inbox.side_by_side {
        list::draw(inbox, palette, list_area, &mut buf);
        for y in body.top()..body.bottom() {
            buf.set_string(list_area.right(), y, "│", palette.style(Role::Muted));
        }
        let left = list_area.width + 2;
        let page = Rect { x: body.x + left, width: body.width - left, ..body };
        cursor = page::draw(inbox, palette, page, &mut buf);
    } else if asking {
        cursor = page::draw(inbox, palette, body, &mut buf);
    } else {
        list::draw(inbox, palette, body, &mut buf);
    }

    buf.set_line(0, 0, &header(inbox, palette, width), width);
    if footer > 0 && height > 1 {
        let last = Rect { y: height - 1, height: 1, ..area };
        cursor = draw_footer(inbox, palette, last, &mut buf).or(cursor);
    }
    Picture { buf, cursor, going_on }
}

fn list_width(width: u16) -> u16 {
    (width / 5 * 2).clamp(44, 80)
}

fn header(inbox: &Inbox, palette: Palette, width: u16) -> Line<'static> {
    let (waits, alarms) = inbox.asks.counts();
    let mut parts = vec![match waits {
        _ if inbox.loading => "looking for what waits".to_owned(),
        0 => "nothing waits".to_owned(),
        1 => "1 waits".to_owned(),
        waits => format!("{waits} wait"),
    }];
    let (shown, above, below) = inbox.asks.list.view();
    drop(shown);
    let more = [(above, '↑'), (below, '↓')].into_iter().filter(|(n, _)| *n > 0);
    let more: Vec<String> = more.map(|(n, arrow)| format!("{arrow}{n}")).collect();
    if !more.is_empty() {
        parts.push(format!("{} more", more.join(" ")));
    }
    if alarms > 0 {
        parts.push(format!("⚠ {alarms} to look at"));
    }
    if !inbox.asks.filter().is_empty() {
        parts.push(format!("only: {}", inbox.asks.filter().join(" ")));
    }
    let name = Span::styled(" Inbox ", palette.chip());
    let room = usize::from(width).saturating_sub(9);
    if inbox.away {
        let away = if width < 60 {
            "hub away; what you type stays"
        } else {
            "the hub is away; what you type stays"
        };
        let warning = palette.style(Role::Warning);
        let both = format!("{away} · {}", parts.join(" · "));
        return Line::from(vec![name, " ".into(), Span::styled(ellipsize(&both, room), warning)]);
    }
    let text = ellipsize(&parts.join(" · "), room);
    Line::from(vec![name, " ".into(), Span::styled(text, palette.style(Role::Secondary))])
}

fn draw_footer(inbox: &Inbox, palette: Palette, area: Rect, buf: &mut Buffer) -> Option<Position> {
    if let (View::Filter(field), None) = (&inbox.view, &inbox.overlay) {
        let label = Span::styled("Only: ", palette.style(Role::Primary));
        buf.set_line(area.x, area.y, &Line::from(label), area.width);
        let at = 6.min(area.width);
        let field_area = Rect { x: area.x + at, width: area.width - at, ..area };
        return field.render(field_area, buf, palette.style(Role::Text), palette.cursor());
    }
    let width = usize::from(area.width);
    let notice = inbox.end_notice().or(inbox.notice.as_deref());
    let line = match notice {
        Some(notice) => Line::styled(ellipsize(notice, width), palette.style(Role::Warning)),
        None => Line::styled(hints(inbox, width), palette.style(Role::Muted)),
    };
    buf.set_line(area.x, area.y, &line, area.width);
    None
}

/// As many hints as there is room for; `?` knows them all.
fn hints(inbox: &Inbox, width: usize) -> String {
    let hints: &[&str] = match &inbox.view {
        _ if inbox.overlay.as_ref().is_some_and(|overlay| overlay.scroll.fits()) => {
            &["any key goes back"]
        }
        _ if inbox.overlay.is_some() => &["↑↓ scroll", "any other key goes back"],
        View::List if inbox.asks.list.len() == 0 => {
            &["h history", "? keys", "q leave", "o browser", "/ filter"]
        }
        View::List => {
            &["enter open", "? keys", "↑↓ move", "q leave", "/ filter", "h history", "o browser"]
        }
        View::Filter(_) => &["enter keep", "esc all again"],
        View::Ask if inbox.scene().is_none() => match inbox.asks.selected() {
            Some(held) if !held.end.fits() => {
                &["n next that waits", "esc back", "↑↓ scroll", "x dismiss", "w words before"]
            }
            Some(_) | None => {
                &["n next that waits", "esc back", "x dismiss", "w words before", "o browser"]
            }
        },
        View::Ask => &["esc back", "] [ other asks", "w words before", "o browser"],
        View::History(history) if history.typing => &["enter search", "esc back", "↓ results"],
        View::History(_) => &["enter show", "/ search", "esc back", "↑↓ move"],
    };
    let page = inbox.asks.selected().and_then(|held| held.page.as_ref());
    let wrote = page.is_some_and(|page| page.preamble.is_some());
    let mut line = String::new();
    for hint in hints.iter().filter(|hint| wrote || !hint.starts_with("w ")) {
        let apart = if line.is_empty() { "" } else { " • " };
        if usize::from(columns(&line) + columns(apart) + columns(hint)) <= width {
            line.push_str(apart);
            line.push_str(hint);
        }
    }
    line
}

/// Wraps text, and keeps its empty lines.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    text.split('\n').flat_map(|line| wrap(line, width)).collect()
}

/// A time span as short as can be.
fn span(seconds: i64) -> String {
    match seconds.max(0) {
        0..60 => "<1m".to_owned(),
        minutes @ 60..3600 => format!("{}m", minutes / 60),
        hours @ 3600..86_400 => format!("{}h", hours / 3600),
        days => format!("{}d", days / 86_400),
    }
}

#[cfg(test)]
#[path = "../view_tests.rs"]
mod tests;
