//! A key, as the lists understand it.

#![expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named means nothing here")]

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key means where something is chosen, not typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stroke {
    Up,
    Down,
    First,
    Last,
    Enter,
    Space,
    /// A row, counted from 0.
    Digit(usize),
    Letter(char),
    Esc,
    NextPage,
    PreviousPage,
    ScrollUp,
    ScrollDown,
    ScrollBodyUp,
    ScrollBodyDown,
}

impl Stroke {
    /// Reads a key. One that carries Alt means nothing: terminals send it for Esc and a key right
    /// after, and that must not choose anything.
    pub(super) fn of(key: KeyEvent) -> Option<Self> {
        if key.modifiers.contains(KeyModifiers::ALT) {
            return None;
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('p') => Some(Self::Up),
                KeyCode::Char('n') => Some(Self::Down),
                // Line feed: Enter, for programs that send it so.
                KeyCode::Char('j') => Some(Self::Enter),
                KeyCode::Char('u') => Some(Self::ScrollBodyUp),
                KeyCode::Char('d') => Some(Self::ScrollBodyDown),
                _ => None,
            };
        }
        Some(match key.code {
            KeyCode::Up | KeyCode::Char('k') => Self::Up,
            KeyCode::Down | KeyCode::Char('j') => Self::Down,
            KeyCode::Home => Self::First,
            KeyCode::End => Self::Last,
            KeyCode::Enter => Self::Enter,
            KeyCode::Char(' ') => Self::Space,
            KeyCode::Char(digit @ '1'..='9') => Self::Digit(digit as usize - '1' as usize),
            KeyCode::Char(letter) => Self::Letter(letter),
            KeyCode::Esc => Self::Esc,
            KeyCode::Tab | KeyCode::Right => Self::NextPage,
            KeyCode::BackTab | KeyCode::Left => Self::PreviousPage,
            KeyCode::PageUp => Self::ScrollUp,
            KeyCode::PageDown => Self::ScrollDown,
            _ => return None,
        })
    }
}
