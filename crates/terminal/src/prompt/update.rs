//! What each key does.

#![expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named means nothing here")]

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use handraise_question::{Resolution, Select};

use super::stroke::Stroke;
use super::{Draft, Effect, Input, Mode, Notice, Page, Prompt, Purpose, cancelled};

/// How long the frame stays green when one page gives way to the next.
const FLASH: Duration = Duration::from_millis(150);

impl Prompt {
    /// Takes one input, `now` after the prompt appeared.
    pub fn update(&mut self, input: Input, now: Duration) -> Option<Effect> {
        self.now = now;
        if self.flash_until.is_some_and(|until| until <= now) {
            self.flash_until = None;
        }
        let effect = self.take(input);
        effect.or_else(|| self.resolution_of_silence().map(Effect::Resolve))
    }

    fn take(&mut self, input: Input) -> Option<Effect> {
        let is_enter = matches!(&input, Input::Key(key) if is_plain_enter(*key));
        if is_enter && self.enter.is_held(self.now) {
            return None;
        }
        if let Some(due) = self.enter.due(self.now, input == Input::Tick) {
            // Text right behind an Enter is the next line of a paste that came in pieces.
            let pasted = due.hurried && self.is_writing() && types_text(&input);
            let modifiers = if pasted { KeyModifiers::ALT } else { KeyModifiers::NONE };
            let page = self.page_number();
            let effect = self.press(KeyEvent::new(KeyCode::Enter, modifiers));
            if effect.is_some() || self.page_number() != page {
                // What came behind it was not meant for the page it led to.
                return effect;
            }
        }
        match input {
            Input::Key(key) if key.kind == KeyEventKind::Release => None,
            Input::Key(_) if is_enter => {
                self.enter.wait(self.now);
                None
            }
            Input::Key(key) => self.press(key),
            Input::Paste(text) => {
                self.notice = None;
                self.paste(&text);
                None
            }
            Input::Tick => None,
        }
    }

    fn press(&mut self, key: KeyEvent) -> Option<Effect> {
        self.notice = None;
        self.flash_until = None;
        self.key(key)
    }

    /// Something was ticked or typed: somebody is at work on the answer.
    pub(super) fn edited(&mut self) {
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
            Stroke::Esc if self.among_others => return Some(Effect::Back),
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
        if self.withholds(row) {
            self.show_unseen();
            return None;
        }
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
                let otherwise = self.without_answer();
                self.refuse(&format!("Nothing is ticked: tick with Space, or {otherwise}."));
                return None;
            }
        }
        self.edited();
        self.advance(i)
    }

    fn without_answer(&self) -> &'static str {
        if self.among_others { "press Esc to go back" } else { "press Esc to cancel" }
    }

    fn space(&mut self, i: usize, row: usize, select: Select) {
        if self.withholds(row) {
            return self.show_unseen();
        }
        if !self.sees_row(row) {
            return self.focus(i, row);
        }
        self.edited();
        let Some(draft) = self.drafts.get_mut(i) else { return };
        let on_other = row == draft.other_row();
        let has_words = !draft.words.is_blank();
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
        if self.withholds(row) {
            self.show_unseen();
            return None;
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

    /// Goes on after question `i` is answered.
    pub(super) fn advance(&mut self, i: usize) -> Option<Effect> {
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
    pub(super) fn turn(&mut self, by: isize) {
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
            let otherwise =
                if self.among_others { "decline with x" } else { "press Esc to decline" };
            self.refuse(&format!("Every question is left open: answer one, or {otherwise}."));
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

    pub(super) fn refuse(&mut self, why: &str) {
        self.notice = Some(Notice::Refused(why.to_owned()));
    }

    pub(super) fn hint(&mut self, text: &str) {
        self.notice = Some(Notice::Hint(text.to_owned()));
    }

    pub(super) fn focus(&mut self, i: usize, row: usize) {
        if let Some(draft) = self.drafts.get_mut(i) {
            draft.focus = row.min(draft.other_row());
        }
        self.scroll.body = None;
        self.scroll.preview = 0;
    }

    pub(super) fn choose_again(&mut self) {
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

    pub(super) fn scroll_body(&mut self, by: isize) {
        let to = self.scroll.top.saturating_add_signed(by);
        self.scroll.body = Some(to.min(self.scroll.body_max));
    }
}

/// Enter, with nothing else.
fn is_plain_enter(key: KeyEvent) -> bool {
    key.code == KeyCode::Enter && key.modifiers.is_empty() && key.kind != KeyEventKind::Release
}

fn types_text(input: &Input) -> bool {
    match input {
        Input::Key(key) => {
            matches!(key.code, KeyCode::Char(_)) && (key.modifiers - KeyModifiers::SHIFT).is_empty()
        }
        Input::Paste(_) => true,
        Input::Tick => false,
    }
}
