//! Telling a paste from typing in terminals that do not mark pastes.
//!
//! Without marks, each line end of a pasted text arrives as Enter: the first line would be sent
//! as the answer and the rest would go wherever the keys go next. Nobody types as fast as a paste
//! arrives, so keys that come within a few milliseconds of each other are looked at together.

#![expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named means nothing here")]

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// Keys this close together were not typed by hand.
const TOGETHER: Duration = Duration::from_millis(12);
/// How long to wait for the rest of a paste.
pub(crate) const PATIENCE: Duration = Duration::from_millis(60);

/// An event, when it arrived, and whether the next was waiting already.
#[derive(Debug, Clone)]
pub(crate) struct Arrival {
    pub(crate) event: Event,
    pub(crate) at: Instant,
    pub(crate) more: bool,
}

/// Whether `next`, where text is typed, may be the line end or the tab inside a paste.
pub(crate) fn may_be_pasted(last: Option<Instant>, next: &Arrival) -> bool {
    let close = last.is_some_and(|last| next.at.duration_since(last) < TOGETHER);
    matches!(typed(&next.event), Some('\n' | '\t')) && (next.more || close)
}

/// Whether `next`, where keys choose, may be the start of a paste: letters do not come in heaps
/// from a hand.
pub(crate) fn may_be_text(next: &Arrival) -> bool {
    next.more && typed(&next.event).is_some()
}

/// Joins a burst that reached a list into one pasted text, if it holds letters no list knows.
/// Anything else stays keys: a script may well send several at once.
pub(crate) fn join_text(burst: Vec<Event>) -> Vec<Event> {
    let stranger = |c: char| !"123456789jknldxy? \n\t".contains(c);
    pasted_if(burst, |text| text.len() > 3 && text.contains(stranger))
}

/// Joins a burst that reached a text field into one pasted text, if a line end or tab in it is
/// followed by more.
///
/// The line end a paste ends in belongs to it, too. A burst that only ends in Enter is an answer
/// somebody's script typed, and stays keys.
pub(crate) fn join(burst: Vec<Event>) -> Vec<Event> {
    pasted_if(burst, |text| text.trim_end_matches(['\n', '\t']).contains(['\n', '\t']))
}

/// Puts what was typed in a burst into one paste, if that is what it is. Keys that type nothing
/// are dropped from a paste; what is no key is kept.
fn pasted_if(burst: Vec<Event>, is_paste: impl Fn(&str) -> bool) -> Vec<Event> {
    let text: String = burst.iter().filter_map(typed).collect();
    if !is_paste(&text) {
        return burst;
    }
    let others = burst.into_iter().filter(|event| !matches!(event, Event::Key(_)));
    std::iter::once(Event::Paste(text)).chain(others).collect()
}

fn typed(event: &Event) -> Option<char> {
    let Event::Key(KeyEvent { code, modifiers, .. }) = event else { return None };
    match code {
        KeyCode::Enter if modifiers.is_empty() => Some('\n'),
        KeyCode::Tab => Some('\t'),
        KeyCode::Char('j') if *modifiers == KeyModifiers::CONTROL => Some('\n'),
        KeyCode::Char(c) if (*modifiers - KeyModifiers::SHIFT).is_empty() => Some(*c),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<Event> {
        let code = |c| if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) };
        text.chars().map(|c| Event::Key(KeyEvent::new(code(c), KeyModifiers::NONE))).collect()
    }

    #[test]
    fn lines_that_arrive_at_once_are_one_paste() {
        assert_eq!(join(keys("a\n\nb")), [Event::Paste("a\n\nb".into())]);
        assert_eq!(join(keys("a\nb\n")), [Event::Paste("a\nb\n".into())]);
    }

    #[test]
    fn text_pasted_into_a_list_is_text_and_keys_stay_keys() {
        assert_eq!(
            join_text(keys("use 1 please\nand 2")),
            [Event::Paste("use 1 please\nand 2".into())]
        );
        assert_eq!(join_text(keys("jj 2\n")), keys("jj 2\n"));
        let mut mixed = keys("take");
        mixed.push(Event::Key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE)));
        mixed.push(Event::Resize(80, 24));
        mixed.extend(keys(" 2\n"));
        assert_eq!(join_text(mixed), [Event::Paste("take 2\n".into()), Event::Resize(80, 24)]);
    }

    #[test]
    fn a_typed_answer_with_its_enter_stays_keys() {
        assert_eq!(join(keys("bun\n")), keys("bun\n"));
        assert_eq!(join(keys("\n\n")), keys("\n\n"));
        assert_eq!(join(keys("\n2")), [Event::Paste("\n2".into())]);
        assert_eq!(join(keys("a\tb")), [Event::Paste("a\tb".into())]);
    }
}
