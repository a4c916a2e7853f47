//! What a prompt leaves behind.

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use rustix::termios::{QueueSelector, tcflush};

use super::Session;
use crate::clean::{visible, wrap};
use crate::full::Canvas;
use crate::outcome::Outcome;
use crate::palette::Role;
use crate::prompt::{Prompt, Unsent};

/// Once confirmed, the frame turns green for a moment before it gives way.
const FLASH: Duration = Duration::from_millis(100);

impl Session<'_> {
    /// Shows that the answer was taken.
    pub(super) fn flash(&mut self, prompt: &mut Prompt) -> io::Result<()> {
        prompt.flash_until = Some(Duration::MAX);
        let (buf, _) = self.draw(prompt);
        self.screen.paint(&buf, None)?;
        thread::sleep(FLASH);
        Ok(())
    }

    /// Gives way to an answer from elsewhere.
    pub(super) fn closed(&mut self, prompt: &Prompt, lines: &[String]) -> io::Result<Outcome> {
        let unsent = prompt.unsent();
        self.leave(lines)?;
        self.leave_words(&unsent)?;
        self.give_back();
        Ok(Outcome::Closed(unsent))
    }

    /// Takes the prompt away and leaves `lines` in its place.
    pub(super) fn close(&mut self, lines: &[String]) -> io::Result<()> {
        self.leave(lines)?;
        self.give_back();
        Ok(())
    }

    fn leave(&mut self, lines: &[String]) -> io::Result<()> {
        self.await_background();
        self.screen.erase()?;
        let width = usize::from(self.columns.max(2) - 1);
        let mut drawn = vec![];
        for line in lines {
            let role = if line.starts_with('✔') { Role::Success } else { Role::Muted };
            let style = self.palette.style(role);
            drawn.extend(wrap(line, width).into_iter().map(|part| Line::styled(part, style)));
        }
        let height = u16::try_from(drawn.len()).unwrap_or(u16::MAX);
        let mut buf = Buffer::empty(Rect::new(0, 0, self.columns, height));
        for (y, line) in (0..height).zip(&drawn) {
            buf.set_line(0, y, line, self.columns);
        }
        self.screen.print(&buf)
    }

    /// Leaves what was typed, to be copied: in lines as they were typed, which the terminal wraps
    /// by itself.
    fn leave_words(&mut self, unsent: &Unsent) -> io::Result<()> {
        unsent.texts().try_for_each(|text| self.leave_text(text))
    }

    pub(super) fn leave_text(&mut self, text: &str) -> io::Result<()> {
        let apart = if text.contains('\n') { '\n' } else { ' ' };
        let words = visible(&format!("You had typed:{apart}{text}\n"));
        self.screen.out().write_all(words.replace('\n', "\r\n").as_bytes())?;
        self.screen.out().flush()
    }
}

impl<C: Canvas> Session<'_, C> {
    /// Gives the terminal back.
    pub(super) fn give_back(&mut self) {
        self.keys = None;
        // Half-typed words must not end up in the shell. Should it fail, all is said already.
        let _ = tcflush(self.tty, QueueSelector::IFlush);
        self.raw = None;
    }
}
