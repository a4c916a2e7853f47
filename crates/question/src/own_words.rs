//! What a person typed instead of, or beside, choosing.

use crate::Violation;
use crate::characters::{count, thousands};

/// Text a person typed: not blank, bounded, and free of control characters other than newline
/// and tab, so that no terminal or pane can be steered by it. It is never evaluated.
///
/// Agent text is different: it is kept byte for byte, and cleaned only when drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnWords(String);

/// Why typed text was refused. Every variant can be mended by the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OwnWordsError {
    /// Nothing but white space.
    #[error("nothing but spaces")]
    Blank,
    /// Longer than [`OwnWords::MAX_CHARACTERS`].
    #[error("{} characters", thousands(*.0))]
    TooLong(usize),
    /// Few characters, but each made of so many parts that the whole is over
    /// [`OwnWords::MAX_BYTES`].
    #[error("{} bytes", thousands(*.0))]
    TooLarge(usize),
    /// A control character or the start of an escape sequence.
    #[error("control character U+{:04X}", u32::from(*.0))]
    ControlCharacter(char),
}

impl OwnWordsError {
    /// What would have been accepted, as a person reads it.
    #[must_use]
    pub fn allowed(&self) -> String {
        match self {
            Self::Blank => "text".into(),
            Self::TooLong(_) => {
                format!("{} or fewer", thousands(OwnWords::MAX_CHARACTERS))
            }
            Self::TooLarge(_) => format!("{} or fewer", thousands(OwnWords::MAX_BYTES)),
            Self::ControlCharacter(_) => "text without control characters".into(),
        }
    }
}

impl OwnWords {
    /// The most characters, as people count them.
    pub const MAX_CHARACTERS: usize = 10_000;
    /// The most bytes: a character made of endless combining marks is still one character.
    pub const MAX_BYTES: usize = 256 * 1024;

    /// Reads typed text that came in as the field `path`.
    ///
    /// # Errors
    ///
    /// What is wrong with it, at that path.
    pub fn read(path: impl Into<String>, raw: String) -> Result<Self, Violation> {
        Self::try_from(raw)
            .map_err(|error| Violation::new(path, error.to_string(), error.allowed()))
    }

    /// The text as typed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text as typed, by value.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl TryFrom<String> for OwnWords {
    type Error = OwnWordsError;

    fn try_from(raw: String) -> Result<Self, OwnWordsError> {
        if raw.trim().is_empty() {
            return Err(OwnWordsError::Blank);
        }
        if raw.len() > Self::MAX_BYTES {
            return Err(OwnWordsError::TooLarge(raw.len()));
        }
        let characters = count(&raw);
        if characters > Self::MAX_CHARACTERS {
            return Err(OwnWordsError::TooLong(characters));
        }
        match raw.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
            Some(c) => Err(OwnWordsError::ControlCharacter(c)),
            None => Ok(Self(raw)),
        }
    }
}

impl TryFrom<&str> for OwnWords {
    type Error = OwnWordsError;

    fn try_from(raw: &str) -> Result<Self, OwnWordsError> {
        raw.to_owned().try_into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newlines_tabs_quotes_and_emoji_are_kept() {
        let text = "two lines,\n\t\"quoted\" 👨‍👩‍👧 שלום";
        assert_eq!(OwnWords::try_from(text).unwrap().as_str(), text);
    }

    #[test]
    fn escape_sequences_are_refused_and_named() {
        assert_eq!(
            OwnWords::try_from("\x1b]0;pwned\x07"),
            Err(OwnWordsError::ControlCharacter('\x1b'))
        );
        assert_eq!(OwnWords::try_from("a\u{9b}b"), Err(OwnWordsError::ControlCharacter('\u{9b}')));
    }

    #[test]
    fn length_is_counted_in_characters_people_see() {
        assert!(OwnWords::try_from("👨‍👩‍👧".repeat(10_000)).is_ok());
        assert_eq!(OwnWords::try_from("x".repeat(10_001)), Err(OwnWordsError::TooLong(10_001)));
        let zalgo = format!("z{}", "\u{301}".repeat(200_000));
        assert_eq!(OwnWords::try_from(zalgo), Err(OwnWordsError::TooLarge(400_001)));
    }

    #[test]
    fn blank_is_not_an_answer() {
        assert_eq!(OwnWords::try_from(" \n\t "), Err(OwnWordsError::Blank));
    }
}
