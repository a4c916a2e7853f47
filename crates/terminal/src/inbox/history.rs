//! Searching what was decided.

#![expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named means nothing here")]

use crossterm::event::{KeyCode, KeyEvent};

use super::entry::Past;
use crate::field::Field;

/// A search and what it found.
#[derive(Debug)]
pub(super) struct History {
    pub(super) field: Field,
    /// Keys go into the field.
    pub(super) typing: bool,
    /// What was looked for last.
    pub(super) sought: String,
    pub(super) finding: Finding,
    pub(super) past: Vec<Past>,
    pub(super) more: bool,
    pub(super) selected: usize,
    pub(super) top: usize,
    pub(super) height: usize,
}

/// How far a search has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    Searching,
    Done,
    /// There was nobody to look for it.
    Failed,
}

/// What a key comes to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Stay,
    Search(String),
    Show(Past),
    Browser,
    Help,
    Leave,
}

impl History {
    pub(super) fn new() -> Self {
        Self {
            field: Field::new(""),
            typing: true,
            sought: String::new(),
            finding: Finding::Searching,
            past: vec![],
            more: false,
            selected: 0,
            top: 0,
            height: 0,
        }
    }

    pub(super) fn found(&mut self, text: &str, past: Vec<Past>, more: bool) {
        if self.sought == text {
            (self.past, self.more, self.finding) = (past, more, Finding::Done);
            (self.selected, self.top) = (0, 0);
        }
    }

    pub(super) fn failed(&mut self, text: &str) {
        if self.sought == text {
            self.found(text, vec![], false);
            self.finding = Finding::Failed;
        }
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> Turn {
        let page = self.height.saturating_sub(1).max(1);
        let last = self.past.len().saturating_sub(1);
        match key.code {
            KeyCode::Esc => return Turn::Leave,
            KeyCode::Enter if self.typing => {
                self.typing = false;
                self.field.text().trim().clone_into(&mut self.sought);
                self.finding = Finding::Searching;
                return Turn::Search(self.sought.clone());
            }
            KeyCode::Down => {
                self.selected = if self.typing { self.selected } else { self.selected + 1 };
                self.typing = false;
            }
            KeyCode::Up => self.selected = self.selected.saturating_sub(1),
            KeyCode::PageDown => self.selected += page,
            KeyCode::PageUp => self.selected = self.selected.saturating_sub(page),
            _ if self.typing => drop(self.field.key(key)),
            KeyCode::Char('j') => self.selected += 1,
            KeyCode::Char('k') => self.selected = self.selected.saturating_sub(1),
            KeyCode::Home => self.selected = 0,
            KeyCode::End => self.selected = last,
            KeyCode::Char('/' | 'h') => self.typing = true,
            KeyCode::Char('o') => return Turn::Browser,
            KeyCode::Char('?') => return Turn::Help,
            KeyCode::Enter | KeyCode::Right => {
                return self.past.get(self.selected).cloned().map_or(Turn::Stay, Turn::Show);
            }
            KeyCode::Left | KeyCode::Char('q') => return Turn::Leave,
            _ => {}
        }
        self.selected = self.selected.min(last);
        Turn::Stay
    }

    /// Takes note of how many rows there are, and brings the selected one into view.
    pub(super) fn resize(&mut self, height: usize) {
        self.height = height;
        let lowest = self.selected.saturating_sub(height.saturating_sub(1));
        self.top = self.top.clamp(lowest, self.selected.max(lowest));
    }
}
