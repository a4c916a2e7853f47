//! Something that was said, on its way to the screen.

/// A paragraph that stays. Its text may be an agent's: it is made visible before it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatLine {
    /// What stands before it, such as `› `; lines that follow are set in as far.
    pub lead: String,
    /// The words.
    pub text: String,
    /// How it looks.
    pub ink: Ink,
    /// Whether its first line, cut to fit, is enough.
    pub brief: bool,
}

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// As text does.
    Plain,
    /// A person's words.
    Person,
    /// Beside the point.
    Muted,
    /// Something went wrong.
    Trouble,
}

impl ChatLine {
    /// A line that begins with `lead`.
    #[must_use]
    pub fn new(ink: Ink, lead: impl Into<String>, text: impl Into<String>) -> Self {
        Self { lead: lead.into(), text: text.into(), ink, brief: false }
    }

    /// An agent's words. They are set in: what begins at the margin is ours, such as `› ` before a
    /// person's words, and no agent's text can pass for it.
    #[must_use]
    pub fn agent(text: impl Into<String>) -> Self {
        Self::new(Ink::Plain, "  ", text)
    }

    /// A line that takes no more than one row.
    #[must_use]
    pub fn brief(ink: Ink, lead: impl Into<String>, text: impl Into<String>) -> Self {
        Self { brief: true, ..Self::new(ink, lead, text) }
    }

    /// A blank line.
    #[must_use]
    pub fn blank() -> Self {
        Self::new(Ink::Plain, "", "")
    }
}
