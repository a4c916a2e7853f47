//! Taking up what was ticked and typed elsewhere.

use handraise_question::{AnswerForm, Question};

use super::{Draft, Prompt, Unsent};

impl Prompt {
    /// Takes up what the same person ticked and typed on another surface, unless something was done
    /// here already: nothing on the screen may change under somebody's hands. Returns whether it did.
    pub(crate) fn take_up(&mut self, answers: &[AnswerForm], message: Option<String>) -> bool {
        if self.unsent() != Unsent::of(&self.ask, &self.untouched()) {
            return false;
        }
        let questions = self.ask.questions().iter();
        for ((question, draft), form) in questions.zip(&mut self.drafts).zip(answers) {
            draft.take_up(question, form);
        }
        if let Some(message) = message {
            self.discuss.set_aside(message);
        }
        self.turn_to(self.page);
        true
    }

    fn untouched(&self) -> Vec<Draft> {
        self.ask.questions().iter().map(Draft::new).collect()
    }
}

impl Draft {
    fn take_up(&mut self, question: &Question, form: &AnswerForm) {
        let chosen = |label: &str| form.selected.iter().any(|selected| selected == label);
        self.ticked = question.choices().map(|option| chosen(option.label())).collect();
        if let Some(words) = &form.words {
            self.words.accept(words.clone());
            self.words_chosen = !self.ticked.contains(&true);
        }
        if let Some(note) = &form.notes {
            self.note.accept(note.clone());
        }
        self.left_open = form.left_open;
    }
}
