//! From what the terminal sends to what the prompt takes.

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use super::{Session, size};
use crate::background::Sorted;
use crate::burst::{self, Arrival};
use crate::full::Canvas;
use crate::prompt::Input;
use crate::wakes::Wake;

/// The two halves of an answer about the background come this close together.
const SPLIT: Duration = Duration::from_millis(60);

impl<C: Canvas> Session<'_, C> {
    /// Whether a key was meant for another page than the one on the screen.
    pub(super) fn is_too_early(&self, arrival: &Arrival) -> bool {
        arrival.at < self.page_shown && matches!(arrival.event, Event::Key(_) | Event::Paste(_))
    }

    /// What a key, and those that came along with it, mean to the prompt.
    pub(super) fn arrived(&mut self, arrival: Arrival, writing: bool) -> Vec<Input> {
        let may_be_pasted = match writing {
            _ if self.background.answer.is_arriving() => false,
            true => burst::may_be_pasted(self.last_key, &arrival),
            false => burst::may_be_text(&arrival),
        };
        self.last_key = Some(arrival.at);
        let mut events = vec![self.unsplit(arrival.event)];
        if may_be_pasted {
            while let Some(next) = self.wakes.next_arrival(burst::PATIENCE) {
                self.last_key = Some(next.at);
                events.push(next.event);
            }
            events = if writing { burst::join(events) } else { burst::join_text(events) };
        }
        events.into_iter().filter_map(|event| self.sorted(event)).collect()
    }

    /// The terminal's answer about its background may arrive in two pieces, the first of which
    /// reads as Esc: while it is still expected, Esc waits a moment for what follows.
    fn unsplit(&mut self, event: Event) -> Event {
        let esc = matches!(event, Event::Key(KeyEvent { code: KeyCode::Esc, .. }));
        if !esc || !self.background.is_expected() {
            return event;
        }
        match self.wakes.next_arrival(SPLIT) {
            Some(Arrival { event: Event::Key(key), .. }) if key.code == KeyCode::Char(']') => {
                Event::Key(KeyEvent::new(KeyCode::Char(']'), KeyModifiers::ALT))
            }
            Some(other) => {
                self.wakes.put_back(Wake::Arrival(other));
                event
            }
            None => event,
        }
    }

    /// What an event means to the prompt, if it is not the terminal's answer.
    pub(super) fn sorted(&mut self, event: Event) -> Option<Input> {
        let event = match self.background.answer.sort(event) {
            Sorted::Input(event) => event,
            Sorted::Swallowed => return None,
            Sorted::Background(tone) => {
                self.palette.tone = tone;
                return Some(Input::Tick);
            }
        };
        match event {
            Event::Key(key) => Some(Input::Key(key)),
            Event::Paste(text) => Some(Input::Paste(text)),
            Event::Resize(..) => {
                let (columns, rows) = size();
                self.screen.resize(columns);
                (self.columns, self.rows) = (columns, rows);
                Some(Input::Tick)
            }
            Event::FocusGained | Event::FocusLost | Event::Mouse(_) => None,
        }
    }

    /// Waits a moment for an answer still under way, so that it does not end up in the shell.
    pub(super) fn await_background(&mut self) {
        let mut others = vec![];
        while let Some(left) = self.background.time_left() {
            match self.wakes.next(Some(left)) {
                Ok(Wake::Arrival(arrival)) => {
                    let event = self.unsplit(arrival.event);
                    self.background.answer.sort(event);
                }
                Ok(Wake::InputLost(_)) | Err(_) => break,
                Ok(other) => others.push(other),
            }
        }
        others.into_iter().rev().for_each(|other| self.wakes.put_back(other));
    }
}
