//! What has been ticked and typed for one question so far.

use handraise_question::{
    AnswerForm, Answers, Ask, OwnWords, OwnWordsError, Question, Select, Violations,
};

use super::Typed;

/// The unfinished answer to one question. Nothing typed is ever dropped from it, even when
/// another choice is made: changing one's mind back costs no typing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    /// The row in focus; the row after the last option is "Other".
    pub(crate) focus: usize,
    /// Which options are chosen, in their order.
    pub(crate) ticked: Vec<bool>,
    /// What was typed under "Other".
    pub(crate) words: Typed,
    /// Whether those words are part of the answer.
    pub(crate) words_chosen: bool,
    /// A remark beside the answer.
    pub(crate) note: Typed,
    /// Left open on purpose.
    pub(crate) left_open: bool,
}

impl Draft {
    pub(crate) fn new(question: &Question) -> Self {
        Self { ticked: vec![false; question.choices().count()], ..Self::default() }
    }

    /// The answers in a whole set of drafts, one for each question of `ask`.
    pub(crate) fn answers(ask: &Ask, drafts: &[Self]) -> Result<Answers, Violations> {
        ask.check(ask.questions().iter().zip(drafts).map(|(q, draft)| draft.form(q)).collect())
    }

    /// The row number of "Other".
    pub(crate) fn other_row(&self) -> usize {
        self.ticked.len()
    }

    /// Chooses one option of a single-select.
    pub(crate) fn pick(&mut self, row: usize) {
        self.ticked.fill(false);
        if let Some(tick) = self.ticked.get_mut(row) {
            *tick = true;
        }
        self.words_chosen = false;
        self.left_open = false;
    }

    /// Ticks or unticks one option of a multi-select.
    pub(crate) fn toggle(&mut self, row: usize) {
        if let Some(tick) = self.ticked.get_mut(row) {
            *tick = !*tick;
            self.left_open = false;
        }
    }

    /// Makes the typed words the answer, or part of it.
    pub(crate) fn choose_words(&mut self, select: Select) {
        self.words.accept_aside();
        if select == Select::Single {
            self.ticked.fill(false);
        }
        self.words_chosen = true;
        self.left_open = false;
    }

    /// Whether something is chosen.
    pub(crate) fn has_choice(&self) -> bool {
        self.words_chosen || self.ticked.contains(&true)
    }

    /// Whether the question needs no more attention.
    pub(crate) fn is_settled(&self) -> bool {
        self.left_open || self.has_choice()
    }

    pub(crate) fn has_text(&self) -> bool {
        !self.words.is_blank() || !self.note.is_blank()
    }

    /// What is wrong with the text that would be sent, if anything.
    pub(crate) fn unfit_text(&self) -> Option<OwnWordsError> {
        let words = (self.words_chosen && !self.left_open).then(|| self.words.text());
        let note = Some(self.note.text()).filter(|note| !note.trim().is_empty());
        words.into_iter().chain(note).find_map(|text| OwnWords::try_from(text).err())
    }

    pub(crate) fn form(&self, question: &Question) -> AnswerForm {
        let some = |text: &str| (!text.trim().is_empty()).then(|| text.to_owned());
        let notes = some(self.note.text());
        if self.left_open {
            return AnswerForm { notes, left_open: true, ..AnswerForm::default() };
        }
        let words = if self.words_chosen { some(self.words.text()) } else { None };
        AnswerForm { selected: self.labels(question), words, notes, left_open: false }
    }

    /// Labels of the ticked options.
    pub(crate) fn labels(&self, question: &Question) -> Vec<String> {
        let options = question.choices().zip(&self.ticked);
        let ticked = options.filter(|(_, ticked)| **ticked);
        ticked.map(|(option, _)| option.label().to_owned()).collect()
    }

    /// What will be sent, in full, for a person to check.
    pub(crate) fn describe(&self, question: &Question) -> String {
        if self.left_open {
            return "left open on purpose".into();
        }
        let form = self.form(question);
        let labels = question
            .choices()
            .filter(|option| form.selected.iter().any(|label| label == option.label()))
            .map(|option| question.spoken_label(option).to_owned());
        let parts: Vec<String> = labels.chain(form.words).collect();
        if parts.is_empty() { "not answered yet".into() } else { parts.join(", ") }
    }
}
