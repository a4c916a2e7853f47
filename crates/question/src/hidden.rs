//! Characters that hide: which ones, and how agent text is drawn so that they show.
//!
//! Whatever draws agent text uses this table. The dashboard's is generated from it by the tests of
//! `crates/wire`. Agent text itself is kept byte for byte; only what is drawn changes.

use std::ops::RangeInclusive;

use unicode_properties::{
    GeneralCategory, GeneralCategoryGroup, UnicodeEmoji, UnicodeGeneralCategory,
};

/// Characters that take no room, look like a space, steer a terminal or reorder text, sorted:
/// Unicode's `Default_Ignorable_Code_Point`, its controls, format characters, separators other than
/// the space, symbols that are drawn blank, and letters that terminals give room though their width is
/// zero: those in front of another letter, and the halfwidth sound marks.
///
/// Unassigned and private characters hide as well, see [`hides`].
pub const HIDDEN: &[RangeInclusive<char>] = &[
    '\0'..='\u{1f}',           // C0 controls
    '\u{7f}'..='\u{a0}',       // delete, C1 controls, no-break space
    '\u{ad}'..='\u{ad}',       // soft hyphen
    '\u{34f}'..='\u{34f}',     // combining grapheme joiner
    '\u{600}'..='\u{605}',     // Arabic number signs
    '\u{61c}'..='\u{61c}',     // Arabic letter mark (bidirectional)
    '\u{6dd}'..='\u{6dd}',     // Arabic end of ayah
    '\u{70f}'..='\u{70f}',     // Syriac abbreviation mark
    '\u{890}'..='\u{891}',     // Arabic currency marks
    '\u{8e2}'..='\u{8e2}',     // Arabic disputed end of ayah
    '\u{d4e}'..='\u{d4e}',     // Malayalam dot reph
    '\u{115f}'..='\u{1160}',   // Hangul fillers
    '\u{1680}'..='\u{1680}',   // Ogham space
    '\u{17b4}'..='\u{17b5}',   // Khmer inherent vowels
    '\u{180b}'..='\u{180f}',   // Mongolian selectors and vowel separator
    '\u{2000}'..='\u{200f}',   // wide and narrow spaces, joiners, bidirectional marks
    '\u{2028}'..='\u{202f}',   // line separators, embeddings, overrides, narrow no-break space
    '\u{205f}'..='\u{206f}',   // mathematical space, word joiner, invisible operators, isolates
    '\u{2800}'..='\u{2800}',   // blank Braille cell
    '\u{3000}'..='\u{3000}',   // ideographic space
    '\u{3164}'..='\u{3164}',   // Hangul filler
    '\u{fe00}'..='\u{fe0f}',   // variation selectors
    '\u{feff}'..='\u{feff}',   // byte order mark
    '\u{ff9e}'..='\u{ffa0}',   // halfwidth sound marks and filler
    '\u{fff0}'..='\u{fffc}',   // reserved, interlinear annotation, object replacement
    '\u{1107f}'..='\u{1107f}', // Brahmi number joiner
    '\u{110bd}'..='\u{110bd}', // Kaithi number sign
    '\u{110cd}'..='\u{110cd}', // Kaithi number sign above
    '\u{111c2}'..='\u{111c3}', // Sharada signs in front of a letter
    '\u{113d1}'..='\u{113d1}', // Tulu-Tigalari repha
    '\u{1193f}'..='\u{1193f}', // Dives Akuru prefixed nasal
    '\u{11941}'..='\u{11941}', // Dives Akuru initial ra
    '\u{11a84}'..='\u{11a89}', // Soyombo signs in front of a letter
    '\u{11d46}'..='\u{11d46}', // Masaram Gondi repha
    '\u{11f02}'..='\u{11f02}', // Kawi repha
    '\u{13430}'..='\u{13442}', // Egyptian hieroglyph format controls and blanks
    '\u{16fe4}'..='\u{16fe4}', // Khitan filler
    '\u{1bca0}'..='\u{1bca3}', // shorthand format controls
    '\u{1d159}'..='\u{1d159}', // musical null notehead
    '\u{1d173}'..='\u{1d17a}', // musical format controls
    '\u{e0000}'..='\u{e0fff}', // tags, more variation selectors, reserved
];

/// Scripts in which joiners and the zero-width space shape words: Arabic to Myanmar, and Khmer.
pub const JOINING: &[RangeInclusive<char>] =
    &['\u{620}'..='\u{109f}', '\u{1780}'..='\u{17b3}', '\u{17b6}'..='\u{17ff}'];

/// Ideographs, kana and wide letters: they take variation selectors and the ideographic space.
pub const IDEOGRAPHS: &[RangeInclusive<char>] = &[
    '\u{3001}'..='\u{3130}',
    '\u{3190}'..='\u{9fff}',
    '\u{f900}'..='\u{faff}',
    '\u{ff01}'..='\u{ff9f}',
    '\u{20000}'..='\u{3ffff}',
];

/// Combining marks that belong to no script. Others have no place on an ASCII letter, and fonts
/// without a glyph for them may draw the bare letter.
pub const COMMON_MARKS: &[RangeInclusive<char>] = &[
    '\u{300}'..='\u{36f}',
    '\u{1ab0}'..='\u{1aff}',
    '\u{1dc0}'..='\u{1dff}',
    '\u{20d0}'..='\u{20ff}',
    '\u{fe20}'..='\u{fe2f}',
];

/// A letter carries this many combining marks; the rest of a taller pile is written out, so that no mark
/// that an interpreter would read is left unseen.
pub const MAX_PILE: usize = 8;

/// Returns prose of an agent with a mark for every hidden character: `<U+202E>` for a reversal,
/// `␛` for escape. Newlines and tabs stay.
///
/// Joiners, selectors and spaces stay where writing needs them: in emoji, in scripts that join,
/// beside ideographs, before French punctuation. Between ASCII letters they are marked.
#[must_use]
pub fn mark_hidden(text: &str) -> String {
    mark(text, is_needed)
}

/// Returns text to which every character counts, such as the input of a tool, with a mark for every
/// hidden character without exception, tabs and spaces at the end of a line included. Newlines stay.
#[must_use]
pub fn mark_all_hidden(text: &str) -> String {
    let marked = mark(text, |_, _, _| false).replace('\t', "␉");
    let lines = marked.split('\n').map(|line| {
        let shown = line.trim_end_matches(' ');
        shown.to_owned() + &"␠".repeat(line.len() - shown.len())
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns `text` without the hidden characters that [`mark_hidden`] would mark: for comparing and
/// searching, never for drawing. Those that look like a space become one.
#[must_use]
pub fn remove_hidden(text: &str) -> String {
    let keep = |(at, c): (usize, char)| match c {
        '\n' | '\t' => Some(c),
        c if !hides(c) || is_needed(&text[..at], c, &text[at + c.len_utf8()..]) => Some(c),
        c => (c.is_whitespace() || c.is_control()).then_some(' '),
    };
    text.char_indices().filter_map(keep).collect()
}

/// Whether a character hides in plain text: it is in [`HIDDEN`], or it is unassigned or private, so
/// that the font decides whether anything is drawn.
#[must_use]
pub fn hides(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    let at = HIDDEN.partition_point(|range| *range.end() < c);
    HIDDEN.get(at).is_some_and(|range| range.contains(&c))
        || matches!(c.general_category(), GeneralCategory::Unassigned | GeneralCategory::PrivateUse)
}

/// `is_needed` says of a hidden character, between the text before and after it, whether it stays.
fn mark(text: &str, is_needed: fn(&str, char, &str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    // Whether the letter that combining marks would be drawn on is plain, and how many it carries.
    let (mut on_ascii, mut pile) = (false, 0_usize);
    for (at, c) in text.char_indices() {
        let is_combining = !c.is_ascii() && is_combining(c);
        if !is_combining {
            on_ascii = c.is_ascii();
        }
        let mut is_marked = if hides(c) {
            !matches!(c, '\n' | '\t') && !is_needed(&text[..at], c, &text[at + c.len_utf8()..])
        } else {
            is_combining && on_ascii && !is_in(COMMON_MARKS, c)
        };
        pile = if is_combining && !is_marked { pile + 1 } else { 0 };
        is_marked |= pile > MAX_PILE;
        match u32::from(c) {
            // The carriage return of a line end is the only one that is needed.
            0xd if !is_marked => {}
            _ if !is_marked => out.push(c),
            code @ ..0x20 => out.extend(char::from_u32(0x2400 + code)),
            0x7f => out.push('␡'),
            code => out.extend(["<U+", &format!("{code:04X}"), ">"]),
        }
    }
    out
}

/// Whether a character is drawn on the one before it: marks, and vowels and finals of Hangul.
fn is_combining(c: char) -> bool {
    c.general_category_group() == GeneralCategoryGroup::Mark
        || matches!(c, '\u{1161}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7ff}')
}

/// Whether prose needs a hidden character at this place.
fn is_needed(before: &str, c: char, after: &str) -> bool {
    let (last, next) = (before.chars().next_back(), after.chars().next());
    let either = |ranges| is_one_of(ranges, last) || is_one_of(ranges, next);
    match c {
        '\r' => next == Some('\n'),
        '\u{200b}'..='\u{200d}' if is_one_of(JOINING, last) && is_one_of(JOINING, next) => true,
        '\u{200d}' => {
            let emoji = before.strip_suffix('\u{fe0f}').unwrap_or(before);
            is_emoji(emoji.chars().next_back()) && is_emoji(next)
        }
        '\u{fe0f}' if next == Some('\u{20e3}') => {
            matches!(last, Some('0'..='9' | '#' | '*')) || is_emoji(last)
        }
        '\u{fe0e}' | '\u{fe0f}' => is_emoji(last),
        '\u{fe00}'..='\u{fe02}' | '\u{e0100}'..='\u{e01ef}' => is_one_of(IDEOGRAPHS, last),
        '\u{3000}' => either(IDEOGRAPHS),
        '\u{a0}' | '\u{202f}' => {
            let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            matches!(next, Some('!' | '?' | ':' | ';' | '»' | '%' | '€'))
                || last == Some('«')
                || is_digit(last) && is_digit(next)
        }
        _ => false,
    }
}

fn is_one_of(ranges: &[RangeInclusive<char>], c: Option<char>) -> bool {
    c.is_some_and(|c| is_in(ranges, c))
}

fn is_in(ranges: &[RangeInclusive<char>], c: char) -> bool {
    ranges.iter().any(|range| range.contains(&c))
}

/// Digits are emoji to Unicode, and not here.
fn is_emoji(c: Option<char>) -> bool {
    c.is_some_and(|c| !c.is_ascii() && c.is_emoji_char())
}

#[cfg(test)]
#[path = "hidden_tests.rs"]
mod tests;
