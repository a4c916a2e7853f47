//! A text over everything else, until a key takes it away.

#![expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named means nothing here")]

use crossterm::event::{KeyCode, KeyEvent};

#[derive(Debug, Default)]
pub(super) struct Overlay {
    pub(super) title: String,
    pub(super) text: String,
    /// The first line in view, the furthest it can be, and how many lines are in view, as last drawn.
    pub(super) top: usize,
    pub(super) last_top: usize,
    pub(super) height: usize,
}

impl Overlay {
    pub(super) fn new(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self { title: title.into(), text: text.into(), ..Self::default() }
    }

    /// Scrolls. Returns whether the key takes it away instead.
    pub(super) fn closes(&mut self, key: KeyEvent) -> bool {
        let page = self.height.saturating_sub(1).max(1).cast_signed();
        let by = match key.code {
            KeyCode::Up | KeyCode::Char('k') => -1,
            KeyCode::Down | KeyCode::Char('j') => 1,
            KeyCode::PageUp => -page,
            KeyCode::PageDown | KeyCode::Char(' ') => page,
            KeyCode::Home => isize::MIN,
            KeyCode::End => isize::MAX,
            _ => return true,
        };
        self.top = self.top.saturating_add_signed(by).min(self.last_top);
        self.last_top == 0
    }
}
