//! How much an ask may hold, as data: the same reader serves every set.

use crate::characters::thousands;

/// How many of something there may be, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Fewest.
    pub min: usize,
    /// Most.
    pub max: usize,
}

impl Count {
    /// Tells whether `n` is within the bounds.
    #[must_use]
    pub fn allows(self, n: usize) -> bool {
        (self.min..=self.max).contains(&n)
    }

    /// The bounds as a person reads them: `2–4`.
    #[must_use]
    pub fn describe(self) -> String {
        if self.max == usize::MAX {
            format!("{} or more", thousands(self.min))
        } else {
            format!("{}–{}", thousands(self.min), thousands(self.max))
        }
    }
}

/// What a text field may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Whether leaving the field out is an error.
    pub required: bool,
    /// Its length in characters as people see them.
    pub characters: Count,
}

/// One set of limits on what an agent may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Questions in one ask.
    pub questions: Count,
    /// Options of one question; 0 makes an open question.
    pub options: Count,
    /// A question's text.
    pub question: Field,
    /// The chip above a question.
    pub header: Field,
    /// An option's label.
    pub label: Field,
    /// An option's description.
    pub description: Field,
    /// An option's preview.
    pub preview: Field,
    /// Whether `multiSelect` must be written out; otherwise it is false when absent.
    pub multi_select_required: bool,
}

const fn required(min: usize, max: usize) -> Field {
    Field { required: true, characters: Count { min, max } }
}

const fn optional(min: usize, max: usize) -> Field {
    Field { required: false, characters: Count { min, max } }
}

/// A whole document is refused above this size, before it is parsed.
pub(crate) const MAX_BYTES: usize = 1024 * 1024;

impl Limits {
    /// The largest document that is read at all, in bytes.
    pub const MAX_BYTES: usize = MAX_BYTES;

    /// The longest `metadata` a hub keeps, in bytes. Every list of asks carries it.
    pub const MAX_METADATA_BYTES: usize = 16 * 1024;

    /// What the `AskUserQuestion` tool's own description asks of a model.
    pub const STRICT: Self = Self {
        questions: Count { min: 1, max: 4 },
        options: Count { min: 2, max: 4 },
        question: required(1, 10_000),
        header: required(1, 12),
        label: required(1, 50),
        description: required(1, 200),
        preview: optional(0, 100_000),
        multi_select_required: true,
    };

    /// What real Claude Code lets through: the counts are enforced, the lengths are only advice
    /// to the model, and a missing `multiSelect` means false.
    pub const CLAUDE_CODE: Self = Self {
        questions: Count { min: 1, max: 4 },
        options: Count { min: 2, max: 4 },
        question: required(1, usize::MAX),
        header: required(0, usize::MAX),
        label: required(1, usize::MAX),
        description: required(0, usize::MAX),
        preview: optional(0, usize::MAX),
        multi_select_required: false,
    };

    /// For askers with more to ask: many questions, many options, or none at all.
    pub const WIDE: Self = Self {
        questions: Count { min: 1, max: 20 },
        options: Count { min: 0, max: 50 },
        question: required(1, 10_000),
        header: optional(0, 100),
        label: required(1, 500),
        description: optional(0, 5_000),
        preview: optional(0, 100_000),
        multi_select_required: false,
    };
}
