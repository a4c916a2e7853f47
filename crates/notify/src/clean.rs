//! Text of agents, made fit for places that are not ours: one line, bounded, and nothing in it that
//! steers, reorders or hides.

use handraise_question::{count_characters, mark_hidden};
use unicode_segmentation::UnicodeSegmentation;

/// Returns `text` as one line of at most `most` characters, with a mark where it was cut and for
/// every character that hides.
#[must_use]
pub(crate) fn line(text: &str, most: usize) -> String {
    let line = mark_hidden(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if count_characters(&line) <= most {
        return line;
    }
    let cut: String = line.graphemes(true).take(most.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use handraise_question::hidden::hides;
    use proptest::prelude::*;

    #[test]
    fn what_steers_reorders_or_hides_is_marked() {
        assert_eq!(line("a\u{1b}[2Jb\u{7}\u{9c}c", 99), "a␛[2Jb␇<U+009C>c");
        assert_eq!(line("safe\u{202e}gpj.exe\u{200b}", 99), "safe<U+202E>gpj.exe<U+200B>");
        assert_eq!(line("  one\r\n\ttwo  ", 99), "one two");
    }

    #[test]
    fn no_character_of_unicode_hides() {
        for c in ('\0'..=char::MAX).filter(|c| hides(*c) && !matches!(c, '\n' | '\t')) {
            let said = line(&format!("g{c}it status"), 99);
            let mark = said.strip_prefix('g').and_then(|rest| rest.strip_suffix("it status"));
            assert!(mark.is_some_and(|mark| !mark.trim().is_empty()), "{said:?}");
            assert!(!said.chars().any(hides), "{said:?}");
        }
    }

    #[test]
    fn ordinary_text_of_any_script_is_left_alone() {
        for text in ["Which database?", "日本語", "שלום", "👨‍👩‍👧 é", "می‌خواهم", "❤\u{fe0f}"]
        {
            assert_eq!(line(text, 99), text);
        }
    }

    #[test]
    fn what_is_too_long_is_cut_with_a_mark() {
        assert_eq!(line("abcdef", 6), "abcdef");
        assert_eq!(line("abcdefg", 6), "abcde…");
        assert_eq!(line("日本語の文", 3), "日本…");
        let zalgo = format!("z{}", "\u{301}".repeat(1000));
        assert_eq!(line(&zalgo, 9), format!("z{}<U+0301…", "\u{301}".repeat(8)));
    }

    proptest! {
        #[test]
        fn whatever_comes_in_one_clean_line_comes_out(text in any::<String>(), most in 1..50_usize) {
            let line = line(&text, most);
            prop_assert!(!line.chars().any(char::is_control), "{line:?}");
            prop_assert_eq!(line.lines().count(), usize::from(!line.is_empty()));
            prop_assert!(count_characters(&line) <= most, "{line:?}");
        }
    }
}
