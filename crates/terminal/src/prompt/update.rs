//! What each key does.

#![expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named means nothing here")]

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use handraise_question::{OwnWords, OwnWordsError, Question, Resolution, Select};

use super::{Effect, Input, Mode, Notice, Page, Prompt, Purpose, cancelled};

/// How long a confirmed question's frame stays green.
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
            Input::Key(key) => {
                self.notice = None;
                self.flash_until = None;
                self.edited();
                self.key(key)
            }
            Input::Paste(text) => {
                self.notice = None;
                self.edited();
                self.paste(&text);
                None
            }
            Input::Tick => None,
        };
        effect.or_else(|| self.resolution_of_silence().map(Effect::Resolve))
    }

    fn edited(&mut self) {
        let now = self.now;
        if let Some(deadline) = &mut self.deadline {
            deadline.edited(now);
        }
    }

    fn key(&mut self, key: KeyEvent) -> Option<Effect> {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('c') => return Some(Effect::Interrupt),
                KeyCode::Char('z') => return Some(Effect::Suspend),
                KeyCode::Char('l') => return Some(Effect::Redraw),
                _ => {}
            }
        }
        match (&self.mode, self.page) {
            (Mode::Help, _) => {
                match key.code {
                    KeyCode::Down | KeyCode::PageDown | KeyCode::Char('j') => self.scroll_body(3),
                    KeyCode::Up | KeyCode::PageUp | KeyCode::Char('k') => self.scroll_body(-3),
                    _ => self.turn_to_choosing(),
                }
                None
            }
            (Mode::Discarding, _) => {
                self.mode = Mode::Choosing;
                let discard = matches!(key.code, KeyCode::Esc | KeyCode::Char('y'));
                discard.then(|| Effect::Resolve(cancelled()))
            }
            (Mode::Writing { purpose, .. }, _) => self.field_key(*purpose, key),
            (Mode::Choosing, Page::Question(i)) => self.question_key(i, key),
            (Mode::Choosing, Page::Review { focus }) => self.review_key(focus, key),
        }
    }

    /// Keys that mean the same on every page.
    fn common_key(&mut self, key: KeyEvent) -> Option<Effect> {
        let half = (self.scroll.page / 2).max(1);
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc if self.has_text() => self.mode = Mode::Discarding,
            KeyCode::Esc => return Some(Effect::Resolve(cancelled())),
            KeyCode::Tab | KeyCode::Right => self.turn(1),
            KeyCode::BackTab | KeyCode::Left => self.turn(-1),
            KeyCode::Char('u') if ctrl => self.scroll_body(-half.cast_signed()),
            KeyCode::Char('d') if ctrl => self.scroll_body(half.cast_signed()),
            KeyCode::PageUp => self.scroll_page(-half.cast_signed()),
            KeyCode::PageDown => self.scroll_page(half.cast_signed()),
            KeyCode::Char('?') => {
                self.mode = Mode::Help;
                self.scroll.body = Some(0);
            }
            KeyCode::Char('d') => self.write(Purpose::Discuss),
            KeyCode::Char('x') => self.write(Purpose::Reason),
            _ => {}
        }
        None
    }

    fn question_key(&mut self, i: usize, key: KeyEvent) -> Option<Effect> {
        let (question, draft) = self.question(i)?;
        let (select, focus, other) = (question.select(), draft.focus, draft.other_row());
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Up | KeyCode::Char('k') if !ctrl => self.focus(i, focus.checked_sub(1)),
            KeyCode::Char('p') if ctrl => self.focus(i, focus.checked_sub(1)),
            KeyCode::Down => self.focus(i, Some(focus + 1)),
            KeyCode::Char('j') if !ctrl => self.focus(i, Some(focus + 1)),
            KeyCode::Char('n') if ctrl => self.focus(i, Some(focus + 1)),
            KeyCode::Home => self.focus(i, Some(0)),
            KeyCode::End => self.focus(i, Some(other)),
            KeyCode::Enter | KeyCode::Char('j') => return self.enter(i, focus, select),
            KeyCode::Char(' ') => self.space(i, focus, select),
            KeyCode::Char(digit @ '1'..='9') if !ctrl => {
                return self.digit(i, digit as usize - '1' as usize, select);
            }
            KeyCode::Char('n') => self.write(Purpose::Note { question: i }),
            _ => return self.common_key(key),
        }
        None
    }

    fn enter(&mut self, i: usize, row: usize, select: Select) -> Option<Effect> {
        if !self.show_row(i, row) {
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
        self.advance(i)
    }

    fn space(&mut self, i: usize, row: usize, select: Select) {
        if !self.show_row(i, row) {
            return;
        }
        let Some(draft) = self.drafts.get_mut(i) else { return };
        let on_other = row == draft.other_row();
        match select {
            Select::Multi if on_other && draft.words_chosen => draft.words_chosen = false,
            Select::Multi | Select::Single if on_other && !draft.words.trim().is_empty() => {
                draft.choose_words(select);
            }
            _ if on_other => self.write(Purpose::Words),
            Select::Multi => draft.toggle(row),
            Select::Single => draft.pick(row),
        }
    }

    fn digit(&mut self, i: usize, row: usize, select: Select) -> Option<Effect> {
        let other = self.drafts.get(i)?.other_row();
        if row > other || !self.show_row(i, row) {
            return None;
        }
        if row == other || select == Select::Single {
            self.focus(i, Some(row));
            return self.enter(i, row, select);
        }
        self.drafts.get_mut(i)?.toggle(row);
        None
    }

    /// Brings a row into view. Returns whether it was in view already: a key must not choose
    /// what the person has not seen.
    fn show_row(&mut self, i: usize, row: usize) -> bool {
        if self.rows_seen.contains(&row) {
            return true;
        }
        self.focus(i, Some(row));
        self.rows_seen = 0..usize::MAX;
        self.notice = Some(Notice::Hint("This row was out of view; press the key again.".into()));
        false
    }

    fn review_key(&mut self, focus: usize, key: KeyEvent) -> Option<Effect> {
        let send = self.drafts.len();
        let at = |focus: usize| Page::Review { focus: focus.min(send) };
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Up | KeyCode::Char('k') if !ctrl => self.page = at(focus.saturating_sub(1)),
            KeyCode::Down => self.page = at(focus + 1),
            KeyCode::Char('j') if !ctrl => self.page = at(focus + 1),
            KeyCode::Home => self.page = at(0),
            KeyCode::End => self.page = at(send),
            KeyCode::Enter | KeyCode::Char('j') if focus == send => return self.send(),
            KeyCode::Enter | KeyCode::Char('j') => self.turn_to(Page::Question(focus)),
            KeyCode::Char(digit @ '1'..='9') if !ctrl => {
                let i = digit as usize - '1' as usize;
                if i < send {
                    self.turn_to(Page::Question(i));
                }
            }
            KeyCode::Char('l') if focus < send => {
                if let Some(draft) = self.drafts.get_mut(focus) {
                    draft.left_open = !draft.left_open;
                }
            }
            KeyCode::Char('n') if focus < send => self.write(Purpose::Note { question: focus }),
            KeyCode::Char('l' | 'n') => {
                self.notice = Some(Notice::Hint("Go to the question first, with ↑.".into()));
            }
            _ => return self.common_key(key),
        }
        self.scroll.body = None;
        None
    }

    fn field_key(&mut self, purpose: Purpose, key: KeyEvent) -> Option<Effect> {
        let newline = key.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SHIFT);
        match key.code {
            KeyCode::Enter if !newline => return self.accept_field(purpose),
            KeyCode::Esc => self.leave_field(),
            KeyCode::Tab => {
                self.leave_field();
                self.turn(1);
            }
            KeyCode::BackTab => {
                self.leave_field();
                self.turn(-1);
            }
            _ => {
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
            Err(_) if optional && field.text().trim().is_empty() => None,
            Err(error) => {
                self.refuse(&refusal(&error));
                return None;
            }
        };
        self.leave_field();
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
        if let (Mode::Choosing, Page::Question(i)) = (&self.mode, self.page) {
            // Pasted text is an answer in the person's own words; as keys it would choose options.
            let other = self.drafts.get(i).map(super::Draft::other_row);
            self.focus(i, other);
            self.write(Purpose::Words);
        }
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
        let done = self.reviewed && self.drafts.iter().all(super::Draft::is_settled);
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
        if let Some(i) = self.drafts.iter().position(|draft| !draft.is_settled()) {
            self.page = Page::Review { focus: i };
            self.refuse(&format!(
                "Question {} has no answer yet: Enter to answer it, l to leave it open.",
                i + 1
            ));
            return None;
        }
        if self.drafts.iter().all(|draft| draft.left_open) {
            self.refuse("Every question is left open: answer one, or press Esc to decline.");
            return None;
        }
        let forms = self.ask.questions().iter().zip(&self.drafts).map(|(q, d)| d.form(q)).collect();
        match self.ask.check(forms) {
            Ok(answers) => Some(Effect::Resolve(Resolution::Answered(answers))),
            Err(violations) => {
                self.refuse(&violations.to_string().replace('\n', "; "));
                None
            }
        }
    }

    fn refuse(&mut self, why: &str) {
        self.notice = Some(Notice::Refused(why.to_owned()));
    }

    fn focus(&mut self, i: usize, row: Option<usize>) {
        if let (Some(draft), Some(row)) = (self.drafts.get_mut(i), row) {
            draft.focus = row.min(draft.other_row());
        }
        self.scroll.body = None;
        self.scroll.preview = 0;
    }

    fn turn_to_choosing(&mut self) {
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
        error => format!("Not accepted: {error}, {} needed.", error.allowed()),
    }
}
