//! The list: one line an ask.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::super::asks::Held;
use super::super::entry::{EntryId, Kind, Standing};
use super::super::state::Inbox;
use super::span;
use crate::clean::ellipsize;
use crate::palette::{Palette, Role};
use crate::view::columns;

/// Wide enough for `in 12m`.
const TIME: usize = 6;

pub(super) fn draw(inbox: &Inbox, palette: Palette, area: Rect, buf: &mut Buffer) {
    let (shown, _, _) = inbox.asks.list.view();
    for (y, id) in (area.top()..area.bottom()).zip(shown) {
        if let Some(held) = inbox.asks.get(id) {
            let line = line(inbox, palette, held, usize::from(area.width));
            buf.set_line(area.x, y, &line, area.width);
        }
    }
    if inbox.asks.list.len() == 0 && area.height > 1 {
        let text = match (inbox.loading, inbox.asks.filter().is_empty()) {
            (true, _) => "",
            (false, true) => "Nothing waits. What agents ask appears here by itself.",
            (false, false) => "Nothing that waits has these words. Esc shows all.",
        };
        let width = usize::from(area.width.saturating_sub(2)).max(1);
        for (y, part) in (area.y + 1..area.bottom()).zip(crate::clean::wrap(text, width)) {
            let line = Line::styled(part, palette.style(Role::Muted));
            buf.set_line(area.x + 1, y, &line, area.width.saturating_sub(1));
        }
    }
}

fn line(inbox: &Inbox, palette: Palette, held: &Held, width: usize) -> Line<'static> {
    let entry = &held.entry;
    let selected = is_selected(inbox, entry.id);
    let (mark, mark_role) = mark(held);
    let (time, time_role) = time(inbox, held);
    let project_width = (width / 5).clamp(8, 18);
    let agent_width = if width >= 76 { 12 } else { 0 };
    let mut words = palette.style(if selected { Role::Text } else { Role::Secondary });
    if selected {
        words = words.add_modifier(Modifier::BOLD);
    }
    let muted = palette.style(Role::Muted);
    let pad = |text: &str, to: usize| {
        let text = ellipsize(text, to);
        let gap = to.saturating_sub(usize::from(columns(&text))) + 1;
        format!("{text}{}", " ".repeat(gap))
    };
    let mut spans = vec![
        Span::styled(if selected { "> " } else { "  " }, palette.style(Role::Primary)),
        Span::styled(format!("{mark} "), palette.style(mark_role)),
        Span::styled(format!("{time:>TIME$}  "), palette.style(time_role)),
        Span::styled(pad(&entry.project, project_width), if selected { words } else { muted }),
    ];
    if agent_width > 0 {
        spans.push(Span::styled(pad(&entry.agent, agent_width), muted));
    }
    let used: usize = spans.iter().map(Span::width).sum();
    spans.push(Span::styled(ellipsize(&entry.headline, width.saturating_sub(used)), words));
    Line::from(spans)
}

fn is_selected(inbox: &Inbox, id: EntryId) -> bool {
    inbox.asks.list.selected() == Some(id)
}

fn mark(held: &Held) -> (&'static str, Role) {
    let page = held.page.as_ref();
    match (&held.entry.standing, held.entry.kind) {
        (Standing::Alarm(_), _) => ("⚠", Role::Warning),
        (Standing::Ended(_), _) if page.is_some_and(|page| page.answered_here) => {
            ("✔", Role::Success)
        }
        (Standing::Waits, _) if page.is_some_and(|page| page.sending.is_some()) => {
            ("…", Role::Success)
        }
        (Standing::Waits | Standing::Ended(_), _)
            if page.is_some_and(|page| !page.typed().is_empty()) =>
        {
            ("✎", Role::Primary)
        }
        (Standing::Ended(_), _) => ("●", Role::Muted),
        (Standing::Waits, Kind::Question) => ("?", Role::Primary),
        (Standing::Waits, Kind::Approval) => ("!", Role::Primary),
    }
}

/// How long it has waited, or how soon it ends.
fn time(inbox: &Inbox, held: &Held) -> (String, Role) {
    let entry = &held.entry;
    let now = inbox.now.clock;
    match (entry.deadline, entry.waits()) {
        (_, false) => (String::new(), Role::Muted),
        (Some(deadline), true) => (format!("in {}", span(deadline - now)), Role::Warning),
        (None, true) => (span(now - entry.asked), Role::Muted),
    }
}
