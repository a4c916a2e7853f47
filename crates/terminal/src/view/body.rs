//! The scrolling part: a question with its options, all answers for review, or the keys.

use std::ops::Range;

use handraise_question::{Question, QuestionOption, Select};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::{columns, hints};
use crate::clean::{wrap, wrap_hanging};
use crate::palette::{Palette, Role};
use crate::prompt::{Draft, Mode, Page, Prompt, Purpose};

/// Lines to draw, and which of them make up each row a person can move to.
pub(super) struct Body {
    /// The most columns a line takes.
    pub(super) width: usize,
    pub(super) lines: Vec<Line<'static>>,
    rows: Vec<Range<usize>>,
    focus: Option<usize>,
    /// Where a blank line goes if there is room for all of them.
    gaps: Vec<usize>,
}

impl Body {
    pub(super) fn new(prompt: &Prompt, palette: Palette, width: u16, whole_header: bool) -> Self {
        let width = usize::from(width.max(8));
        let mut body = Builder {
            palette,
            width,
            whole_header,
            body: Self { width, lines: vec![], rows: vec![], focus: None, gaps: vec![] },
        };
        body.gap();
        match (&prompt.mode, prompt.page) {
            (Mode::Help, _) => body.help(prompt),
            (_, Page::Question(i)) => {
                if let Some((question, draft)) = prompt.question(i) {
                    body.question(prompt, i, question, draft);
                }
            }
            (_, Page::Review { focus }) => body.review(prompt, focus),
        }
        if !writes_words(prompt) {
            body.gap();
        }
        body.body
    }

    /// How many blank lines it would take to set the rows apart.
    pub(super) fn gaps(&self) -> usize {
        self.gaps.len()
    }

    /// Sets the rows apart.
    pub(super) fn spread(&mut self) {
        for gap in std::mem::take(&mut self.gaps).into_iter().rev() {
            self.lines.insert(gap, Line::default());
            for row in &mut self.rows {
                if row.start >= gap {
                    *row = row.start + 1..row.end + 1;
                }
            }
        }
    }

    /// The first line to show so that the row in focus is in view, moving as little as can be.
    pub(super) fn top_for_focus(&self, height: usize, top: usize) -> usize {
        let end = self.lines.len();
        let row = match self.focus.and_then(|focus| self.rows.get(focus)) {
            // Nothing above the first row but what it is about: show it from the start.
            Some(row) if self.focus == Some(0) && row.end <= height => 0..row.end,
            Some(row) => row.clone(),
            None => return top,
        };
        let last = if self.focus == Some(self.rows.len() - 1) { end } else { row.end };
        if last > top + height {
            // A row taller than the view is shown from its start.
            (last - height).min(row.start)
        } else {
            top.min(row.start)
        }
    }

    /// How many lines there are up to the end of a row.
    pub(super) fn end_of_row(&self, row: usize) -> Option<usize> {
        self.rows.get(row).map(|row| row.end)
    }

    /// The rows that lie wholly within `shown`, or fill it from their start.
    pub(super) fn rows_within(&self, shown: &Range<usize>) -> Range<usize> {
        let whole = |row: &Range<usize>| {
            let fits = row.start >= shown.start && row.end <= shown.end;
            !shown.is_empty() && (fits || row.start == shown.start)
        };
        match (self.rows.iter().position(whole), self.rows.iter().rposition(whole)) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        }
    }
}

struct Builder {
    palette: Palette,
    width: usize,
    whole_header: bool,
    body: Body,
}

impl Builder {
    fn gap(&mut self) {
        self.body.gaps.push(self.body.lines.len());
    }

    fn text(&mut self, indent: usize, text: &str, style: Style) {
        self.lines(indent, wrap(text, self.width.saturating_sub(indent)), style);
    }

    fn lines(&mut self, indent: usize, lines: Vec<String>, style: Style) {
        for line in lines {
            let line = vec![Span::raw(" ".repeat(indent)), Span::styled(line, style)];
            self.body.lines.push(Line::from(line));
        }
    }

    /// A row a person can move to: `lines` are added by `fill`.
    fn row(&mut self, focused: bool, fill: impl FnOnce(&mut Self)) {
        let start = self.body.lines.len();
        fill(self);
        if focused {
            self.body.focus = Some(self.body.rows.len());
        }
        self.body.rows.push(start..self.body.lines.len());
    }

    fn style(&self, role: Role) -> Style {
        self.palette.style(role)
    }

    fn question(&mut self, prompt: &Prompt, i: usize, question: &Question, draft: &Draft) {
        let multi = question.select() == Select::Multi && !question.is_open();
        if let Some(header) = question.header().filter(|_| self.whole_header) {
            self.text(0, header, self.style(Role::Primary));
        }
        // In a call to be allowed, only a field's name begins a line.
        let hang = if prompt.guarded() > 0 { 2 } else { 0 };
        let style = self.style(Role::Text).add_modifier(Modifier::BOLD);
        self.lines(0, wrap_hanging(question.text(), self.width, hang), style);
        if multi {
            let hint = "(Select multiple with Space)";
            let last = self.body.lines.last_mut();
            let fits =
                last.as_ref().is_some_and(|line| line.width() + 1 + hint.len() <= self.width);
            let hint = Span::styled(hint, self.palette.style(Role::Muted));
            match last {
                Some(line) if fits => line.spans.extend([Span::raw(" "), hint]),
                _ => self.body.lines.push(Line::from(hint)),
            }
        }
        self.gap();
        let writing_words = writes_words(prompt);
        for (row, option) in question.choices().enumerate() {
            let focused = draft.focus == row && !writing_words;
            let chosen = draft.ticked.get(row) == Some(&true);
            let withheld = prompt.withholds(row);
            self.row(focused, |body| {
                body.option(option, multi, focused, chosen);
                if withheld {
                    body.text(
                        4,
                        "Not before all of it was shown: PgDn.",
                        body.style(Role::Warning),
                    );
                }
            });
            self.gap();
        }
        // While its text field is open, the field stands in the place of this row.
        if writing_words {
            self.row(true, |_| ());
        } else {
            let focused = draft.focus == draft.other_row();
            self.row(focused, |body| body.other(question, draft, multi, focused));
        }
        let writing_note = matches!(prompt.mode, Mode::Writing { purpose: Purpose::Note { question }, .. } if question == i);
        let note = draft.note.text().trim();
        if !note.is_empty() && !writing_note {
            self.gap();
            self.text(0, &format!("Note: {note}"), self.style(Role::Secondary));
        }
        if draft.left_open {
            self.gap();
            self.text(0, "Left open on purpose.", self.style(Role::Warning));
        }
    }

    fn option(&mut self, option: &QuestionOption, multi: bool, focused: bool, chosen: bool) {
        self.label(option.short_label(), multi, focused, chosen);
        if option.is_recommended() {
            let mark = "(Recommended)";
            let span = Span::styled(mark, self.style(Role::Success));
            match self.body.lines.last_mut() {
                Some(line) if line.width() + 1 + mark.len() <= self.width => {
                    line.spans.extend([Span::raw(" "), span]);
                }
                _ => self.body.lines.push(Line::from(vec![Span::raw("    "), span])),
            }
        }
        if let Some(description) = option.description() {
            self.text(4, description, self.style(Role::Muted));
        }
    }

    fn other(&mut self, question: &Question, draft: &Draft, multi: bool, focused: bool) {
        let words =
            if draft.words_chosen { draft.words.text() } else { draft.words.to_edit() }.trim();
        let label = if words.is_empty() { "Other".to_owned() } else { format!("Other: {words}") };
        self.label(&label, multi, focused, draft.words_chosen);
        if words.is_empty() {
            let mut agents =
                question.agents_other().filter_map(QuestionOption::description).peekable();
            if agents.peek().is_none() {
                self.text(4, "Type something else…", self.style(Role::Muted));
            }
            for description in agents {
                self.text(4, description, self.style(Role::Muted));
            }
        }
    }

    fn label(&mut self, label: &str, multi: bool, focused: bool, chosen: bool) {
        let mark = match (multi, chosen) {
            (true, true) => "☑ ",
            (true, false) => "☐ ",
            (false, true) => "● ",
            (false, false) => "○ ",
        };
        let (pointer, role) = if focused { ("> ", Role::Text) } else { ("  ", Role::Secondary) };
        let mut style = self.style(role);
        if focused {
            style = style.add_modifier(Modifier::BOLD);
        }
        for (n, line) in wrap(label, self.width.saturating_sub(4)).into_iter().enumerate() {
            let lead = if n == 0 {
                [Span::styled(pointer, style), Span::styled(mark, self.style(Role::Primary))]
            } else {
                [Span::raw("  "), Span::raw("  ")]
            };
            let [pointer, mark] = lead;
            self.body.lines.push(Line::from(vec![pointer, mark, Span::styled(line, style)]));
        }
    }

    fn review(&mut self, prompt: &Prompt, focus: usize) {
        self.text(0, "These answers will be sent together:", self.style(Role::Text));
        self.gap();
        for (i, (question, draft)) in
            prompt.ask().questions().iter().zip(&prompt.drafts).enumerate()
        {
            self.row(focus == i, |body| body.reviewed(question, draft, focus == i));
            self.gap();
        }
        let focused = focus == prompt.drafts.len();
        self.row(focused, |body| {
            let (pointer, role) = if focused { (">", Role::Text) } else { (" ", Role::Secondary) };
            let style = body.style(role).add_modifier(Modifier::BOLD);
            body.text(0, &format!("{pointer} Send these answers"), style);
        });
    }

    fn reviewed(&mut self, question: &Question, draft: &Draft, focused: bool) {
        let (mark, role) = match draft {
            Draft { left_open: true, .. } => ("– ", Role::Warning),
            draft if draft.has_choice() => ("✔ ", Role::Success),
            _ => ("○ ", Role::Warning),
        };
        let name_role = if focused { Role::Text } else { Role::Secondary };
        let pointer = if focused { "> " } else { "  " };
        let text = format!("{}: {}", question.name().trim(), draft.describe(question));
        for (n, line) in wrap(&text, self.width.saturating_sub(4)).into_iter().enumerate() {
            let lead = if n == 0 { (pointer, mark) } else { ("  ", "  ") };
            self.body.lines.push(Line::from(vec![
                Span::styled(lead.0, self.style(name_role)),
                Span::styled(lead.1, self.style(role)),
                Span::styled(line, self.style(name_role)),
            ]));
        }
        let note = draft.note.text().trim();
        if !note.is_empty() {
            self.text(4, &format!("Note: {note}"), self.style(Role::Muted));
        }
    }

    fn help(&mut self, prompt: &Prompt) {
        let indent = hints::keys(prompt).map(|(key, _)| columns(key)).max().unwrap_or(0) + 2;
        for (key, meaning) in hints::keys(prompt) {
            let start = self.body.lines.len();
            self.text(indent.into(), meaning, self.style(Role::Secondary));
            if let Some(line) = self.body.lines.get_mut(start) {
                let pad = " ".repeat((indent - columns(key)).into());
                line.spans[0] =
                    Span::styled(format!("{key}{pad}"), self.palette.style(Role::Primary));
            }
        }
    }
}

fn writes_words(prompt: &Prompt) -> bool {
    matches!(prompt.mode, Mode::Writing { purpose: Purpose::Words, .. })
}
