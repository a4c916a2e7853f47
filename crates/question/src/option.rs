//! One thing a person can choose.

use crate::Fields;

/// An option of a question, as the agent wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionOption {
    pub(crate) label: String,
    pub(crate) description: Option<String>,
    pub(crate) preview: Option<String>,
    pub(crate) unknown: Fields,
}

const RECOMMENDED: &str = "(recommended)";

impl QuestionOption {
    /// The label byte for byte: what is sent back when this option is chosen.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// What the option means, if the agent said so.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref().filter(|text| !text.trim().is_empty())
    }

    /// What choosing it would look like: text, code or a drawing.
    #[must_use]
    pub fn preview(&self) -> Option<&str> {
        self.preview.as_deref().filter(|text| !text.trim().is_empty())
    }

    /// Fields this crate does not know, kept as they came.
    #[must_use]
    pub fn unknown(&self) -> &Fields {
        &self.unknown
    }

    /// Whether the agent recommends it, by a label that ends in `(Recommended)`.
    #[must_use]
    pub fn is_recommended(&self) -> bool {
        self.without_recommended().is_some()
    }

    /// The label without a final `(Recommended)`, which is shown apart.
    #[must_use]
    pub fn short_label(&self) -> &str {
        self.without_recommended().unwrap_or(&self.label)
    }

    /// Whether this is the agent's own "Other": surfaces always offer one, so it is not doubled.
    #[must_use]
    pub fn is_other(&self) -> bool {
        let label = self.label.trim().trim_end_matches(['.', '…', ':']).trim_end();
        // "Other (please specify)" asks for words; "Other (MySQL)" is an option like any.
        let bare = label.split_once('(').filter(|(_, rest)| {
            let rest = rest.to_ascii_lowercase();
            ["specify", "recommended", "type", "describe"].iter().any(|word| rest.contains(word))
        });
        bare.map_or(label, |(head, _)| head.trim_end()).eq_ignore_ascii_case("other")
    }

    fn without_recommended(&self) -> Option<&str> {
        let trimmed = self.label.trim_end();
        let cut = trimmed.len().checked_sub(RECOMMENDED.len())?;
        let (head, tail) = trimmed.split_at_checked(cut)?;
        let head = head.trim_end();
        (tail.eq_ignore_ascii_case(RECOMMENDED) && !head.is_empty()).then_some(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(label: &str) -> QuestionOption {
        QuestionOption {
            label: label.into(),
            description: None,
            preview: None,
            unknown: Fields::default(),
        }
    }

    #[test]
    fn recommended_is_recognised_at_the_end_of_a_label_only() {
        assert_eq!(option("PostgreSQL (Recommended)").short_label(), "PostgreSQL");
        assert_eq!(option("PostgreSQL(recommended) ").short_label(), "PostgreSQL");
        assert!(!option("(Recommended) PostgreSQL").is_recommended());
        assert_eq!(option("(Recommended)").short_label(), "(Recommended)");
        assert_eq!(option("日本 (Recommended)").short_label(), "日本");
        assert!(!option("é").is_recommended());
    }

    #[test]
    fn the_agents_own_other_is_recognised_however_it_is_spelled() {
        for label in [
            "Other",
            "other",
            " OTHER ",
            "Other…",
            "Other...",
            "Other:",
            "Other (Recommended)",
            "Other (please specify)",
        ] {
            assert!(option(label).is_other(), "{label}");
        }
        for label in ["Others", "Another", "Other database", "Other (MySQL)"] {
            assert!(!option(label).is_other(), "{label}");
        }
    }
}
