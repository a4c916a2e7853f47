//! Making agent text safe to look at.
//!
//! Agent text is kept byte for byte everywhere else; only here, on its way to a screen, are the
//! characters that would steer a terminal or hide from the eye replaced by ones that can be seen.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// A character may be built of this many code points; the rest of a taller pile is counted.
const MAX_PILE: usize = 12;

/// Returns `text` with nothing in it that a terminal obeys.
///
/// Newlines stay, tabs become spaces. Control characters become their pictures (`␛`), and
/// characters that reorder or hide text become their number (`<U+202E>`).
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for grapheme in text.graphemes(true) {
        let pile: Vec<char> = grapheme.chars().collect();
        for (i, &c) in pile.iter().enumerate().take(MAX_PILE) {
            let before = i.checked_sub(1).and_then(|i| pile.get(i)).copied();
            push_visible(&mut out, before, c, pile.get(i + 1).copied());
        }
        if let Some(rest @ 1..) = pile.len().checked_sub(MAX_PILE) {
            out.extend(["<+", &rest.to_string(), " marks>"]);
        }
    }
    out.replace("␍\n", "\n")
}

/// Writes one character, between its neighbours in the same visible character.
fn push_visible(out: &mut String, before: Option<char>, c: char, after: Option<char>) {
    match c {
        '\n' | '\u{2028}' | '\u{2029}' => out.push('\n'),
        '\t' => out.push_str("    "),
        '\0'..='\u{1f}' => out.extend(char::from_u32(0x2400 + u32::from(c))),
        '\u{7f}' => out.push('␡'),
        c if c.is_control() || hides(before, c, after) => {
            out.push_str(&number(c));
        }
        c => out.push(c),
    }
}

fn number(c: char) -> String {
    format!("<U+{:04X}>", u32::from(c))
}

/// Whether a character reorders its neighbours or takes no room, so that text with it can look
/// like other text.
fn hides(before: Option<char>, c: char, after: Option<char>) -> bool {
    match c {
        // Joiners and selectors belong to emoji and to several scripts; elsewhere they only hide.
        '\u{200d}' => before.is_none_or(|b| b.is_ascii()) || after.is_none_or(|a| a.is_ascii()),
        '\u{200c}' => before.is_none_or(|b| b.is_ascii()),
        '\u{fe0e}' | '\u{fe0f}' => {
            before.is_none_or(|b| b.is_ascii() && !matches!(b, '0'..='9' | '#' | '*'))
        }
        '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' => before.is_none_or(|b| b.is_ascii()),
        '\u{ad}'                                    // soft hyphen
        | '\u{34f}' | '\u{180b}'..='\u{180e}'       // grapheme joiner, Mongolian selectors
        | '\u{61c}' | '\u{200e}' | '\u{200f}'       // bidirectional marks
        | '\u{202a}'..='\u{202e}'                   // embeddings and overrides
        | '\u{2066}'..='\u{2069}'                   // isolates
        | '\u{200b}' | '\u{2060}'..='\u{2064}'      // zero-width space, word joiner, invisible operators
        | '\u{206a}'..='\u{206f}'
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers
        | '\u{17b4}' | '\u{17b5}' | '\u{2800}'      // Khmer inherent vowels, the blank Braille cell
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}'                 // musical formatting
        | '\u{e0000}'..='\u{e007f}' => true,        // tags
        _ => false,
    }
}

/// Breaks visible text into lines of at most `width` columns, at spaces where it can.
#[must_use]
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    // Hyphens are no place to break: commands and file names are full of them.
    let options = textwrap::Options::new(width.max(1))
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .break_words(true);
    visible(text)
        .split('\n')
        .flat_map(|line| textwrap::wrap(line, &options))
        .map(std::borrow::Cow::into_owned)
        .collect()
}

/// Breaks visible text into lines of at most `width` columns and keeps every space: for code and
/// drawings.
#[must_use]
pub(crate) fn chop(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![];
    for line in visible(text).trim_end_matches('\n').split('\n') {
        let mut current = String::new();
        let mut used = 0;
        for grapheme in line.graphemes(true) {
            let wide = grapheme.width();
            if used + wide > width && !current.is_empty() {
                lines.push(std::mem::take(&mut current));
                used = 0;
            }
            current.push_str(grapheme);
            used += wide;
        }
        lines.push(current);
    }
    lines
}

/// Shortens visible one-line text to `width` columns, with a mark where it was cut.
#[must_use]
pub(crate) fn ellipsize(text: &str, width: usize) -> String {
    let text = visible(text).replace('\n', " ");
    if text.width() <= width {
        return text;
    }
    let mut out = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        if used + grapheme.width() + 1 > width {
            break;
        }
        out.push_str(grapheme);
        used += grapheme.width();
    }
    out.push('…');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escape_sequences_are_shown_and_harmless() {
        assert_eq!(visible("\x1b]0;pwned\x07"), "␛]0;pwned␇");
        assert_eq!(visible("a\u{9b}2Jb\u{7f}"), "a<U+009B>2Jb␡");
        assert_eq!(visible("one\r\ntwo\rthree"), "one\ntwo␍three");
    }

    #[test]
    fn bidirectional_overrides_are_drawn() {
        assert_eq!(visible("safe\u{202e}gpj.exe"), "safe<U+202E>gpj.exe");
        assert_eq!(visible("a\u{2066}b\u{200b}c"), "a<U+2066>b<U+200B>c");
    }

    #[test]
    fn what_hides_is_drawn_and_what_joins_is_left() {
        assert_eq!(visible("yes\u{200d}"), "yes<U+200D>");
        assert_eq!(visible("yes\u{34f}"), "yes<U+034F>");
        assert_eq!(visible("yes\u{fe0f}"), "yes<U+FE0F>");
        assert_eq!(visible("\u{3164}"), "<U+3164>");
        for text in ["1\u{fe0f}\u{20e3}", "❤\u{fe0f}", "👩\u{200d}💻", "葛\u{e0100}"] {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn ordinary_text_of_any_script_is_left_alone() {
        for text in ["PostgreSQL", "日本語", "שלום", "👨‍👩‍👧 é", "می‌خواهم"]
        {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn a_tower_of_marks_is_cut_down_and_counted() {
        let zalgo = format!("z{}", "\u{301}".repeat(1000));
        assert_eq!(visible(&zalgo), format!("z{}<+989 marks>", "\u{301}".repeat(11)));
    }

    #[test]
    fn long_words_and_wide_characters_wrap() {
        assert_eq!(wrap("aaaa bbbbbbbbbb", 6), ["aaaa", "bbbbbb", "bbbb"]);
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
        assert_eq!(chop("  a  b\n\n日本語", 4), ["  a ", " b", "", "日本", "語"]);
        assert_eq!(ellipsize("日本語", 5), "日本…");
    }

    proptest! {
        #[test]
        fn nothing_a_terminal_obeys_survives(text in any::<String>(), width in 0..40_usize) {
            for line in wrap(&text, width).into_iter().chain(chop(&text, width)) {
                prop_assert!(!line.chars().any(char::is_control), "{line:?}");
            }
        }

        #[test]
        fn chopped_lines_fit(text in "\\PC{0,60}", width in 2..40_usize) {
            for line in chop(&text, width) {
                prop_assert!(line.width() <= width || line.graphemes(true).count() == 1);
            }
        }
    }
}
