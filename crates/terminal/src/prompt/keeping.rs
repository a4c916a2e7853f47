//! Taking up what was ticked and typed elsewhere.

use handraise_question::{AnswerForm, Question};

use super::{Draft, Prompt, Typed, Unsent};

/// What the same person has ticked and typed for an ask on another surface.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elsewhere {
    /// A form for each question, in their order.
    pub answers: Vec<AnswerForm>,
    /// What was typed beside the answers.
    pub message: Option<String>,
    /// Words are text and no more: elsewhere, they choose nothing.
    pub undecided: bool,
}

impl Prompt {
    /// Takes up what the same person ticked and typed on another surface, unless there is something else
    /// here than `over`, or than nothing: what somebody typed may not change under their hands.
    /// Returns whether it did.
    pub(crate) fn take_up(&mut self, elsewhere: &Elsewhere, over: Option<&Unsent>) -> bool {
        let is_same = match over {
            Some(over) => self.unsent() == *over,
            None => self.unsent() == Unsent::of(&self.ask, &self.untouched()),
        };
        if !is_same {
            return false;
        }
        let mut forms = elsewhere.answers.iter();
        for (question, draft) in self.ask.questions().iter().zip(&mut self.drafts) {
            *draft = Draft { focus: draft.focus, ..Draft::new(question) };
            if let Some(form) = forms.next() {
                draft.take_up(question, form, elsewhere.undecided);
            }
        }
        if self.discuss.is_blank() {
            // Elsewhere, both are one text.
            self.reason = Typed::default();
        }
        self.discuss = Typed::default();
        if let Some(message) = &elsewhere.message {
            self.discuss.set_aside(message.clone());
        }
        self.turn_to(self.page);
        true
    }

    fn untouched(&self) -> Vec<Draft> {
        self.ask.questions().iter().map(Draft::new).collect()
    }
}

impl Draft {
    fn take_up(&mut self, question: &Question, form: &AnswerForm, undecided: bool) {
        let chosen = |label: &str| form.selected.iter().any(|selected| selected == label);
        self.ticked = question.choices().map(|option| chosen(option.label())).collect();
        match &form.words {
            Some(words) if undecided => drop(self.words.set_aside(words.clone())),
            Some(words) => {
                self.words.accept(words.clone());
                self.words_chosen = !self.ticked.contains(&true);
            }
            None => {}
        }
        if let Some(note) = &form.notes {
            self.note.accept(note.clone());
        }
        self.left_open = form.left_open;
    }
}
