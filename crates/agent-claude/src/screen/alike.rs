//! Text on a screen, compared with the text it was made of.
//!
//! Lines are broken where the window ends and indented as the dialog likes, so white space says nothing.
//! Nor do characters that have no place of their own on a screen, pictures made of several, and what
//! stands for a character that is not drawn: Claude Code and terminals keep some and drop others.

/// The characters that can be seen, in their order.
pub(super) fn dense(text: &str) -> String {
    text.chars().filter(|c| is_seen(*c)).collect()
}

fn is_seen(c: char) -> bool {
    let without_width = matches!(c,
        '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{0300}'..='\u{036F}' | '\u{00AD}' | '\u{20E3}');
    let picture = matches!(c, '\u{1F000}'..='\u{1FAFF}' | '\u{E0000}'..);
    !c.is_whitespace() && !c.is_control() && !without_width && !picture && c != '\u{FFFD}'
}

/// Whether `shown` is `meant`, or where the beginning is out of sight, the end of it.
pub(super) fn alike(shown: &str, meant: &str, cut: bool) -> bool {
    let (shown, meant) = (dense(shown), dense(meant));
    if shown == meant || (cut && !shown.is_empty() && meant.ends_with(&shown)) {
        return true;
    }
    // What is written from right to left may stand in another order.
    meant.chars().any(is_from_right_to_left) && {
        let sorted = |text: &str| {
            let mut characters: Vec<_> = text.chars().collect();
            characters.sort_unstable();
            characters
        };
        sorted(&shown) == sorted(&meant)
    }
}

fn is_from_right_to_left(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_and_indents_say_nothing() {
        assert!(alike("two words\n     and more", "two words and more", false));
        assert!(!alike("two words", "two words and more", false));
    }

    #[test]
    fn where_the_beginning_is_out_of_sight_the_end_must_fit() {
        assert!(alike("and more", "two words and more", true));
        assert!(!alike("and less", "two words and more", true));
        assert!(!alike("", "two words", true));
    }

    #[test]
    fn terminals_may_drop_joiners_and_turn_lines_around() {
        assert!(alike("a 👩👩", "a 👩\u{200D}👩\u{200D}👧", false));
        assert!(alike("one�two", "one\ntwo", false));
        assert!(alike("םולש", "שלום", false));
    }
}
