//! A text over everything else, until a key takes it away.

use crossterm::event::KeyEvent;

use super::scroll::Scroll;

#[derive(Debug, Default)]
pub(super) struct Overlay {
    pub(super) title: String,
    pub(super) passages: Vec<Passage>,
    pub(super) scroll: Scroll,
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Passage {
    /// Something to be read.
    Words(String),
    /// What something short means: beside it, in lines of its own.
    Meaning {
        /// Of what.
        of: String,
        /// Which it is.
        is: String,
    },
    /// Something to be opened elsewhere: nothing stands beside it, and no line break in it, so that it can be
    /// copied and clicked whole.
    Address(String),
}

impl Overlay {
    pub(super) fn new(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self::of(title.into(), vec![Passage::Words(text.into())])
    }

    pub(super) fn of(title: String, passages: Vec<Passage>) -> Self {
        Self { title, passages, scroll: Scroll::default() }
    }

    /// Scrolls. Returns whether the key takes it away instead.
    pub(super) fn closes(&mut self, key: KeyEvent) -> bool {
        !self.scroll.key(key.code) || self.scroll.fits()
    }
}
