//! What each key does.

#![expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named means nothing here")]

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use handraise_question::{OwnWords, OwnWordsError, Question, Resolution, Select};

use super::stroke::Stroke;
use super::{Draft, Effect, Input, Mode, Notice, Page, Prompt, Purpose, cancelled};

/// How long the frame stays green when one page gives way to the next. An Enter within it is the
/// same press held down, and chooses nothing on the new page.
const FLASH: Duration = Duration::from_millis(150);

impl Prompt {
    /// Takes one input, `now` after the prompt appeared.
    pub fn update(&mut self, input: Input, now: Duration) -> Option<Effect> {
        self.now = now;
        if self.flash_until.is_some_and(|until| until <= now) {
            self.flash_until = None;
        }
        let effect = match input {
            Input::Key(key) if key.kind == KeyEventKind::Release => None,
            Input::Key(key) if self.is_held_enter(key) => {
                self.flash_until = Some(now + FLASH);
                None
            }
            Input::Key(key) => {
                self.notice = None;
                self.flash_until = None;
                self.key(key)
            }
            Input::Paste(text) => {
                self.notice = None;
                self.paste(&text);
                None
            }
            Input::Tick => None,
        };
        effect.or_else(|| self.resolution_of_silence().map(Effect::Resolve))
    }

    fn is_held_enter(&self, key: KeyEvent) -> bool {
        let choosing = matches!(self.mode, Mode::Choosing);
        choosing && self.is_flashing() && Stroke::of(key) == Some(Stroke::Enter)
    }

    /// Something was ticked or typed: somebody is at work on the answer.
    fn edited(&mut self) {
        let now = self.now;
        if let Some(deadline) = &mut self.deadline {
            deadline.edited(now);
        }
    }

    fn key(&mut self, key: KeyEvent) -> Option<Effect> {
        if key.modifiers == KeyModifiers::CONTROL {
            match key.code {
                KeyCode::Char('c') => return Some(Effect::Interrupt),
                KeyCode::Char('z') => return Some(Effect::Suspend),
                KeyCode::Char('l') => return Some(Effect::Redraw),
                _ => {}
            }
        }
        if let Mode::Writing { purpose, .. } = self.mode {
            return self.field_key(purpose, key);
        }
        let stroke = Stroke::of(key)?;
        match (&self.mode, self.page) {
            (Mode::Help, _) => {
                match stroke {
                    Stroke::Down | Stroke::ScrollDown => self.scroll_body(3),
                    Stroke::Up | Stroke::ScrollUp => self.scroll_body(-3),
                    _ => self.choose_again(),
                }
                None
            }
            (Mode::Discarding, _) => {
                self.choose_again();
                (stroke == Stroke::Letter('y')).then(|| Effect::Resolve(cancelled()))
            }
            (_, Page::Question(i)) => self.question_key(i, stroke),
            (_, Page::Review { focus }) => self.review_key(focus, stroke),
        }
    }

    /// Keys that mean the same on every page.
    fn common_key(&mut self, stroke: Stroke) -> Option<Effect> {
        let half = (self.scroll.page / 2).max(1).cast_signed();
        match stroke {
            Stroke::Esc if self.has_text() => self.mode = Mode::Discarding,
            Stroke::Esc => return Some(Effect::Resolve(cancelled())),
            Stroke::NextPage => self.turn(1),
            Stroke::PreviousPage => self.turn(-1),
            Stroke::ScrollBodyUp => self.scroll_body(-half),
            Stroke::ScrollBodyDown => self.scroll_body(half),
            Stroke::ScrollUp => self.scroll_page(-half),
            Stroke::ScrollDown => self.scroll_page(half),
            Stroke::Letter('?') => {
                self.mode = Mode::Help;
                self.scroll.body = Some(0);
            }
            Stroke::Letter('d') => self.write(Purpose::Discuss),
            Stroke::Letter('x') => self.write(Purpose::Reason),
            _ => {}
        }
        None
    }

    fn question_key(&mut self, i: usize, stroke: Stroke) -> Option<Effect> {
        let (question, draft) = self.question(i)?;
        let (select, focus, other) = (question.select(), draft.focus, draft.other_row());
        match stroke {
            Stroke::Up => self.focus(i, focus.saturating_sub(1)),
            Stroke::Down => self.focus(i, focus + 1),
            Stroke::First => self.focus(i, 0),
            Stroke::Last => self.focus(i, other),
            Stroke::Enter => return self.enter(i, focus, select),
            Stroke::Space => self.space(i, focus, select),
            Stroke::Digit(row) => return self.digit(i, row, select),
            Stroke::Letter('n') => self.write(Purpose::Note { question: i }),
            _ => return self.common_key(stroke),
        }
        None
    }

    fn enter(&mut self, i: usize, row: usize, select: Select) -> Option<Effect> {
        if !self.sees_row(row) {
            self.focus(i, row);
            return None;
        }
        let draft = self.drafts.get_mut(i)?;
        if row == draft.other_row() {
            self.write(Purpose::Words);
            return None;
        }
        match select {
            Select::Single => draft.pick(row),
            Select::Multi if draft.has_choice() => draft.left_open = false,
            Select::Multi => {
                self.refuse("Nothing is ticked: tick with Space, or press Esc to cancel.");
                return None;
            }
        }
        self.edited();
        self.advance(i)
    }

    fn space(&mut self, i: usize, row: usize, select: Select) {
        if !self.sees_row(row) {
            return self.focus(i, row);
        }
        self.edited();
        let Some(draft) = self.drafts.get_mut(i) else { return };
        let on_other = row == draft.other_row();
        let has_words = !draft.words.trim().is_empty();
        match select {
            Select::Multi if on_other && draft.words_chosen => draft.words_chosen = false,
            _ if on_other && has_words => draft.choose_words(select),
            _ if on_other => self.write(Purpose::Words),
            Select::Multi => draft.toggle(row),
            Select::Single => draft.pick(row),
        }
    }

    fn digit(&mut self, i: usize, row: usize, select: Select) -> Option<Effect> {
        let other = self.drafts.get(i)?.other_row();
        if row > other {
            return None;
        }
        if row == other || select == Select::Single {
            self.focus(i, row);
            return self.enter(i, row, select);
        }
        if !self.sees_row(row) {
            self.focus(i, row);
            return None;
        }
        self.edited();
        self.drafts.get_mut(i)?.toggle(row);
        None
    }

    /// Whether a row is on the screen. A key must not choose what the person has not seen; it
    /// brings the row into view instead.
    fn sees_row(&mut self, row: usize) -> bool {
        let seen = self.rows_seen.contains(&row);
        if !seen {
            self.notice = Some(Notice::Hint("That was out of view; press again.".into()));
        }
        seen
    }

    fn review_key(&mut self, focus: usize, stroke: Stroke) -> Option<Effect> {
        let send = self.drafts.len();
        match stroke {
            Stroke::Up => self.review_row(focus.saturating_sub(1)),
            Stroke::Down => self.review_row(focus + 1),
            Stroke::First => self.review_row(0),
            Stroke::Last => self.review_row(send),
            Stroke::Enter if !self.sees_row(focus) => self.review_row(focus),
            Stroke::Enter if focus == send => return self.send(),
            Stroke::Enter => self.turn_to(Page::Question(focus)),
            Stroke::Digit(i) if i < send => self.turn_to(Page::Question(i)),
            Stroke::Letter('l') if focus < send => {
                self.edited();
                if let Some(draft) = self.drafts.get_mut(focus) {
                    draft.left_open = !draft.left_open;
                }
            }
            Stroke::Letter('n') if focus < send => self.write(Purpose::Note { question: focus }),
            Stroke::Letter('l' | 'n') => self.hint("Go to the question first, with ↑."),
            _ => return self.common_key(stroke),
        }
        None
    }

    fn review_row(&mut self, row: usize) {
        self.page = Page::Review { focus: row.min(self.drafts.len()) };
        self.scroll.body = None;
    }

    fn field_key(&mut self, purpose: Purpose, key: KeyEvent) -> Option<Effect> {
        let half = (self.scroll.page / 2).max(1).cast_signed();
        let newline = key.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SHIFT);
        match key.code {
            KeyCode::Enter if !newline => return self.accept_field(purpose),
            KeyCode::Esc => self.set_field_aside(),
            KeyCode::Tab => {
                self.keep_field();
                self.turn(1);
            }
            KeyCode::BackTab => {
                self.keep_field();
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
        self.keep_field();
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

    fn paste(&mut self, text: &str) {
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

    /// Goes on after question `i` is answered.
    fn advance(&mut self, i: usize) -> Option<Effect> {
        if self.drafts.len() == 1 {
            return self.send();
        }
        self.flash_until = Some(self.now + FLASH);
        let done = self.reviewed && self.drafts.iter().all(Draft::is_settled);
        if done || i + 1 == self.drafts.len() {
            self.review();
        } else {
            self.turn_to(Page::Question(i + 1));
        }
        None
    }

    fn review(&mut self) {
        self.reviewed = true;
        // The first question that still needs an answer, else the row that sends.
        let focus = self.drafts.iter().position(|draft| !draft.is_settled());
        self.turn_to(Page::Review { focus: focus.unwrap_or(self.drafts.len()) });
    }

    /// Turns pages by hand: the questions in order, then the review.
    fn turn(&mut self, by: isize) {
        let last = self.drafts.len();
        if last == 1 {
            return;
        }
        let here = match self.page {
            Page::Question(i) => i,
            Page::Review { .. } => last,
        };
        match here.checked_add_signed(by) {
            Some(i) if i < last => self.turn_to(Page::Question(i)),
            Some(i) if i == last && here != last => self.review(),
            _ => {}
        }
    }

    /// Sends the whole set, or nothing and says why.
    fn send(&mut self) -> Option<Effect> {
        if let Some((i, why)) = self.first_unfit() {
            if self.drafts.len() > 1 {
                self.review_row(i);
            }
            self.refuse(&format!("Question {} {why}", i + 1));
            return None;
        }
        if self.drafts.iter().all(|draft| draft.left_open) {
            self.refuse("Every question is left open: answer one, or press Esc to decline.");
            return None;
        }
        match Draft::answers(&self.ask, &self.drafts) {
            Ok(answers) => Some(Effect::Resolve(Resolution::Answered(answers))),
            Err(violations) => {
                self.refuse(&violations.to_string().replace('\n', "; "));
                None
            }
        }
    }

    /// The first question that cannot be sent as it is, and why.
    fn first_unfit(&self) -> Option<(usize, String)> {
        self.drafts.iter().enumerate().find_map(|(i, draft)| {
            if !draft.is_settled() {
                return Some((
                    i,
                    "has no answer yet: Enter to answer it, l to leave it open.".into(),
                ));
            }
            let error = draft.unfit_text()?;
            Some((i, format!("is not accepted: {error}, {} needed.", error.allowed())))
        })
    }

    fn refuse(&mut self, why: &str) {
        self.notice = Some(Notice::Refused(why.to_owned()));
    }

    fn hint(&mut self, text: &str) {
        self.notice = Some(Notice::Hint(text.to_owned()));
    }

    /// Closes a field without making its text part of the answer; it comes back with the field.
    fn set_field_aside(&mut self) {
        if let Some(typed) = self.close_field(false)
            && !typed.trim().is_empty()
        {
            self.hint("What you typed is kept, but not part of the answer.");
        }
    }

    /// Closes a field and keeps its text as part of the answer.
    fn keep_field(&mut self) {
        self.close_field(true);
    }

    fn focus(&mut self, i: usize, row: usize) {
        if let Some(draft) = self.drafts.get_mut(i) {
            draft.focus = row.min(draft.other_row());
        }
        self.scroll.body = None;
        self.scroll.preview = 0;
    }

    fn choose_again(&mut self) {
        self.mode = Mode::Choosing;
        self.scroll.body = None;
    }

    fn scroll_page(&mut self, by: isize) {
        if self.scroll.preview_max > 0 {
            let to = self.scroll.preview.saturating_add_signed(by);
            self.scroll.preview = to.min(self.scroll.preview_max);
        } else {
            self.scroll_body(by);
        }
    }

    fn scroll_body(&mut self, by: isize) {
        let to = self.scroll.top.saturating_add_signed(by);
        self.scroll.body = Some(to.min(self.scroll.body_max));
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
