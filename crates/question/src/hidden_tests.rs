use icu_properties::props::{
    BidiControl, DefaultIgnorableCodePoint, GeneralCategory as Category, GraphemeClusterBreak,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use proptest::prelude::*;

use super::*;

/// Symbols and marks without a property that says so, which fonts draw as nothing, or terminals wider
/// than they are counted.
const BLANK: [char; 10] = [
    '\u{ff9e}',
    '\u{ff9f}',
    '\u{2800}',
    '\u{fffc}',
    '\u{1107f}',
    '\u{13440}',
    '\u{13441}',
    '\u{13442}',
    '\u{16fe4}',
    '\u{1d159}',
];

fn is_hidden_by_unicode(c: char) -> bool {
    let category = CodePointMapData::<Category>::new().get(c);
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
        || CodePointSetData::new::<BidiControl>().contains(c)
        || CodePointMapData::<GraphemeClusterBreak>::new().get(c) == GraphemeClusterBreak::Prepend
        || matches!(
            category,
            Category::Control
                | Category::Format
                | Category::SpaceSeparator
                | Category::LineSeparator
                | Category::ParagraphSeparator
                | Category::PrivateUse
        ) && c != ' '
}

fn is_assigned(c: char) -> bool {
    CodePointMapData::<Category>::new().get(c) != Category::Unassigned
}

#[test]
fn the_table_is_sorted_and_has_what_unicode_says_hides() {
    assert!(HIDDEN.windows(2).all(|two| two[0].end() < two[1].start()));
    for c in '\0'..=char::MAX {
        let expected = is_hidden_by_unicode(c) || BLANK.contains(&c);
        // The oracle may be a version behind; what it does not know, it cannot judge.
        if expected || is_assigned(c) {
            assert_eq!(hides(c), expected, "U+{:04X}", u32::from(c));
        }
    }
    for unassigned in ['\u{378}', '\u{2065}', '\u{fff0}', '\u{e0fff}', '\u{50000}', '\u{ffff}'] {
        assert!(hides(unassigned), "U+{:04X}", u32::from(unassigned));
    }
}

#[test]
fn no_hidden_character_makes_a_command_look_like_another() {
    for c in ('\0'..=char::MAX).filter(|c| is_hidden_by_unicode(*c) || hides(*c)) {
        if matches!(c, '\n' | '\t') {
            continue;
        }
        let mark = match c {
            ..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap().to_string(),
            '\u{7f}' => "␡".into(),
            c => format!("<U+{:04X}>", u32::from(c)),
        };
        for (before, after) in [("g", "it status"), ("git", "status"), ("", "git"), ("git", "")] {
            let text = format!("{before}{c}{after}");
            assert_eq!(mark_hidden(&text), format!("{before}{mark}{after}"));
            assert_eq!(mark_all_hidden(&text), format!("{before}{mark}{after}"));
        }
    }
}

#[test]
fn a_mark_of_another_script_does_not_vanish_on_an_ascii_letter() {
    for c in ('\u{80}'..=char::MAX).filter(|c| !hides(*c)) {
        let text = format!("g{c}it");
        let is_foreign = is_combining(c) && !is_in(COMMON_MARKS, c);
        let expected =
            if is_foreign { format!("g<U+{:04X}>it", u32::from(c)) } else { text.clone() };
        assert_eq!([mark_hidden(&text), mark_all_hidden(&text)], [expected.clone(), expected]);
    }
    assert_eq!(mark_hidden("g\u{301}\u{94d}it"), "g\u{301}<U+094D>it");
    assert_eq!(mark_hidden("क\u{94d}"), "क\u{94d}");
}

#[test]
fn writing_that_needs_hidden_characters_stays_readable() {
    for text in [
        "PostgreSQL, café, cafe\u{301}",
        "日本語",
        "שלום",
        "👨\u{200d}👩\u{200d}👧 é",
        "❤\u{fe0f}\u{200d}🔥 👩🏽\u{200d}💻 ☎\u{fe0e} ©\u{fe0f}",
        "1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3}",
        "می\u{200c}خواهم",
        "क्\u{200d}ष र्\u{200c}य",
        "សួស្តី\u{200b}ពិភពលោក",
        "葛\u{e0100}城市",
        "東京\u{3000}2026年",
        "Continuer\u{a0}? «\u{202f}oui\u{202f}» 10\u{202f}000\u{a0}€",
        "two\n\tlines",
    ] {
        assert_eq!(mark_hidden(text), text);
    }
    assert_eq!(mark_hidden("one\r\ntwo\rthree"), "one\ntwo␍three");
}

#[test]
fn in_a_command_nothing_is_left_out() {
    for (text, shown) in [
        ("cat ❤\u{fe0f}", "cat ❤<U+FE0F>"),
        ("ls می\u{200c}خواهم", "ls می<U+200C>خواهم"),
        ("ls\u{a0}; x", "ls<U+00A0>; x"),
        ("echo 東\u{3000}京", "echo 東<U+3000>京"),
        ("ls\r\nx", "ls␍\nx"),
        ("a\tb", "a␉b"),
        ("echo a \\ \nrm -r x  ", "echo a \\␠\nrm -r x␠␠"),
    ] {
        assert_eq!(mark_all_hidden(text), shown);
    }
}

#[test]
fn joiners_and_selectors_show_where_no_writing_needs_them() {
    for (text, shown) in [
        ("yes\u{200d}", "yes<U+200D>"),
        ("1\u{fe0f}", "1<U+FE0F>"),
        ("a\u{fe0f}\u{200d}🔥", "a<U+FE0F><U+200D>🔥"),
        ("🔥\u{200d}a", "🔥<U+200D>a"),
        ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}<U+FE0F>"),
        ("می\u{200c}git", "می<U+200C>git"),
        ("葛\u{e0100}\u{e0101}", "葛\u{e0100}<U+E0101>"),
        ("git\u{3000}\u{3000}status", "git<U+3000><U+3000>status"),
        ("🏴\u{e0067}\u{e007f}", "🏴<U+E0067><U+E007F>"),
    ] {
        assert_eq!(mark_hidden(text), shown);
    }
}

#[test]
fn what_is_searched_has_no_hidden_characters() {
    assert_eq!(remove_hidden("g\u{200b}h\u{2065}p_\u{202e}\u{1b}x\u{a0}y\n"), "ghp_ x y\n");
    assert_eq!(remove_hidden("می\u{200c}خواهم"), "می\u{200c}خواهم");
}

#[test]
fn marks_beyond_a_pile_are_written_out() {
    for (letter, mark) in [('z', '\u{301}'), ('é', '\u{30f}'), ('\u{1112}', '\u{1161}')] {
        let text = format!("{letter}{}lgo", String::from(mark).repeat(MAX_PILE + 2));
        let pile = String::from(mark).repeat(MAX_PILE);
        let rest = format!("<U+{:04X}>", u32::from(mark)).repeat(2);
        let shown = format!("{letter}{pile}{rest}lgo");
        assert_eq!([mark_hidden(&text), mark_all_hidden(&text)], [shown.clone(), shown]);
    }
}

proptest! {
    #[test]
    fn whatever_hides_in_a_command_is_marked(text in any::<String>()) {
        let shown = mark_all_hidden(&text);
        prop_assert!(shown.chars().all(|c| !hides(c) || matches!(c, '\n' | '\t')), "{shown:?}");
    }

    #[test]
    fn text_without_a_mark_is_what_it_looks_like(text in "[ -~\\PL\\p{M}]{0,20}") {
        let shown = mark_all_hidden(&text);
        let has_mark = shown.contains(|c| c == '<' || ('␀'..='␡').contains(&c));
        prop_assert!(shown == text || has_mark, "{shown:?}");
    }
}
