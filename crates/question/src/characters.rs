//! Counting text the way a person would.

use unicode_segmentation::UnicodeSegmentation;

/// Counts characters as people see them: grapheme clusters, so that `é` and `👨‍👩‍👧` are one each.
#[must_use]
pub fn count(text: &str) -> usize {
    if text.is_ascii() {
        // There, only a line end can be two bytes that are one character.
        return text.len() - text.matches("\r\n").count();
    }
    text.graphemes(true).count()
}

/// Writes `1 option`, `2 options`.
pub(crate) fn plural(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{} {one}s", thousands(n)) }
}

/// Writes `10,000` for 10000: long numbers are read by people here, not by programs.
pub(crate) fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_and_an_accent_are_one_character_each() {
        assert_eq!(count("👨‍👩‍👧"), 1);
        assert_eq!(count("e\u{301}"), 1);
        assert_eq!(count("日本"), 2);
    }

    #[test]
    fn plain_text_is_counted_like_any_other() {
        for text in ["", "a", "a\r\nb", "\r\r\n\n\r", "\t\0\u{7f}\u{1b}[0m", "which database?"] {
            assert_eq!(count(text), text.graphemes(true).count(), "{text:?}");
        }
    }

    #[test]
    fn long_numbers_are_grouped() {
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(5_242_880), "5,242,880");
    }
}
