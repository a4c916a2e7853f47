//! What a person has at hand and nobody has been sent.

use handraise_question::{AnswerForm, Ask};

use super::{Draft, Mode, Page, Prompt, Purpose};

/// What was ticked and typed so far, and not sent.
///
/// It is no answer. Text is in it as soon as it is typed, whether or not Enter made it count, and
/// a form may hold more than an answer may: an option next to words that were set aside.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unsent {
    /// A form for each question, in their order; the default where nothing was done.
    pub answers: Vec<AnswerForm>,
    /// What was typed to talk first.
    pub discuss: Option<String>,
    /// What was typed as the reason to decline.
    pub reason: Option<String>,
}

impl Unsent {
    /// What a whole set of drafts holds, one for each question of `ask`.
    pub(crate) fn of(ask: &Ask, drafts: &[Draft]) -> Self {
        let forms = ask.questions().iter().zip(drafts).map(|(question, draft)| AnswerForm {
            selected: draft.labels(question),
            words: text(draft.words.to_edit()),
            notes: text(draft.note.to_edit()),
            left_open: draft.left_open,
        });
        Self { answers: forms.collect(), discuss: None, reason: None }
    }

    /// Every text the person typed.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let answers = self.answers.iter().flat_map(|form| [&form.words, &form.notes]);
        answers.chain([&self.discuss, &self.reason]).flatten().map(String::as_str)
    }
}

impl Prompt {
    /// What was ticked and typed so far.
    #[must_use]
    pub fn unsent(&self) -> Unsent {
        let mut unsent = Unsent::of(&self.ask, &self.drafts);
        unsent.discuss = text(self.discuss.to_edit());
        unsent.reason = text(self.reason.to_edit());
        // The field that is open holds the latest.
        if let Mode::Writing { purpose, field } = &self.mode {
            let place = match (*purpose, self.page) {
                (Purpose::Words, Page::Question(i)) => {
                    unsent.answers.get_mut(i).map(|form| &mut form.words)
                }
                (Purpose::Note { question }, _) => {
                    unsent.answers.get_mut(question).map(|form| &mut form.notes)
                }
                (Purpose::Discuss, _) => Some(&mut unsent.discuss),
                (Purpose::Reason, _) => Some(&mut unsent.reason),
                (Purpose::Words, Page::Review { .. }) => None,
            };
            if let Some(place) = place {
                *place = text(&field.text());
            }
        }
        unsent
    }
}

/// Blank text is none.
fn text(text: &str) -> Option<String> {
    (!text.trim().is_empty()).then(|| text.to_owned())
}
