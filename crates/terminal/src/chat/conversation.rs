//! What stands below a chat, and what keys do to it. No I/O, no clock.

#![expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named is typed")]

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use handraise_question::OwnWordsError;

use super::{ChatOrder, Status};
use crate::field::Field;
use crate::prompt::Input;

/// Ctrl-C twice within this time leaves.
const TWICE: Duration = Duration::from_secs(2);

/// What a person types, and what is shown around it. It outlives the chats of a desk, so that no
/// typed word is lost between them.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub(super) field: Field,
    /// The unfinished end of what the agent is saying.
    pub(super) growing: Option<String>,
    /// What was said and not heard yet.
    pub(super) waiting: Vec<String>,
    pub(super) status: Status,
    /// Something to tell the person, until the next key or change of status.
    pub(super) notice: Option<String>,
    /// Something else is to take the place of the chat as soon as the person rests.
    pub(super) closing: bool,
    ctrl_c: Option<Instant>,
}

/// What a key asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Send(String),
    Interrupt,
    Leave,
    Suspend,
    Redraw,
}

impl Default for Conversation {
    fn default() -> Self {
        Self {
            field: Field::new(""),
            growing: None,
            waiting: vec![],
            status: Status::default(),
            notice: None,
            closing: false,
            ctrl_c: None,
        }
    }
}

impl Conversation {
    /// Takes one input.
    pub(crate) fn update(&mut self, input: Input, now: Instant) -> Option<Effect> {
        match input {
            Input::Tick => None,
            Input::Paste(text) => {
                self.notice = None;
                if let Err(error) = self.field.paste(&text) {
                    self.notice = Some(refusal(&error));
                }
                None
            }
            Input::Key(key) if key.kind == KeyEventKind::Release => None,
            Input::Key(key) => {
                self.notice = None;
                self.key(key, now)
            }
        }
    }

    /// Takes over what is to be shown, unless it is to be printed.
    pub(crate) fn show(&mut self, order: ChatOrder) {
        match order {
            ChatOrder::Growing(text) => self.growing = text,
            ChatOrder::Waiting(texts) => self.waiting = texts,
            ChatOrder::Status(status) => {
                if self.status != status {
                    self.notice = None;
                }
                self.status = status;
            }
            ChatOrder::Close => self.closing = true,
            ChatOrder::Print(_) => {}
        }
    }

    /// The chat is there again.
    pub(crate) fn begin(&mut self) {
        self.closing = false;
        self.notice = None;
    }

    /// Says something to the person.
    fn tell(&mut self, notice: &str) {
        self.notice = Some(notice.to_owned());
    }

    /// What was typed and not sent.
    pub(crate) fn typed(&self) -> String {
        self.field.text()
    }

    /// Takes what was typed and not sent.
    pub(crate) fn take_typed(&mut self) -> String {
        std::mem::replace(&mut self.field, Field::new("")).text()
    }

    /// Keeps what was typed for the next chat.
    pub(crate) fn keep_typed(&mut self, text: &str) {
        self.field = Field::new(text);
    }

    /// Those of `texts` that begin to wait.
    pub(crate) fn not_yet_waiting<'t>(&self, texts: &'t [String]) -> Vec<&'t str> {
        let known = |text: &&String| self.waiting.contains(text);
        texts.iter().filter(|text| !known(text)).map(String::as_str).collect()
    }

    pub(crate) fn status(&self) -> Status {
        self.status
    }

    fn key(&mut self, key: KeyEvent, now: Instant) -> Option<Effect> {
        let ctrl = key.modifiers == KeyModifiers::CONTROL;
        let newline = key.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SHIFT);
        match key.code {
            KeyCode::Char('c') if ctrl => return self.ctrl_c(now),
            KeyCode::Char('z') if ctrl => return Some(Effect::Suspend),
            KeyCode::Char('l') if ctrl => return Some(Effect::Redraw),
            KeyCode::Char('d') if ctrl && self.typed().is_empty() => return Some(Effect::Leave),
            KeyCode::Esc if self.can_interrupt() => {
                self.tell("interrupting");
                return Some(Effect::Interrupt);
            }
            KeyCode::Enter if !newline => return self.enter(),
            _ => self.field.key(key),
        };
        None
    }

    /// Once stops the agent, if there is anything to stop; twice leaves.
    pub(crate) fn ctrl_c(&mut self, now: Instant) -> Option<Effect> {
        let before = self.ctrl_c.replace(now);
        if before.is_some_and(|before| now.saturating_duration_since(before) < TWICE) {
            return Some(Effect::Leave);
        }
        if self.can_interrupt() {
            self.tell("interrupting · Ctrl-C again leaves");
            return Some(Effect::Interrupt);
        }
        self.tell("Ctrl-C again leaves");
        None
    }

    fn can_interrupt(&self) -> bool {
        matches!(self.status, Status::Working | Status::Asking | Status::SetAside)
    }

    fn enter(&mut self) -> Option<Effect> {
        match read(&self.typed()) {
            Read::Nothing => None,
            Read::GoesOn(text) => {
                self.field = Field::new(&text);
                None
            }
            Read::Leave => {
                self.field = Field::new("");
                Some(Effect::Leave)
            }
            Read::Words(text) => {
                self.field = Field::new("");
                Some(Effect::Send(text))
            }
        }
    }
}

/// What typed text means at its Enter.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Read {
    Nothing,
    /// It ended in a backslash: this, and more to come.
    GoesOn(String),
    Leave,
    Words(String),
}

/// Understands what was typed. A text goes on in the next line after a `\` at its end, and ends in a
/// `\` if there are two.
pub(crate) fn read(text: &str) -> Read {
    if text.trim().is_empty() {
        return Read::Nothing;
    }
    if text.trim() == "/quit" {
        return Read::Leave;
    }
    match text.strip_suffix('\\') {
        Some(head) if head.ends_with('\\') => Read::Words(head.to_owned()),
        Some(head) => Read::GoesOn(format!("{head}\n")),
        None => Read::Words(text.to_owned()),
    }
}

fn refusal(error: &OwnWordsError) -> String {
    format!("not pasted: {error}, {} needed", error.allowed())
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
