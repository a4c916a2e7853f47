//! What keys do in a text field, and what becomes of the text.

#![expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named means nothing here")]

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use handraise_question::{OwnWords, OwnWordsError, Question, Resolution};

use super::{Draft, Effect, Mode, Page, Prompt, Purpose};

impl Prompt {
    pub(super) fn field_key(&mut self, purpose: Purpose, key: KeyEvent) -> Option<Effect> {
        let half = (self.scroll.page / 2).max(1).cast_signed();
        let newline = key.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SHIFT);
        match key.code {
            KeyCode::Enter if !newline => return self.accept_field(purpose),
            KeyCode::Esc => self.set_field_aside(),
            KeyCode::Tab => {
                self.set_field_aside();
                self.turn(1);
            }
            KeyCode::BackTab => {
                self.set_field_aside();
                self.turn(-1);
            }
            KeyCode::PageUp => self.scroll_body(-half),
            KeyCode::PageDown => self.scroll_body(half),
            _ => {
                self.edited();
                if let Mode::Writing { field, .. } = &mut self.mode {
                    field.key(key);
                }
            }
        }
        None
    }

    fn accept_field(&mut self, purpose: Purpose) -> Option<Effect> {
        let Mode::Writing { field, .. } = &self.mode else { return None };
        let text = field.text();
        let optional = matches!(purpose, Purpose::Note { .. } | Purpose::Reason);
        let words = match OwnWords::try_from(text) {
            Ok(words) => Some(words),
            Err(OwnWordsError::Blank) if optional => None,
            Err(error) => {
                self.refuse(&refusal(&error));
                return None;
            }
        };
        if let Some((typed, text)) = self.close_field() {
            typed.accept(text);
        }
        match (purpose, self.page, words) {
            (Purpose::Words, Page::Question(i), _) => {
                let select = self.ask.questions().get(i).map(Question::select)?;
                self.drafts.get_mut(i)?.choose_words(select);
                self.advance(i)
            }
            (Purpose::Discuss, _, Some(words)) => {
                Some(Effect::Resolve(Resolution::Discuss { words }))
            }
            (Purpose::Reason, _, reason) => Some(Effect::Resolve(Resolution::Declined { reason })),
            (Purpose::Words | Purpose::Note { .. } | Purpose::Discuss, _, _) => None,
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        match (&self.mode, self.page) {
            (Mode::Writing { .. }, _) => {}
            (_, Page::Question(i)) => {
                // Pasted text is an answer in the person's own words; as keys it would choose.
                self.choose_again();
                if let Some(other) = self.drafts.get(i).map(Draft::other_row) {
                    self.focus(i, other);
                }
                self.write(Purpose::Words);
            }
            (_, Page::Review { .. }) => {
                self.choose_again();
                self.hint("Nothing pasted: open a text field first, with Enter or n.");
            }
        }
        self.edited();
        let Mode::Writing { field, .. } = &mut self.mode else { return };
        if let Err(error) = field.paste(text) {
            self.refuse(&refusal(&error));
        }
    }

    /// Closes a field without making its text part of the answer; it comes back with the field.
    fn set_field_aside(&mut self) {
        if self.close_field().is_some_and(|(typed, text)| typed.set_aside(text)) {
            self.hint("What you typed is kept, but not part of the answer.");
        }
    }
}

fn refusal(error: &OwnWordsError) -> String {
    match error {
        OwnWordsError::Blank => "Nothing typed yet: type, or press Esc to go back.".into(),
        error @ (OwnWordsError::TooLong(_)
        | OwnWordsError::TooLarge(_)
        | OwnWordsError::ControlCharacter(_)) => {
            format!("Not accepted: {error}, {} needed.", error.allowed())
        }
    }
}
