//! Making agent text safe to look at.
//!
//! Agent text is kept byte for byte everywhere else; only here, on its way to a screen, are the
//! characters that would steer a terminal or hide from the eye replaced by ones that can be seen.

use handraise_question::mark_hidden;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Returns `text` with nothing in it that a terminal obeys and nothing that hides.
///
/// Newlines stay, tabs become spaces. Hidden characters become their pictures (`␛`) or numbers
/// (`<U+202E>`).
#[must_use]
pub fn visible(text: &str) -> String {
    mark_hidden(text).replace('\t', "    ")
}

/// Marks characters that terminals draw wider than they are counted here: enough of them would push the
/// end of a line off the screen. For text that must be shown whole.
#[must_use]
pub fn mark_uneven(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_uneven(c) {
            out.extend(["<U+", &format!("{:04X}", u32::from(c)), ">"]);
        } else {
            out.push(c);
        }
    }
    out
}

/// Letters and spacing marks that are counted as no width, and numbers in circles on black squares, which
/// some systems call wide. Vowels and finals of Hangul have no width of their own anywhere.
fn is_uneven(c: char) -> bool {
    match c {
        ..='~' | '\u{1161}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7ff}' => false,
        '\u{3248}'..='\u{324f}' => true,
        c => {
            c.width() == Some(0)
                && !matches!(
                    c.general_category(),
                    GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark
                )
        }
    }
}

/// Breaks visible text into lines of at most `width` columns, at spaces where it can. The parts of an
/// indented line are indented as it is, so that none of them looks like a line of its own.
#[must_use]
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    wrap_hanging(text, width, 0)
}

/// The same with all but the first part of a line indented by `hang` more columns.
#[must_use]
pub(crate) fn wrap_hanging(text: &str, width: usize, hang: usize) -> Vec<String> {
    let mut lines = vec![];
    for line in visible(text).split('\n') {
        let indent = (line.len() - line.trim_start_matches(' ').len() + hang).min(width / 2);
        let indent = " ".repeat(indent);
        // Hyphens are no place to break: commands and file names are full of them.
        let options = textwrap::Options::new(width.max(1))
            .word_splitter(textwrap::WordSplitter::NoHyphenation)
            .subsequent_indent(&indent)
            .break_words(true);
        lines.extend(textwrap::wrap(line, &options).into_iter().map(std::borrow::Cow::into_owned));
    }
    lines
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
pub fn ellipsize(text: &str, width: usize) -> String {
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
        assert_eq!(visible("one\r\ntwo\rthree\tx"), "one\ntwo␍three    x");
    }

    /// Characters with which every one of these must show what is in `g?it status`.
    fn all_hidden() -> impl Iterator<Item = char> {
        let hides = |c: &char| handraise_question::hidden::hides(*c);
        ('\0'..=char::MAX).filter(hides).filter(|c| !matches!(c, '\n' | '\t'))
    }

    #[test]
    fn hidden_characters_are_drawn_and_take_room() {
        for c in all_hidden() {
            let text = format!("g{c}it status");
            for drawn in [
                visible(&text),
                wrap(&text, 80).concat(),
                chop(&text, 80).concat(),
                ellipsize(&text, 80),
            ] {
                let mark = drawn.strip_prefix('g').and_then(|d| d.strip_suffix("it status"));
                let mark = mark.unwrap_or_else(|| panic!("{drawn:?}"));
                assert!(!mark.is_empty() && mark.width() == mark.chars().count(), "{drawn:?}");
                assert!(mark.chars().all(|c| c.is_ascii_graphic() || ('␀'..='␡').contains(&c)));
            }
        }
    }

    #[test]
    fn what_terminals_draw_wider_than_it_is_counted_is_marked() {
        // Measured with tmux and the C library's widths.
        let wider = "\u{3248}\u{324f}\u{9be}\u{9d7}\u{b3e}\u{bbe}\u{bd7}\u{cc0}\u{cd6}\u{d3e}\u{ddf}\u{1715}\u{1734}\
            \u{1b35}\u{1b43}\u{1b44}\u{1baa}\u{1bf3}\u{302e}\u{302f}\u{a953}\u{a9c0}\u{111c0}\u{11235}\u{1133e}\
            \u{1134d}\u{114b0}\u{115af}\u{116b6}\u{11930}\u{1193d}\u{16ff0}\u{16ff1}\u{1d165}\u{1d16d}\u{1d172}";
        for c in wider.chars() {
            assert_eq!(mark_uneven(&format!("中{c}x")), format!("中<U+{:04X}>x", u32::from(c)));
        }
        for even in [
            "git status\n\tx",
            "日本語",
            "क्षि हिन्दी",
            "العربية",
            "ภาษาไทย",
            "한\u{1112}\u{1161}",
            "cafe\u{301} 👍🏽",
        ] {
            assert_eq!(mark_uneven(even), even);
        }
    }

    #[test]
    fn long_words_and_wide_characters_wrap() {
        assert_eq!(wrap("aaaa bbbbbbbbbb", 6), ["aaaa", "bbbbbb", "bbbb"]);
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
        assert_eq!(wrap("  aaa bbb\nc", 6), ["  aaa", "  bbb", "c"]);
        assert_eq!(wrap_hanging("a: bb cc\nd", 6, 2), ["a: bb", "  cc", "d"]);
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
