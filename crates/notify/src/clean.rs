//! Text of agents, made fit for places that are not ours: one line, bounded, and nothing in it that
//! steers, reorders or hides.

use handraise_question::count_characters;
use unicode_segmentation::UnicodeSegmentation;

/// A character may be built of this many code points; what is piled on top is left out.
const MOST_MARKS: usize = 12;

/// Returns `text` as one line of at most `most` characters, with a mark where it was cut.
///
/// What cannot be seen is left out here: a notification is a tap on the shoulder. The surfaces where
/// the ask is answered draw it instead.
#[must_use]
pub(crate) fn line(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut characters = 0;
    for grapheme in text.graphemes(true) {
        let mut seen = grapheme.chars().take(MOST_MARKS).filter(|c| !hides(*c)).peekable();
        if seen.peek().is_none() {
            continue;
        }
        if seen.peek().is_some_and(|c| c.is_whitespace() || c.is_control()) {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
                characters += 1;
            }
            continue;
        }
        out.extend(seen.filter(|c| !c.is_control()));
        characters += 1;
        if characters > most {
            break;
        }
    }
    out.truncate(out.trim_end().len());
    if count_characters(&out) <= most {
        return out;
    }
    let cut: String = out.graphemes(true).take(most.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

/// Whether a character reorders its neighbours or takes no room. Joiners and selectors stay: emoji
/// and several scripts need them.
fn hides(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_steers_reorders_or_hides_is_gone() {
        assert_eq!(line("a\u{1b}[2Jb\u{7}\u{9c}c", 99), "a [2Jb c");
        assert_eq!(line("safe\u{202e}gpj.exe\u{200b}", 99), "safegpj.exe");
        assert_eq!(line("  one\r\n\ttwo\u{2028}three  ", 99), "one two three");
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
        assert_eq!(line(&format!("z{}", "\u{301}".repeat(1000)), 9).chars().count(), MOST_MARKS);
    }

    proptest! {
        #[test]
        fn whatever_comes_in_one_clean_line_comes_out(text in any::<String>(), most in 1..50_usize) {
            let line = line(&text, most);
            prop_assert!(!line.chars().any(|c| c.is_control() || hides(c)), "{line:?}");
            prop_assert!(count_characters(&line) <= most, "{line:?}");
        }
    }
}
