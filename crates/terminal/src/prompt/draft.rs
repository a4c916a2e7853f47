//! What has been ticked and typed for one question so far.

use handraise_question::{
    AnswerForm, Answers, Ask, OwnWords, OwnWordsError, Question, Select, Violations,
};

/// The unfinished answer to one question. Nothing typed is ever dropped from it, even when
/// another choice is made: changing one's mind back costs no typing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    /// The row in focus; the row after the last option is "Other".
    pub(crate) focus: usize,
    /// Which options are chosen, in their order.
    pub(crate) ticked: Vec<bool>,
    /// What was typed under "Other".
    pub(crate) words: String,
    /// Whether those words are part of the answer.
    pub(crate) words_chosen: bool,
    /// A remark beside the answer.
    pub(crate) note: String,
    /// A remark that was typed but not added.
    unsent_note: String,
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
        [&self.words, &self.note, &self.unsent_note].iter().any(|text| !text.trim().is_empty())
    }

    /// Stores typed words. With a `select` they become the answer, or part of it, if they are
    /// news; without, what was chosen before stands.
    pub(crate) fn keep_words(&mut self, text: &str, as_answer: Option<Select>) {
        let news = self.words != text;
        text.clone_into(&mut self.words);
        if text.trim().is_empty() {
            self.words_chosen = false;
        } else if let Some(select) = as_answer
            && news
        {
            self.choose_words(select);
        }
    }

    /// Stores a typed remark, with the answer or only for later.
    pub(crate) fn keep_note(&mut self, text: &str, as_answer: bool) {
        if as_answer {
            text.clone_into(&mut self.note);
            self.unsent_note.clear();
        } else {
            text.clone_into(&mut self.unsent_note);
        }
    }

    /// The remark as its field opens with it.
    pub(crate) fn note_to_edit(&self) -> &str {
        if self.unsent_note.trim().is_empty() { &self.note } else { &self.unsent_note }
    }

    /// What is wrong with the text that would be sent, if anything.
    pub(crate) fn unfit_text(&self) -> Option<OwnWordsError> {
        let words = (self.words_chosen && !self.left_open).then_some(&self.words);
        let note = Some(&self.note).filter(|note| !note.trim().is_empty());
        let texts = words.into_iter().chain(note);
        texts.into_iter().find_map(|text| OwnWords::try_from(text.as_str()).err())
    }

    pub(crate) fn form(&self, question: &Question) -> AnswerForm {
        let some = |text: &str| (!text.trim().is_empty()).then(|| text.to_owned());
        let notes = some(&self.note);
        if self.left_open {
            return AnswerForm { notes, left_open: true, ..AnswerForm::default() };
        }
        let selected = question
            .choices()
            .zip(&self.ticked)
            .filter(|(_, ticked)| **ticked)
            .map(|(option, _)| option.label().to_owned())
            .collect();
        let words = if self.words_chosen { some(&self.words) } else { None };
        AnswerForm { selected, words, notes, left_open: false }
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
