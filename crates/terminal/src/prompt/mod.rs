//! The question prompt as state: what is shown and what a key does to it. No I/O, no clock.
//!
//! [`Prompt::update`] takes one input and may return an [`Effect`]; `view` draws the state.

mod deadline;
mod draft;
mod enter;
mod keeping;
mod reading;
mod stroke;
mod typed;
mod unsent;
mod update;
mod writing;

use std::time::Duration;

use handraise_question::{Ask, OwnWords, Question, Resolution};

use crate::field::Field;
pub(crate) use deadline::Deadline;
pub(crate) use draft::Draft;
use enter::EnterKey;
pub use keeping::Elsewhere;
pub(crate) use reading::Lines;
use reading::Reading;
pub(crate) use typed::Typed;
pub use unsent::Unsent;

/// A set of questions being answered.
#[derive(Debug, Clone)]
pub struct Prompt {
    ask: Ask,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) page: Page,
    pub(crate) mode: Mode,
    pub(crate) notice: Option<Notice>,
    pub(crate) flash_until: Option<Duration>,
    pub(crate) scroll: Scroll,
    deadline: Option<Deadline>,
    now: Duration,
    reviewed: bool,
    /// What was typed to discuss or to decline with, kept when the field is left.
    discuss: Typed,
    reason: Typed,
    enter: EnterKey,
    /// Which rows the last drawing showed whole.
    rows_seen: std::ops::Range<usize>,
    reading: Reading,
    /// It is one of several, and Esc goes back to them.
    pub(crate) among_others: bool,
}

/// One screen of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    /// One question, by its place.
    Question(usize),
    /// All answers, before they are sent.
    Review {
        /// The row in focus: one a question, then the one that sends.
        focus: usize,
    },
}

/// What keys mean at the moment.
#[derive(Debug, Clone)]
pub(crate) enum Mode {
    Choosing,
    Writing {
        purpose: Purpose,
        field: Box<Field>,
    },
    /// Esc was pressed with text typed: is it to be thrown away?
    Discarding,
    Help,
}

/// What the text in the field is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// "Other": the person's own words for this question.
    Words,
    /// A remark on this question.
    Note { question: usize },
    /// To talk first.
    Discuss,
    /// Why they decline.
    Reason,
}

/// Something to tell the person, until the next key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Notice {
    /// The answer was refused: red frame.
    Refused(String),
    /// Good to know.
    Hint(String),
}

/// How far the person has scrolled by hand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Scroll {
    /// First line shown of the body; `None` follows the focus.
    pub(crate) body: Option<usize>,
    /// First line shown of the preview.
    pub(crate) preview: usize,
    /// Furthest either can go, as last drawn.
    pub(crate) body_max: usize,
    pub(crate) preview_max: usize,
    /// Lines of the body in view, as last drawn, and the first of them.
    pub(crate) page: usize,
    pub(crate) top: usize,
}

/// Something that reached the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key.
    Key(crossterm::event::KeyEvent),
    /// Text pasted in one piece.
    Paste(String),
    /// Time went by.
    Tick,
}

/// What the prompt wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// The ask has ended.
    Resolve(Resolution),
    /// Esc, where there is something to go back to. Nothing ends.
    Back,
    /// Ctrl-C: the person left without ending the ask.
    Interrupt,
    /// Ctrl-Z.
    Suspend,
    /// The screen may be garbled: draw it anew.
    Redraw,
}

impl Prompt {
    /// Puts an ask to a person, with or without a deadline.
    #[must_use]
    pub fn new(ask: Ask, wait: Option<Duration>) -> Self {
        let drafts = ask.questions().iter().map(Draft::new).collect();
        let mut prompt = Self {
            ask,
            drafts,
            page: Page::Question(0),
            mode: Mode::Choosing,
            notice: None,
            flash_until: None,
            scroll: Scroll::default(),
            deadline: wait.map(Deadline::after),
            now: Duration::ZERO,
            reviewed: false,
            discuss: Typed::default(),
            reason: Typed::default(),
            enter: EnterKey::default(),
            rows_seen: 0..usize::MAX,
            reading: Reading::default(),
            among_others: false,
        };
        prompt.turn_to(Page::Question(0));
        prompt
    }

    /// Puts an ask to a person who has others before them as well: Esc goes back to those, and ends
    /// nothing.
    pub(crate) fn among_others(ask: Ask) -> Self {
        Self { among_others: true, ..Self::new(ask, None) }
    }

    /// What is being asked.
    #[must_use]
    pub fn ask(&self) -> &Ask {
        &self.ask
    }

    /// When, counted from the start, the prompt changes without a key: the next second of a
    /// countdown, the end of a flash, or an Enter that was not held down.
    #[must_use]
    pub fn next_tick(&self) -> Option<Duration> {
        let second = self.deadline.as_ref().map(|deadline| {
            let left = deadline.left(self.now);
            // Wake when the shown number of seconds changes.
            match left.subsec_nanos() {
                0 => self.now + left.min(Duration::from_secs(1)),
                nanos => self.now + Duration::from_nanos(nanos.into()),
            }
        });
        [second, self.flash_until, self.enter.next_tick()].into_iter().flatten().min()
    }

    /// Tells the prompt how it was drawn, so that keys act only on what can be seen.
    pub(crate) fn drawn(
        &mut self,
        rows_seen: std::ops::Range<usize>,
        scroll: Scroll,
        lines: Option<Lines>,
    ) {
        self.rows_seen = rows_seen;
        self.scroll = scroll;
        self.note_lines(lines);
    }

    /// Which page is open: a question's place, or the number of questions for the review.
    pub(crate) fn page_number(&self) -> usize {
        match self.page {
            Page::Question(i) => i,
            Page::Review { .. } => self.drafts.len(),
        }
    }

    /// Whether keys choose, rather than type or answer a question of the prompt's own.
    pub(crate) fn is_choosing(&self) -> bool {
        matches!(self.mode, Mode::Choosing)
    }

    /// Whether the person is typing text, so that a burst of keys may be a paste.
    #[must_use]
    pub fn is_writing(&self) -> bool {
        matches!(self.mode, Mode::Writing { .. })
    }

    pub(crate) fn question(&self, i: usize) -> Option<(&Question, &Draft)> {
        Some((self.ask.questions().get(i)?, self.drafts.get(i)?))
    }

    /// Sets when silence ends the ask, counted from the start; never when absent.
    pub(crate) fn wait_until(&mut self, end: Option<Duration>) {
        self.deadline = Deadline::moved(self.deadline.take(), end);
    }

    pub(crate) fn seconds_left(&self) -> Option<u64> {
        self.deadline.as_ref().map(|deadline| deadline.left(self.now).as_secs())
    }

    pub(crate) fn deadline_nears(&self) -> bool {
        self.deadline.as_ref().is_some_and(|deadline| deadline.nears(self.now))
    }

    pub(crate) fn is_flashing(&self) -> bool {
        self.flash_until.is_some()
    }

    fn has_text(&self) -> bool {
        let typed = !self.discuss.is_blank() || !self.reason.is_blank();
        typed || self.drafts.iter().any(Draft::has_text)
    }

    /// Opens a page. A question without options goes straight to its text field.
    fn turn_to(&mut self, page: Page) {
        self.page = page;
        self.mode = Mode::Choosing;
        self.scroll = Scroll::default();
        self.rows_seen = 0..usize::MAX;
        let Page::Question(i) = page else { return };
        let Some((question, draft)) = self.question(i) else { return };
        let (field, first_row) =
            (question.is_open() && draft.words.is_blank(), draft.focus <= self.guarded());
        if first_row {
            // A question is read from its beginning, even if no option fits below it.
            self.scroll.body = Some(0);
        }
        if field {
            self.write(Purpose::Words);
        }
    }

    fn write(&mut self, purpose: Purpose) {
        if let Some(typed) = self.typed_for(purpose) {
            let field = Box::new(Field::new(typed.to_edit()));
            self.mode = Mode::Writing { purpose, field };
        }
    }

    /// Closes the field, and hands its text to whoever decides what becomes of it.
    fn close_field(&mut self) -> Option<(&mut Typed, String)> {
        let Mode::Writing { purpose, field } = std::mem::replace(&mut self.mode, Mode::Choosing)
        else {
            return None;
        };
        Some((self.typed_for(purpose)?, field.text()))
    }

    fn typed_for(&mut self, purpose: Purpose) -> Option<&mut Typed> {
        match (purpose, self.page) {
            (Purpose::Words, Page::Question(i)) => Some(&mut self.drafts.get_mut(i)?.words),
            (Purpose::Note { question }, _) => Some(&mut self.drafts.get_mut(question)?.note),
            (Purpose::Discuss, _) => Some(&mut self.discuss),
            (Purpose::Reason, _) => Some(&mut self.reason),
            (Purpose::Words, Page::Review { .. }) => None,
        }
    }

    fn resolution_of_silence(&self) -> Option<Resolution> {
        let deadline = self.deadline.as_ref()?;
        deadline
            .left(self.now)
            .is_zero()
            .then(|| Resolution::NoAnswer { after_seconds: deadline.seconds() })
    }
}

/// What an Esc or a skip is recorded as.
pub(crate) fn cancelled() -> Resolution {
    Resolution::Declined { reason: OwnWords::try_from("cancelled by the person").ok() }
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
