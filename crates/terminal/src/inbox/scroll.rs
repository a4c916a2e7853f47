//! Which part of a text is in view that may not fit.

#![expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named means nothing here")]

use crossterm::event::KeyCode;

#[derive(Debug, Default)]
pub(super) struct Scroll {
    /// The first line in view, the furthest it can be, and how many lines are in view, as last drawn.
    top: usize,
    last_top: usize,
    height: usize,
}

impl Scroll {
    /// Takes note of how many lines there are and of the room for them. Returns the first one in view.
    pub(super) fn fit(&mut self, lines: usize, height: usize) -> usize {
        self.height = height;
        self.last_top = lines.saturating_sub(height);
        self.top = self.top.min(self.last_top);
        self.top
    }

    /// How many lines are above and below those in view.
    pub(super) fn beyond(&self) -> (usize, usize) {
        (self.top, self.last_top - self.top)
    }

    /// Whether all of it is in view.
    pub(super) fn fits(&self) -> bool {
        self.last_top == 0
    }

    /// Returns whether this is a key that scrolls.
    pub(super) fn key(&mut self, code: KeyCode) -> bool {
        let page = self.height.saturating_sub(1).max(1).cast_signed();
        let by = match code {
            KeyCode::Up | KeyCode::Char('k') => -1,
            KeyCode::Down | KeyCode::Char('j') => 1,
            KeyCode::PageUp => -page,
            KeyCode::PageDown | KeyCode::Char(' ') => page,
            KeyCode::Home => isize::MIN,
            KeyCode::End => isize::MAX,
            _ => return false,
        };
        self.top = self.top.saturating_add_signed(by).min(self.last_top);
        true
    }
}
