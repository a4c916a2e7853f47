//! The table of hidden characters for the dashboard, and samples of how text is drawn: written from
//! `handraise_question::hidden`, so that page and terminal draw the same.

use std::fmt::Write;
use std::ops::RangeInclusive;

use handraise_question::hidden::{COMMON_MARKS, HIDDEN, IDEOGRAPHS, JOINING, MAX_PILE};
use handraise_question::{mark_all_hidden, mark_hidden};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::generated::matches_what_is_kept;

const HEAD: &str = "\
// Generated from crates/question by the tests of crates/wire; do not edit. To write it anew:
// UPDATE_TYPES=1 cargo test --package handraise-wire

// Insides of character classes of regular expressions.
";

/// Texts that are drawn the same everywhere. Each is tried with and without its neighbours.
const SAMPLES: &[&str] = &[
    "git status",
    "g\u{200b}it \u{2065}status\u{e0100}",
    "\u{1b}]0;pwned\u{7}\0\u{7f}\u{9b}",
    "one\r\ntwo\rthree\tfour\u{2028}five\u{2029}",
    "safe\u{202e}gpj.exe \u{2066}x\u{2069} \u{61c}\u{200e}",
    "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥 👩🏽\u{200d}💻 ☎\u{fe0e} ©\u{fe0f}",
    "1\u{fe0f}\u{20e3} 1\u{fe0f} #\u{fe0f}\u{20e3} a\u{fe0f}\u{20e3} a\u{fe0f}\u{200d}🔥 🔥\u{200d}a",
    "❤\u{fe0f}\u{fe0f} 🏴\u{e0067}\u{e0062}\u{e007f} 🔥\u{fe0f}\u{20e3}",
    "می\u{200c}خواهم می\u{200c}git git\u{200c}می \u{200c}می",
    "क्\u{200d}ष र्\u{200c}य សួស្តី\u{200b}ពិភពលោក ส\u{200b}ว",
    "葛\u{e0100}城市 葛\u{e0100}\u{e0101} 葛\u{fe00} 葛\u{fe03} a\u{e0100}",
    "東京\u{3000}2026年 git\u{3000}\u{3000}status \u{3000}東 a\u{3000}b",
    "Continuer\u{a0}? «\u{202f}oui\u{202f}» 10\u{202f}000\u{a0}€ git\u{a0}status a\u{2009}b",
    "cafe\u{301} g\u{94d}it g\u{301}\u{94d}it क\u{94d} \u{301}x 1\u{20e3}",
    "z\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}lgo \u{34f}",
    "日\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{94d}\u{fe0f}\u{301}",
    "a\tb \nc  ",
    "\u{d4e}a カ\u{ff9e} \u{1112}\u{1161}\u{11ab} a\u{1161} \
     \u{1112}\u{1161}\u{1161}\u{1161}\u{1161}\u{1161}\u{1161}\u{1161}\u{1161}\u{1161}\u{1161}",
    "\u{e000} \u{f8ff} \u{378} \u{ffff} \u{50000} \u{10ffff} \u{2800} \u{fffc} \u{3164}",
];

/// The inside of a character class, for a regular expression with the flag `u`.
fn class(ranges: &[RangeInclusive<char>]) -> String {
    let escape = |c: char| match u32::from(c) {
        code @ ..0x100 => format!("\\x{code:02x}"),
        code @ ..0x1_0000 => format!("\\u{code:04x}"),
        code => format!("\\u{{{code:x}}}"),
    };
    let range = |range: &RangeInclusive<char>| match (*range.start(), *range.end()) {
        // Tabs and newlines are drawn as what they are.
        ('\0', '\u{1f}') => "\\x00-\\x08\\x0b-\\x1f".to_owned(),
        (only, end) if only == end => escape(only),
        (start, end) => format!("{}-{}", escape(start), escape(end)),
    };
    ranges.iter().map(range).collect()
}

/// JSON of ASCII alone: a file must not hide what it is about.
fn ascii_json(text: &str) -> String {
    let mut out = String::from("\"");
    for unit in text.encode_utf16() {
        match char::from_u32(u32::from(unit)) {
            Some(c @ (' '..='~')) if !matches!(c, '"' | '\\') => out.push(c),
            _ => write!(out, "\\u{unit:04x}").unwrap(),
        }
    }
    out + "\""
}

#[test]
fn the_dashboard_has_the_table_of_hidden_characters() {
    let is_format = |range: &RangeInclusive<char>| {
        range.clone().all(|c| c.general_category() == GeneralCategory::Format)
    };
    let others: Vec<_> = HIDDEN.iter().filter(|range| !is_format(range)).cloned().collect();
    let consts = [
        // Format, unassigned and private characters, and halves of a pair: all of `C` but controls.
        ("HIDDEN", format!("{}\\p{{Cf}}\\p{{Cn}}\\p{{Co}}\\p{{Cs}}", class(&others))),
        ("JOINING", class(JOINING)),
        ("IDEOGRAPHS", class(IDEOGRAPHS)),
        ("COMMON_MARKS", class(COMMON_MARKS)),
    ];
    let mut text = HEAD.to_owned();
    for (name, class) in consts {
        writeln!(text, "export const {name} = String.raw`{class}`;").unwrap();
    }
    writeln!(text, "export const MAX_PILE = {MAX_PILE};").unwrap();
    matches_what_is_kept("hidden.ts", &text);
}

#[test]
fn the_dashboard_draws_the_samples_as_the_terminal_does() {
    let rows = SAMPLES.iter().map(|text| {
        let drawn = [*text, &mark_hidden(text), &mark_all_hidden(text)].map(ascii_json);
        format!("  [{}]", drawn.join(", "))
    });
    let text = format!("[\n{}\n]\n", rows.collect::<Vec<_>>().join(",\n"));
    matches_what_is_kept("hidden_samples.json", &text);
}
