//! Asking the terminal for its background colour, without waiting for the answer.
//!
//! The question goes out after the first picture; the answer, if one comes, arrives between keys
//! and is filtered out here before it can be taken for typing.

#![expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named is no part of it")]

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use crate::palette::Tone;

/// OSC 11 with a question mark: "what is your background?"
const QUERY: &[u8] = b"\x1b]11;?\x1b\\";
/// An answer that is later than this is no longer waited for.
const ANSWER_TIME: Duration = Duration::from_millis(300);
/// Over a slow line an answer takes this long at most.
const EXPECTED: Duration = Duration::from_secs(3);

/// What is known of the background. The terminal is asked once.
#[derive(Debug)]
pub(crate) struct Background {
    wanted: bool,
    asked: Option<Instant>,
    pub(crate) answer: Answer,
}

impl Background {
    pub(crate) fn new(wanted: bool) -> Self {
        Self { wanted, asked: None, answer: Answer::default() }
    }

    /// Asks, if it is of interest and was not done before.
    pub(crate) fn ask(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.wanted && self.asked.is_none() {
            out.write_all(QUERY)?;
            out.flush()?;
            self.asked = Some(Instant::now());
        }
        Ok(())
    }

    /// Whether the answer may still come.
    pub(crate) fn is_expected(&self) -> bool {
        !self.answer.is_here() && self.asked.is_some_and(|asked| asked.elapsed() < EXPECTED)
    }

    /// How much longer to wait for the answer; nothing if it is here, or was never asked for.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        let asked = self.asked.filter(|_| !self.answer.is_here())?;
        Some(ANSWER_TIME.saturating_sub(asked.elapsed()))
    }
}

/// Picks the answer out of the stream of events, whenever it comes: late, twice, or in pieces.
///
/// The answer reads `ESC ] 11;rgb:1e1e/1e1e/1e1e ESC \` (or ends with BEL), and the event parser,
/// which does not know it, hands it on as Alt-`]`, single characters, and Alt-`\` or Ctrl-G; cut
/// in two behind an ESC, it reads as Esc and a character.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    collected: Option<String>,
    ending: bool,
    done: bool,
}

/// What an event turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sorted {
    /// Something else: the prompt's.
    Input(Event),
    /// Part of the answer, not yet whole.
    Swallowed,
    /// The answer.
    Background(Tone),
}

impl Answer {
    /// Whether the answer has begun and not ended.
    pub(crate) fn is_arriving(&self) -> bool {
        self.collected.is_some()
    }

    /// Whether an answer has come.
    fn is_here(&self) -> bool {
        self.done
    }

    pub(crate) fn sort(&mut self, event: Event) -> Sorted {
        let Event::Key(KeyEvent { code, modifiers, .. }) = event else {
            return Sorted::Input(event);
        };
        let Some(text) = &mut self.collected else {
            if code == KeyCode::Char(']') && modifiers == KeyModifiers::ALT {
                self.collected = Some(String::new());
                self.ending = false;
                return Sorted::Swallowed;
            }
            return Sorted::Input(event);
        };
        match code {
            KeyCode::Char('\\') if self.ending || modifiers == KeyModifiers::ALT => self.whole(),
            KeyCode::Char('g') if modifiers == KeyModifiers::CONTROL => self.whole(),
            KeyCode::Esc if tone(text).is_some() => {
                self.ending = true;
                Sorted::Swallowed
            }
            KeyCode::Char(c) if modifiers.is_empty() && continues(text, c) => {
                text.push(c);
                Sorted::Swallowed
            }
            // Not an answer after all.
            _ => {
                self.collected = None;
                Sorted::Input(event)
            }
        }
    }

    fn whole(&mut self) -> Sorted {
        self.done = true;
        let text = self.collected.take().unwrap_or_default();
        tone(&text).map_or(Sorted::Swallowed, Sorted::Background)
    }
}

/// Whether `c` can follow `text` in an answer.
fn continues(text: &str, c: char) -> bool {
    const START: &str = "11;rgb:";
    match START.chars().nth(text.len()) {
        Some(expected) => c == expected,
        None => text.len() < START.len() + 14 && (c.is_ascii_hexdigit() || c == '/'),
    }
}

/// Light when the colour is brighter than it is dark, as the eye weighs red, green and blue.
fn tone(answer: &str) -> Option<Tone> {
    let mut channels = answer.strip_prefix("11;rgb:")?.split('/').map(|channel| {
        let top = channel.get(..2).unwrap_or(channel);
        let value = u32::from_str_radix(top, 16).ok()?;
        Some(if channel.len() == 1 { value * 17 } else { value })
    });
    let (r, g, b) = (channels.next()??, channels.next()??, channels.next()??);
    let brightness = (299 * r + 587 * g + 114 * b) / 1000;
    Some(if brightness > 127 { Tone::Light } else { Tone::Dark })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(c: char, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers))
    }

    fn answer(text: &str) -> Vec<Event> {
        let mut events = vec![key(']', KeyModifiers::ALT)];
        events.extend(text.chars().map(|c| key(c, KeyModifiers::NONE)));
        events.push(key('\\', KeyModifiers::ALT));
        events
    }

    fn sorted(events: Vec<Event>) -> Vec<Sorted> {
        let mut answer = Answer::default();
        let all = events.into_iter().map(|event| answer.sort(event));
        all.filter(|sorted| *sorted != Sorted::Swallowed).collect()
    }

    #[test]
    fn the_answer_is_taken_and_never_typed() {
        assert_eq!(sorted(answer("11;rgb:ffff/ffff/dddd")), [Sorted::Background(Tone::Light)]);
        assert_eq!(sorted(answer("11;rgb:1e/1e/2e")), [Sorted::Background(Tone::Dark)]);
        assert_eq!(sorted(answer("11;rgb:f/f/f")), [Sorted::Background(Tone::Light)]);
        let mut bell = answer("11;rgb:0/0/0");
        bell.pop();
        bell.push(key('g', KeyModifiers::CONTROL));
        assert_eq!(sorted(bell), [Sorted::Background(Tone::Dark)]);
    }

    #[test]
    fn a_second_answer_and_one_cut_in_two_are_taken_too() {
        let twice = [answer("11;rgb:0/0/0"), answer("11;rgb:f/f/f")].concat();
        assert_eq!(
            sorted(twice),
            [Sorted::Background(Tone::Dark), Sorted::Background(Tone::Light)]
        );
        let mut cut = answer("11;rgb:0/0/0");
        cut.pop();
        cut.push(Event::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)));
        cut.push(key('\\', KeyModifiers::NONE));
        assert_eq!(sorted(cut), [Sorted::Background(Tone::Dark)]);
    }

    #[test]
    fn typing_behind_alt_bracket_is_typing() {
        let typed = [key('f', KeyModifiers::NONE), key('1', KeyModifiers::NONE)];
        let events = [vec![key(']', KeyModifiers::ALT)], typed.to_vec()].concat();
        assert_eq!(sorted(events), typed.map(Sorted::Input));
    }

    #[test]
    fn keys_are_left_alone() {
        let digit = key('2', KeyModifiers::NONE);
        assert_eq!(sorted(vec![digit.clone()]), [Sorted::Input(digit)]);
    }
}
