//! One ask: who asks, what was said before, the question or how it ended.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;
use ratatui::text::Line;

use super::super::asks::Held;
use super::super::entry::Standing;
use super::super::page::Page;
use super::super::scroll::Scroll;
use super::super::state::{Inbox, View};
use super::{span, wrapped};
use crate::clean::{ellipsize, wrap};
use crate::palette::{Palette, Role};
use crate::prompt::Prompt;
use crate::view::Sheet;

const DIVIDED: &str =
    "On another surface you typed something else. Both are kept; yours stays here.";
const DIVIDED_IN_SHORT: &str = "Other words are kept elsewhere, too.";

/// Draws the selected ask.
pub(super) fn draw(
    inbox: &mut Inbox,
    palette: Palette,
    area: Rect,
    buf: &mut Buffer,
) -> Option<Position> {
    let (now, away) = (inbox.now.clock, inbox.away);
    let focused = matches!(inbox.view, View::Ask) && inbox.overlay.is_none();
    let held = inbox.asks.selected_mut()?;
    let mut lines = about(held, palette, now, area);
    if !is_asking(held) {
        lines.extend(ending(held, palette, away, usize::from(area.width)));
        draw_end(&mut held.end, &lines, palette, area, buf);
        return None;
    }
    let used = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height);
    for (y, line) in (area.top()..area.bottom()).zip(&lines) {
        buf.set_line(area.x, y, line, area.width);
    }
    let prompt = held.page.as_mut()?.prompt.as_mut().ok()?;
    let area = Rect { y: area.y + used, height: area.height - used, ..area };
    let mut cursor = draw_prompt(prompt, palette, area, focused, buf);
    // Every picture of the inbox is painted: what is drawn is on the screen.
    if prompt.is_on_screen() {
        for position in area.positions() {
            buf[position].reset();
        }
        cursor = draw_prompt(prompt, palette, area, focused, buf);
        prompt.is_on_screen();
    }
    cursor.filter(|_| focused)
}

fn draw_prompt(
    prompt: &mut Prompt,
    palette: Palette,
    area: Rect,
    focused: bool,
    buf: &mut Buffer,
) -> Option<Position> {
    let sheet = Sheet::new(prompt, palette, area.width, area.height);
    // Its own line of keys would promise what keys do not do while they go to the list.
    let hidden = u16::from(!focused);
    let height = sheet.height().saturating_sub(hidden).min(area.height);
    let drawn = sheet.draw(Rect { height, ..area }, buf);
    prompt.drawn(drawn.rows_seen, drawn.scroll, drawn.lines);
    drawn.cursor
}

fn is_asking(held: &Held) -> bool {
    let page = held.page.as_ref();
    held.entry.waits() && page.is_some_and(|page| page.sending.is_none() && page.prompt.is_ok())
}

/// Draws what fits of it, and how much does not.
fn draw_end(
    scroll: &mut Scroll,
    lines: &[Line<'_>],
    palette: Palette,
    area: Rect,
    buf: &mut Buffer,
) {
    let fits = lines.len() <= usize::from(area.height);
    let rows = if fits { area.height } else { area.height.saturating_sub(1) };
    let top = scroll.fit(lines.len(), usize::from(rows));
    for (y, line) in (area.top()..area.top() + rows).zip(&lines[top..]) {
        buf.set_line(area.x, y, line, area.width);
    }
    if !fits && area.height > 0 {
        let (above, below) = scroll.beyond();
        let more = [(above, '↑'), (below, '↓')].into_iter().filter(|(n, _)| *n > 0);
        let more: Vec<String> = more.map(|(n, arrow)| format!("{arrow} {n} more")).collect();
        let line = Line::styled(more.join(" · "), palette.style(Role::Muted));
        buf.set_line(area.x, area.bottom() - 1, &line, area.width);
    }
}

/// Who asks, and the end of what they wrote before.
fn about(held: &Held, palette: Palette, now: i64, area: Rect) -> Vec<Line<'static>> {
    let entry = &held.entry;
    let width = usize::from(area.width).max(1);
    let muted = palette.style(Role::Muted);
    let mut parts = vec![entry.agent.clone(), entry.project.clone()];
    if entry.waits() {
        parts.push(format!("waits {}", span(now - entry.asked)));
    }
    parts.extend(entry.title.clone());
    let mut lines = vec![Line::styled(ellipsize(&parts.join(" · "), width), muted)];
    let Some(page) = &held.page else { return lines };
    if area.height >= 20 {
        let about = page.about.iter().map(|text| Line::styled(ellipsize(text, width), muted));
        lines.extend(about);
    }
    if let Some(preamble) = &page.preamble {
        lines.extend(excerpt(preamble, palette, area));
    }
    if page.divided && is_asking(held) {
        let text = if width < DIVIDED.len() { DIVIDED_IN_SHORT } else { DIVIDED };
        lines.push(Line::styled(ellipsize(text, width), palette.style(Role::Warning)));
    }
    if area.height >= 16 {
        lines.push(Line::default());
    }
    lines
}

/// The end of what the agent wrote, which is closest to what it asks.
fn excerpt(preamble: &str, palette: Palette, area: Rect) -> Vec<Line<'static>> {
    let most = match area.height {
        0..10 => 0,
        10..20 => 2,
        height => usize::from(height / 5),
    };
    let width = usize::from(area.width).saturating_sub(2).max(1);
    // Only the end is shown, so only the end is wrapped: an agent may write a book.
    let end: Vec<&str> = preamble.trim().lines().rev().take(most + 1).collect();
    let end: Vec<&str> = end.into_iter().rev().collect();
    let all = wrap(&end.join("\n"), width);
    let cut = all.len() > most;
    let shown = all.len().saturating_sub(most);
    let style = palette.style(Role::Secondary);
    let mut lines: Vec<Line<'static>> =
        all[shown..].iter().map(|line| Line::styled(format!("┊ {line}"), style)).collect();
    if let Some(first) = lines.first_mut().filter(|_| cut) {
        *first = Line::styled("┊ … (w shows all)", palette.style(Role::Muted));
    }
    lines
}

/// What stands in the place of a question that takes no answer, or not here, or not any more.
fn ending(held: &Held, palette: Palette, away: bool, width: usize) -> Vec<Line<'static>> {
    let bold = palette.style(Role::Text).add_modifier(Modifier::BOLD);
    let mut lines: Vec<Line<'static>> =
        wrap(&held.entry.headline, width).into_iter().map(|l| Line::styled(l, bold)).collect();
    lines.push(Line::default());
    let mut say = |texts: &[String], role: Role| {
        let style = palette.style(role);
        let texts = texts.iter().flat_map(|text| wrapped(text, width));
        lines.extend(texts.map(|line| Line::styled(line, style)));
    };
    let page = held.page.as_ref();
    match &held.entry.standing {
        Standing::Alarm(told) => say(told, Role::Warning),
        Standing::Ended(told) => {
            let here = page.is_some_and(|page| page.answered_here);
            say(told, if here { Role::Success } else { Role::Text });
        }
        Standing::Waits => match page {
            Some(Page { sending: Some(sent), .. }) => {
                let why = if away {
                    "The hub is away. Your answer is kept here and sent when it is back:"
                } else {
                    "Being sent:"
                };
                say(&[why.to_owned()], Role::Warning);
                say(sent, Role::Text);
            }
            Some(Page { prompt: Err(why), .. }) => say(std::slice::from_ref(why), Role::Warning),
            Some(Page { .. }) | None => {}
        },
    }
    let typed = page.filter(|page| page.sending.is_none()).map(Page::typed).unwrap_or_default();
    if !typed.is_empty() {
        say(&[String::new(), "You had typed, and it was not sent:".to_owned()], Role::Warning);
        say(&typed, Role::Text);
    }
    lines
}
