//! A tap through a terminal: the bytes that ring a bell or have the terminal show a notification,
//! also at the far end of an SSH connection.

use serde::Deserialize;

use crate::clean;

/// The most characters of a title or a body: terminals drop sequences that are too long.
const LONGEST: usize = 200;

const ESC: char = '\u{1b}';
/// Ends a sequence: BEL is understood by more terminals than ST.
const BEL: char = '\u{7}';

/// What is sent to the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sequence {
    /// BEL: every terminal rings, blinks or marks its window. It carries no text.
    Bell,
    /// OSC 9: iTerm2, Windows Terminal, Ghostty and others.
    Osc9,
    /// OSC 777: urxvt, foot, Ghostty and others.
    Osc777,
    /// OSC 99: kitty.
    Osc99,
}

/// How a terminal is tapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// What is sent.
    pub sequence: Sequence,
    /// Whether it has to get through tmux, which must allow it: `set -g allow-passthrough on`. A
    /// bell gets through by itself.
    pub through_tmux: bool,
}

/// The bytes that tap on the shoulder of whoever is at the terminal.
///
/// Whatever is in `title` and `body`, it stays inside the sequence.
#[must_use]
pub fn tap(style: Style, title: &str, body: &str) -> Vec<u8> {
    // Neither control characters, so that nothing ends the sequence early, nor anything that hides.
    let (title, body) = (clean::line(title, LONGEST), clean::line(body, LONGEST));
    let all = || {
        let parts = [title.as_str(), body.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
    };
    let sequence = match style.sequence {
        Sequence::Bell => return vec![b'\x07'],
        Sequence::Osc9 => {
            let all = all();
            // A number first means something else to some: progress, say.
            let guard = if all.starts_with(|c: char| c.is_ascii_digit()) { "» " } else { "" };
            format!("{ESC}]9;{guard}{all}{BEL}")
        }
        // A semicolon would end the title.
        Sequence::Osc777 => {
            format!("{ESC}]777;notify;{};{body}{BEL}", title.replace(';', ","))
        }
        // Without metadata the payload is the title, and kitty wants ST there.
        Sequence::Osc99 => format!("{ESC}]99;;{}{ESC}\\", all()),
    };
    if !style.through_tmux {
        return sequence.into_bytes();
    }
    let doubled = sequence.replace(ESC, "\u{1b}\u{1b}");
    format!("{ESC}Ptmux;{doubled}{ESC}\\").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Sequence; 4] = [Sequence::Bell, Sequence::Osc9, Sequence::Osc777, Sequence::Osc99];

    fn plain(sequence: Sequence) -> Style {
        Style { sequence, through_tmux: false }
    }

    fn said(style: Style, title: &str, body: &str) -> String {
        String::from_utf8(tap(style, title, body)).unwrap()
    }

    #[test]
    fn each_terminal_gets_its_own_sequence() {
        let said = |sequence| said(plain(sequence), "api; web", "Which one?");
        assert_eq!(said(Sequence::Bell), "\x07");
        assert_eq!(said(Sequence::Osc9), "\x1b]9;api; web: Which one?\x07");
        assert_eq!(said(Sequence::Osc777), "\x1b]777;notify;api, web;Which one?\x07");
        assert_eq!(said(Sequence::Osc99), "\x1b]99;;api; web: Which one?\x1b\\");
    }

    #[test]
    fn tmux_passes_on_what_is_wrapped_for_it() {
        let style = |sequence| Style { sequence, through_tmux: true };
        let osc9 = said(style(Sequence::Osc9), "api", "");
        assert_eq!(osc9, "\x1bPtmux;\x1b\x1b]9;api\x07\x1b\\");
        assert_eq!(
            said(style(Sequence::Osc99), "api", ""),
            "\x1bPtmux;\x1b\x1b]99;;api\x1b\x1b\\\x1b\\"
        );
        assert_eq!(said(style(Sequence::Bell), "api", ""), "\x07");
    }

    #[test]
    fn a_number_first_is_no_order_to_the_terminal() {
        assert_eq!(said(plain(Sequence::Osc9), "4;1;50", ""), "\x1b]9;» 4;1;50\x07");
    }

    proptest! {
        #[test]
        fn nothing_breaks_out(title in any::<String>(), body in any::<String>(), tmux: bool) {
            for sequence in ALL {
                let style = Style { sequence, through_tmux: tmux };
                let bytes = said(style, &title, &body);
                // With nothing to say, the frame has as many control characters as with anything.
                let frame = said(style, "", "");
                let controls = |text: &str| text.chars().filter(|c| c.is_control()).collect::<String>();
                prop_assert_eq!(controls(&bytes), controls(&frame));
                if sequence == Sequence::Osc777 {
                    let start = bytes.find("notify;").unwrap() + "notify;".len();
                    let title_ends = bytes[start..].find(';').unwrap();
                    let wanted = clean::line(&title, LONGEST).replace(';', ",");
                    prop_assert_eq!(&bytes[start..start + title_ends], wanted.as_str());
                }
            }
        }
    }
}
