//! Text a person typed for one purpose: what counts, and what was set aside.

/// Only Enter makes text count. Text set aside comes back with its field and is never lost, but
/// never sent either.
#[derive(Debug, Clone, Default)]
pub(crate) struct Typed {
    counts: String,
    aside: String,
}

impl Typed {
    /// The text that counts.
    pub(crate) fn text(&self) -> &str {
        &self.counts
    }

    /// The text its field opens with, and a list shows: what was set aside, else what counts.
    pub(crate) fn to_edit(&self) -> &str {
        if self.aside.trim().is_empty() { &self.counts } else { &self.aside }
    }

    /// Makes `text` count.
    pub(crate) fn accept(&mut self, text: String) {
        self.counts = text;
        self.aside.clear();
    }

    /// Makes what was set aside count.
    pub(crate) fn accept_aside(&mut self) {
        if !self.aside.trim().is_empty() {
            self.counts = std::mem::take(&mut self.aside);
        }
    }

    /// Keeps `text` for later. Returns whether there is something new in it.
    pub(crate) fn set_aside(&mut self, text: String) -> bool {
        let news = text != self.counts && !text.trim().is_empty();
        self.aside = if news { text } else { String::new() };
        news
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.counts.trim().is_empty() && self.aside.trim().is_empty()
    }
}
