//! What a dialog must look like, after the keys that were pressed.

use handraise_question::{Ask, Question, Select};

use super::alike::{alike, dense};
use super::dialog::{Dialog, Focus, Page, Review};
use super::intent::Entry;

/// A dialog as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expected {
    /// The question that is shown; the review, when there is none left.
    pub(super) at: usize,
    /// Which questions have an answer.
    pub(super) answered: Vec<bool>,
    /// Where the cursor is.
    pub(super) focus: Focus,
    /// What is ticked, the last for the person's own words.
    pub(super) ticks: Vec<bool>,
    /// What was written.
    pub(super) text: String,
    /// What was noted.
    pub(super) notes: String,
    /// Whether keys go into a text.
    pub(super) writes: bool,
    /// What the review is to say of each question; nothing for one without an answer.
    pub(super) said: Vec<Option<String>>,
}

/// How a dialog differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Difference {
    /// It is another dialog, or none.
    Other,
    /// It is the same dialog, in another state.
    State,
}

impl Expected {
    /// A dialog nobody has touched yet.
    pub(super) fn fresh(ask: &Ask) -> Self {
        let mut expected = Self {
            at: 0,
            answered: vec![false; ask.questions().len()],
            focus: Focus::Row(1),
            ticks: vec![],
            text: String::new(),
            notes: String::new(),
            writes: false,
            said: vec![None; ask.questions().len()],
        };
        expected.turn_to(ask, 0);
        expected
    }

    /// Turns to the page of a question, as it is when nobody has been there.
    pub(super) fn turn_to(&mut self, ask: &Ask, at: usize) {
        let rows = ask.questions().get(at).map_or(0, |question| question.options().len() + 1);
        self.at = at;
        self.focus = Focus::Row(1);
        self.ticks = vec![false; rows];
        self.writes = false;
        self.text.clear();
        self.notes.clear();
    }

    /// Notes what was answered, and turns to the next page.
    pub(super) fn answer(&mut self, ask: &Ask, said: Option<String>) {
        if let Some(answered) = self.answered.get_mut(self.at) {
            *answered = said.is_some();
        }
        if let Some(place) = self.said.get_mut(self.at) {
            *place = said;
        }
        self.turn_to(ask, self.at + 1);
    }

    /// Whether the dialog on the screen is this one.
    pub(super) fn check(&self, ask: &Ask, dialog: Option<&Dialog>) -> Result<(), Difference> {
        match (dialog, ask.questions().get(self.at)) {
            (Some(Dialog::Question(page)), Some(question)) if shows(question, page) => {
                self.check_page(question, page)
            }
            (Some(Dialog::Review(review)), None) => self.check_review(ask, review),
            // The same dialog on another page is one that somebody has leafed through.
            (Some(Dialog::Question(page)), _) => {
                let ours = ask.questions().iter().any(|question| shows(question, page));
                Err(if ours { Difference::State } else { Difference::Other })
            }
            (Some(Dialog::Review(_)), Some(_)) => Err(Difference::State),
            (None, _) => Err(Difference::Other),
        }
    }

    fn check_page(&self, question: &Question, page: &Page) -> Result<(), Difference> {
        let several = question.select() == Select::Multi;
        let written = question.options().len() + 1;
        let row_fits = |row: &super::dialog::Row| {
            let tick = several.then(|| self.ticks.get(row.number - 1).copied()).flatten();
            let text = row.number != written || self.text_fits(&row.text);
            tick == row.ticked && text
        };
        // Where no row begins in sight, all there is to see is the end of what was written.
        let tail = !page.rows.is_empty() || alike(&page.above, &self.text, true);
        let answered = page.answered.as_ref().is_none_or(|marks| self.marks_fit(marks));
        let focus = page.focus.is_none_or(|focus| focus == self.focus);
        let notes = page.notes.as_deref().is_none_or(|notes| self.notes_fit(notes));
        // Having written, it may stay a text in which is written while the cursor is elsewhere.
        let writes = page.writes == self.writes;
        let fits = page.rows.iter().all(row_fits) && tail && answered && focus && notes && writes;
        if fits { Ok(()) } else { Err(Difference::State) }
    }

    /// In the page's heading only those of this page and before it count: one is marked as soon as it
    /// has an answer, though it may be changed yet.
    fn marks_fit(&self, marks: &[bool]) -> bool {
        marks.len() != self.answered.len()
            || marks
                .iter()
                .zip(&self.answered)
                .enumerate()
                .all(|(place, (mark, answered))| place == self.at || mark == answered)
    }

    fn text_fits(&self, shown: &str) -> bool {
        if self.text.is_empty() {
            return matches!(shown.trim(), "Type something." | "Type something");
        }
        alike(shown, &self.text, false)
    }

    fn notes_fit(&self, shown: &str) -> bool {
        let shown = shown.trim();
        match (self.notes.is_empty(), self.writes) {
            (true, false) => shown == "press n to add notes",
            (true, true) => "Add notes on this design…".starts_with(shown.trim_end_matches('…')),
            (false, _) => alike(shown, &self.notes, false),
        }
    }

    fn check_review(&self, ask: &Ask, review: &Review) -> Result<(), Difference> {
        if review
            .answered
            .as_ref()
            .is_some_and(|marks| marks.len() == self.answered.len() && *marks != self.answered)
        {
            return Err(Difference::State);
        }
        let missing = self.said.iter().any(Option::is_none);
        let mut meant = String::new();
        if missing {
            meant.push_str("⚠ You have not answered all questions");
        }
        for (question, said) in ask.questions().iter().zip(&self.said) {
            if let Some(said) = said {
                meant.push_str(question.text());
                meant.push_str(said);
            }
        }
        let plain = |text: &str| text.replace(['●', '→', '│', '"', '\\'], "");
        let fits = alike(&plain(&review.text), &plain(&meant), review.is_cut);
        if fits && review.sends { Ok(()) } else { Err(Difference::State) }
    }
}

/// Whether a page shows this question: every row in sight is one of its own, and the question itself,
/// if it is in sight.
fn shows(question: &Question, page: &Page) -> bool {
    let options = question.options();
    let written = options.len() + 1;
    let previews = options.iter().any(|option| option.preview().is_some());
    let fits = |row: &super::dialog::Row| match options.get(row.number - 1) {
        Some(option) if previews => dense(&row.text) == dense(option.label()),
        Some(option) => {
            let description = option.description().unwrap_or_default();
            dense(&row.text) == dense(&format!("{}{description}", option.label()))
        }
        None => !previews && row.number == written,
    };
    let plain = |text: &str| dense(&text.replace('│', ""));
    let asked = page.question.as_ref().is_none_or(|text| plain(text) == plain(question.text()));
    let known = page.question.is_some() || !page.rows.is_empty() || !page.above.is_empty();
    let kind = question.select() == Select::Multi;
    let ticks = page.rows.iter().all(|row| row.ticked.is_some() == kind);
    asked && known && ticks && page.rows.iter().all(fits) && page.notes.is_some() == previews
}

impl Entry {
    /// What the review says of it.
    pub(super) fn said(&self, question: &Question) -> Option<String> {
        match self {
            Self::Words(words) => Some(words.clone()),
            Self::Choose(_) | Self::Several { .. } | Self::Beside { .. } => {
                self.answer(question).filter(|answer| !answer.is_empty())
            }
        }
    }
}

impl Expected {
    /// Takes the cursor for where it is: somebody may have moved it before anything was typed.
    pub(super) fn take_focus(&mut self, dialog: Option<&Dialog>) {
        let Some(Dialog::Question(page)) = dialog else { return };
        if let Some(focus @ Focus::Row(row)) = page.focus {
            self.focus = focus;
            // On the row for words keys are words, though none is written yet.
            self.writes = row == self.ticks.len() && page.notes.is_none();
        }
    }
}
