//! Drawing the prompt: a pure function from its state to a buffer.
//!
//! From top to bottom: chip line, body (scrolls), text field when one is open, notice, frame,
//! key hints. A preview stands beside the body where there is room and below it where not.

mod body;
mod hints;
mod preview;

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::clean::{ellipsize, wrap};
use crate::palette::{Palette, Role};
use crate::prompt::{Lines, Mode, Notice, Page, Prompt, Purpose, Scroll};
use body::Body;
use preview::Preview;

/// Text wider than this is tiring to read.
const WIDEST: u16 = 100;
const WIDEST_WITH_PREVIEW: u16 = 160;
const TALLEST_FIELD: u16 = 10;

/// What a drawing showed, for the prompt to know and the cursor to be placed.
pub(crate) struct Drawn {
    pub(crate) cursor: Option<Position>,
    pub(crate) rows_seen: Range<usize>,
    pub(crate) scroll: Scroll,
    /// What of the question is in view, where that matters.
    pub(crate) lines: Option<Lines>,
}

/// The prompt, measured for one size of terminal.
pub(crate) struct Sheet<'a> {
    prompt: &'a Prompt,
    palette: Palette,
    width: u16,
    margin: u16,
    chip: String,
    beside_chip: String,
    body: Body,
    body_width: u16,
    preview: Option<Preview>,
    label: Option<&'static str>,
    label_above: bool,
    field_rows: u16,
    notice: Vec<Line<'static>>,
    hints: String,
    /// Rows for body and preview.
    middle: u16,
}

impl<'a> Sheet<'a> {
    pub(crate) fn new(prompt: &'a Prompt, palette: Palette, width: u16, tallest: u16) -> Self {
        let previews = preview::wanted(prompt);
        let widest = if previews { WIDEST_WITH_PREVIEW } else { WIDEST };
        let width = width.min(widest).max(4);
        let margin = if width < 50 { 2 } else { 3 };
        let inner = width - margin - 1;
        let beside = previews && preview::fits_beside(inner);
        let body_width = if beside { preview::list_width(inner) } else { inner };

        let (name, rest) = heading(prompt);
        let chip_room = usize::from(width.saturating_sub(columns(&rest) + 8).max(4));
        let chip = ellipsize(name.trim(), chip_room);
        let whole_header = chip.ends_with('…');
        let mut sheet = Self {
            prompt,
            palette,
            width,
            margin,
            chip,
            beside_chip: rest,
            body: Body::new(prompt, palette, body_width, whole_header),
            body_width,
            preview: None,
            label: label(prompt),
            label_above: false,
            field_rows: 0,
            notice: notice(prompt, palette, inner, tallest),
            hints: hints::line(prompt, width),
            middle: 0,
        };
        sheet.measure_field(inner, tallest);
        let room = tallest.saturating_sub(sheet.fixed_rows());
        if previews {
            let preview_width = if beside { inner - body_width - 1 } else { inner };
            sheet.preview = Preview::new(prompt, preview_width, beside);
        }
        let gaps = u16::try_from(sheet.body.gaps()).unwrap_or(u16::MAX);
        if sheet.wanted_rows(room).saturating_add(gaps) <= room {
            sheet.body.spread();
        }
        sheet.middle = sheet.wanted_rows(room).min(room);
        sheet
    }

    /// How many rows the drawing takes.
    pub(crate) fn height(&self) -> u16 {
        self.fixed_rows() + self.middle
    }

    fn measure_field(&mut self, inner: u16, tallest: u16) {
        let (Mode::Writing { field, .. }, Some(label)) = (&self.prompt.mode, self.label) else {
            return;
        };
        let label_width = columns(label) + 3;
        self.label_above = label_width + 24 > inner;
        let lead = if self.label_above { 2 } else { label_width };
        let field_width = inner.saturating_sub(lead);
        let rows = u16::try_from(field.rows(field_width)).unwrap_or(u16::MAX);
        self.field_rows = rows.clamp(1, (tallest / 3).clamp(1, TALLEST_FIELD));
    }

    fn fixed_rows(&self) -> u16 {
        let notice = u16::try_from(self.notice.len()).unwrap_or(0);
        let field = self.field_rows + u16::from(self.label_above && self.field_rows > 0);
        3 + field + notice
    }

    fn wanted_rows(&self, room: u16) -> u16 {
        let body = u16::try_from(self.body.lines.len()).unwrap_or(u16::MAX);
        match &self.preview {
            Some(preview) if preview.beside => body.max(preview.wanted_rows(room)),
            Some(preview) => body.saturating_add(preview.wanted_rows(room / 2)),
            None => body,
        }
    }

    /// Draws into the top left of `area`.
    pub(crate) fn draw(&self, area: Rect, buf: &mut Buffer) -> Drawn {
        let area = area.intersection(buf.area);
        let area = Rect { width: self.width.min(area.width), ..area };
        let mut rows = Rows { area, next: 0 };
        let mut scroll = self.prompt.scroll;

        if let Some(row) = rows.take(1) {
            buf.set_line(row.x, row.y, &self.chip_line(), row.width);
        }
        let middle = rows.take(self.middle).unwrap_or_default();
        self.frame_left(middle, buf);
        let middle = self.inside(middle);
        let (body, preview) = self.split(middle);
        let (rows_seen, more) = self.draw_body(body, buf, &mut scroll);
        let lines = self.lines_in(body, &scroll);
        if let (Some(preview), Some(drawing)) = (preview, &self.preview) {
            drawing.draw(preview, buf, self.palette, &mut scroll);
        } else {
            scroll.preview_max = 0;
        }
        let cursor = self.draw_field(&mut rows, buf);
        for line in &self.notice {
            if let Some(row) = rows.take(1) {
                self.frame_left(row, buf);
                let row = self.inside(row);
                buf.set_line(row.x, row.y, line, row.width);
            }
        }
        if let Some(row) = rows.take(1) {
            buf.set_line(row.x, row.y, &self.bottom_line(&more), row.width);
        }
        if let Some(row) = rows.take(1) {
            let hints = Line::styled(self.hints.clone(), self.palette.style(Role::Muted));
            buf.set_line(row.x, row.y, &hints, row.width);
        }
        if self.prompt.deadline_nears() {
            self.dim(area, buf);
        }
        Drawn { cursor, rows_seen, scroll, lines }
    }

    fn frame_style(&self) -> Style {
        match &self.prompt.notice {
            Some(Notice::Refused(_)) => self.palette.style(Role::Error),
            _ if self.prompt.is_flashing() => self.palette.style(Role::Success),
            _ => self.palette.style(Role::Muted),
        }
    }

    fn chip_line(&self) -> Line<'static> {
        let calm = self.palette.style(Role::Primary).add_modifier(Modifier::BOLD);
        let frame = match &self.prompt.notice {
            Some(Notice::Refused(_)) => self.frame_style(),
            _ if self.prompt.is_flashing() => self.frame_style(),
            _ => calm,
        };
        Line::from(vec![
            Span::styled("╭─", frame),
            Span::styled(format!(" {} ", self.chip), self.palette.chip()),
            Span::styled("─╮", frame),
            Span::raw("  "),
            Span::styled(self.beside_chip.clone(), self.palette.style(Role::Muted)),
        ])
    }

    fn bottom_line(&self, more: &str) -> Line<'static> {
        let style = self.frame_style();
        let inner = usize::from(self.width.saturating_sub(2));
        let text = if more.is_empty() { String::new() } else { format!("─ {more} ") };
        let text = ellipsize(&text, inner);
        let fill = "─".repeat(inner - usize::from(columns(&text)).min(inner));
        Line::styled(format!("╰{text}{fill}╯"), style)
    }

    fn frame_left(&self, rows: Rect, buf: &mut Buffer) {
        for y in rows.top()..rows.bottom() {
            buf.set_string(rows.x, y, "│", self.frame_style());
        }
    }

    fn inside(&self, row: Rect) -> Rect {
        let margin = self.margin.min(row.width);
        Rect { x: row.x + margin, width: (row.width - margin).saturating_sub(1), ..row }
    }

    fn split(&self, middle: Rect) -> (Rect, Option<Rect>) {
        match &self.preview {
            Some(preview) if preview.beside => {
                let left = self.body_width.min(middle.width);
                let gap = (left + 1).min(middle.width);
                let body = Rect { width: left, ..middle };
                (body, Some(Rect { x: middle.x + gap, width: middle.width - gap, ..middle }))
            }
            Some(preview) => {
                let below = preview.wanted_rows(middle.height / 2).min(middle.height);
                let body = Rect { height: middle.height - below, ..middle };
                (body, Some(Rect { y: body.bottom(), height: below, ..middle }))
            }
            None => (middle, None),
        }
    }

    /// Draws the part of the body that is in view and says which rows are seen whole.
    fn draw_body(
        &self,
        area: Rect,
        buf: &mut Buffer,
        scroll: &mut Scroll,
    ) -> (Range<usize>, String) {
        let height = usize::from(area.height);
        let total = self.body.lines.len();
        scroll.body_max = total.saturating_sub(height);
        scroll.page = height;
        let top = scroll.body.unwrap_or_else(|| self.body.top_for_focus(height, scroll.top));
        scroll.top = top.min(scroll.body_max);
        let shown = scroll.top..(scroll.top + height).min(total);
        for (y, line) in (area.top()..area.bottom()).zip(&self.body.lines[shown.clone()]) {
            buf.set_line(area.x, y, line, area.width);
        }
        // Where a preview has the page keys, the body has others.
        let key = if self.preview.is_some() { "Ctrl-D" } else { "PgDn" };
        let more = match (shown.start, total - shown.end) {
            (0, 0) => String::new(),
            (0, below) => format!("↓ {below} more, {key}"),
            (above, 0) => format!("↑ {above} more"),
            (above, below) => format!("↑ {above} ↓ {below} more, {key}"),
        };
        (self.body.rows_within(&shown), more)
    }

    /// Which lines of a question that must be shown whole are in view.
    fn lines_in(&self, area: Rect, scroll: &Scroll) -> Option<Lines> {
        let total = self.body.end_of_row(self.prompt.guarded().checked_sub(1)?)?;
        let shown = scroll.top..scroll.top + usize::from(area.height);
        // In a window too narrow for the lines their ends are cut off.
        let whole = usize::from(area.width) >= self.body.width;
        let shown = if whole { shown } else { 0..0 };
        self.prompt.shows_question().then_some(Lines { width: self.body_width, total, shown })
    }

    fn draw_field(&self, rows: &mut Rows, buf: &mut Buffer) -> Option<Position> {
        let (Mode::Writing { field, .. }, Some(label)) = (&self.prompt.mode, self.label) else {
            return None;
        };
        let label = Line::from(vec![
            Span::styled("> ", self.palette.style(Role::Text)),
            Span::styled(label, self.palette.style(Role::Primary)),
        ]);
        let mut label_width = 0;
        if self.label_above {
            let row = rows.take(1)?;
            self.frame_left(row, buf);
            let row = self.inside(row);
            buf.set_line(row.x, row.y, &label, row.width);
            label_width = 2;
        }
        let block = rows.take(self.field_rows)?;
        self.frame_left(block, buf);
        let block = self.inside(block);
        if !self.label_above {
            label_width = u16::try_from(label.width()).unwrap_or(u16::MAX) + 1;
            buf.set_line(block.x, block.y, &label, block.width);
        }
        let label_width = label_width.min(block.width);
        let area = Rect { x: block.x + label_width, width: block.width - label_width, ..block };
        field.render(area, buf, self.palette.style(Role::Text), self.palette.cursor())
    }

    /// A deadline nears: everything steps back behind the warning.
    fn dim(&self, area: Rect, buf: &mut Buffer) {
        let warning = self.palette.style(Role::Warning);
        for position in area.positions() {
            if let Some(cell) = buf.cell_mut(position)
                && cell.style().fg != warning.fg
            {
                cell.set_style(Style::new().dim());
            }
        }
    }
}

/// Hands out rows from the top down; none when the area is used up.
struct Rows {
    area: Rect,
    next: u16,
}

impl Rows {
    fn take(&mut self, rows: u16) -> Option<Rect> {
        let left = self.area.height.checked_sub(self.next).filter(|left| *left > 0)?;
        let height = rows.min(left);
        let rect = Rect { y: self.area.y + self.next, height, ..self.area };
        self.next += height;
        Some(rect)
    }
}

/// What the chip says, and what stands beside it.
fn heading(prompt: &Prompt) -> (String, String) {
    let (name, progress) = match prompt.page {
        Page::Question(i) => {
            let header = prompt.question(i).and_then(|(question, _)| question.header());
            let total = prompt.drafts.len();
            let progress = (total > 1).then(|| format!("Question {} of {total}", i + 1));
            (header.unwrap_or("Question").to_owned(), progress)
        }
        Page::Review { .. } => ("Review".to_owned(), Some("before anything is sent".into())),
    };
    let left = prompt.seconds_left().map(|s| format!("{}:{:02} left", s / 60, s % 60));
    (name, [progress, left].into_iter().flatten().collect::<Vec<_>>().join("  "))
}

fn label(prompt: &Prompt) -> Option<&'static str> {
    let Mode::Writing { purpose, .. } = &prompt.mode else { return None };
    Some(match purpose {
        Purpose::Words => "Please specify:",
        Purpose::Note { .. } => "Note:",
        Purpose::Discuss => "Talk first:",
        Purpose::Reason => "Decline because:",
    })
}

fn notice(prompt: &Prompt, palette: Palette, width: u16, tallest: u16) -> Vec<Line<'static>> {
    let mut lines = vec![];
    let mut say = |text: &str, role| {
        let wrapped = wrap(text, usize::from(width));
        lines.extend(wrapped.into_iter().map(|line| Line::styled(line, palette.style(role))));
    };
    if prompt.deadline_nears() {
        let left = prompt.seconds_left().unwrap_or(0);
        say(&format!("⚠ {left} s left; then the agent is told nobody answered."), Role::Warning);
    }
    if let Mode::Discarding = prompt.mode {
        say("⚠ Throw away what you typed? y does; any other key keeps it.", Role::Warning);
    }
    match &prompt.notice {
        Some(Notice::Refused(text)) => say(&format!("✘ {text}"), Role::Error),
        Some(Notice::Hint(text)) => say(text, Role::Secondary),
        None => {}
    }
    // However small the window, a notice leaves room for what it is about.
    lines.truncate(usize::from((tallest / 3).max(1)));
    lines
}

pub(crate) fn columns(text: &str) -> u16 {
    u16::try_from(unicode_width::UnicodeWidthStr::width(text)).unwrap_or(u16::MAX)
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
