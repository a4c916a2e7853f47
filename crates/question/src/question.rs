//! One question of an ask.

use crate::{Fields, QuestionOption};

/// How many options a person may choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Select {
    /// One option, or own words instead.
    Single,
    /// Any number of options, own words, or both.
    Multi,
}

/// A question as the agent wrote it: text, chip, options.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    pub(crate) text: String,
    pub(crate) header: Option<String>,
    pub(crate) options: Vec<QuestionOption>,
    pub(crate) select: Select,
    pub(crate) unknown: Fields,
}

impl Question {
    /// The question byte for byte: Claude Code matches answers by it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The short name shown as a chip.
    #[must_use]
    pub fn header(&self) -> Option<&str> {
        self.header.as_deref().filter(|text| !text.trim().is_empty())
    }

    /// What to call the question where only a short name fits: its header, else its text.
    #[must_use]
    pub fn name(&self) -> &str {
        self.header().unwrap_or(&self.text)
    }

    /// Every option the agent sent, its own "Other" included.
    #[must_use]
    pub fn options(&self) -> &[QuestionOption] {
        &self.options
    }

    /// The options a person chooses from: all but the agent's own "Other", which stands for own
    /// words and is offered on every question anyway.
    pub fn choices(&self) -> impl Iterator<Item = &QuestionOption> {
        self.options.iter().filter(|option| !option.is_other())
    }

    /// The agent's own "Other", if it wrote one or more.
    pub fn agents_other(&self) -> impl Iterator<Item = &QuestionOption> {
        self.options.iter().filter(|option| option.is_other())
    }

    /// Whether there is nothing to choose from, so that only own words answer it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.choices().next().is_none()
    }

    /// Single or multi select.
    #[must_use]
    pub fn select(&self) -> Select {
        self.select
    }

    /// Fields this crate does not know, kept as they came.
    #[must_use]
    pub fn unknown(&self) -> &Fields {
        &self.unknown
    }

    /// The choosable option with exactly this label.
    #[must_use]
    pub fn choice(&self, label: &str) -> Option<&QuestionOption> {
        self.choices().find(|option| option.label() == label)
    }

    /// The label as summaries name it: without `(Recommended)`, unless another option would then
    /// read the same.
    #[must_use]
    pub fn spoken_label<'a>(&self, option: &'a QuestionOption) -> &'a str {
        let short = option.short_label();
        let taken =
            self.choices().filter(|other| other.label != option.label).any(|o| o.label == short);
        if taken { option.label() } else { short }
    }
}
