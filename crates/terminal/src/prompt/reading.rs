//! Which lines of a question were on the screen, where some options need all of them.

use std::ops::Range;

use super::{Notice, Page, Prompt};

/// What one drawing shows of the lines that a guarded option needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lines {
    /// The width for which the lines were broken. At another width they are other lines.
    pub(crate) width: u16,
    /// How many there are: the question, and the guarded options with their descriptions.
    pub(crate) total: usize,
    /// Those in view, at their full width.
    pub(crate) shown: Range<usize>,
}

/// How far a person has come in a question that must be shown whole before it is allowed.
#[derive(Debug, Clone, Default)]
pub(super) struct Reading {
    /// So many of the first options can be chosen only after everything was on the screen.
    guarded: usize,
    /// The last drawing, until it is on the screen.
    drawn: Option<Lines>,
    width: u16,
    seen: Vec<bool>,
    begun: bool,
    finished: bool,
}

impl Reading {
    fn unseen(&self) -> usize {
        self.seen.iter().filter(|seen| !**seen).count()
    }

    /// Takes note of lines that are on the screen now.
    fn note(&mut self, lines: &Lines) {
        if lines.width != self.width || lines.total != self.seen.len() {
            self.width = lines.width;
            self.seen = vec![false; lines.total];
        }
        let shown = lines.shown.start.min(lines.total)..lines.shown.end.min(lines.total);
        if let Some(seen) = self.seen.get_mut(shown) {
            seen.fill(true);
        }
        self.finished = lines.total > 0 && self.unseen() == 0;
    }
}

impl Prompt {
    /// Lets the first `options` of a question be chosen only after the whole question and these options
    /// were on the screen.
    #[must_use]
    pub(crate) fn guard(mut self, options: usize) -> Self {
        self.reading.guarded = options;
        self
    }

    /// How many options need everything to have been on the screen.
    pub(crate) fn guarded(&self) -> usize {
        self.reading.guarded
    }

    /// Whether an option cannot be chosen yet, because not everything was on the screen.
    pub(crate) fn withholds(&self, row: usize) -> bool {
        row < self.reading.guarded && !self.reading.finished
    }

    pub(super) fn note_lines(&mut self, lines: Option<Lines>) {
        self.reading.drawn = lines;
    }

    /// Says that the last drawing is on the screen. Returns whether it has to be drawn again for that.
    pub(crate) fn is_on_screen(&mut self) -> bool {
        let reading = &mut self.reading;
        let Some(lines) = reading.drawn.take().filter(|_| reading.guarded > 0) else {
            return false;
        };
        if reading.finished {
            return false;
        }
        reading.note(&lines);
        let first = !std::mem::replace(&mut reading.begun, true);
        let (guarded, finished) = (reading.guarded, reading.finished);
        if first
            && !finished
            && let Some(draft) = self.drafts.first_mut()
        {
            // What is not shown whole is not one key away from being allowed.
            draft.focus = guarded;
        }
        if finished {
            self.notice = None;
        }
        first || finished
    }

    /// Shows the first lines that were not on the screen, instead of choosing an option that needs them.
    pub(super) fn show_unseen(&mut self) {
        let (unseen, first) =
            (self.reading.unseen(), self.reading.seen.iter().position(|seen| !*seen));
        self.scroll.body = Some(first.unwrap_or(0));
        let lines = if unseen == 1 { "1 line was".into() } else { format!("{unseen} lines were") };
        let text = format!("{lines} not shown yet. PgDn shows what follows; then choose.");
        self.notice = Some(Notice::Hint(text));
    }

    /// Whether the question is on the page, so that its lines count as shown.
    pub(crate) fn shows_question(&self) -> bool {
        matches!(self.page, Page::Question(0)) && !matches!(self.mode, super::Mode::Help)
    }
}
