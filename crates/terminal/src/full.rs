//! Painting the whole screen: the alternate one, so that what was there is there again afterwards.

use std::io::{self, Write};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate,
};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::inline::write_line;
use crate::raw_mode;

/// The whole screen. Only lines that have changed are painted again: it may be far away.
pub(crate) struct Full<W> {
    out: W,
    /// What is on the screen, as far as it is known.
    painted: Option<Buffer>,
    taken: bool,
}

impl<W: Write> Full<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, painted: None, taken: false }
    }

    pub(crate) fn paint(&mut self, buf: Buffer, cursor: Option<Position>) -> io::Result<()> {
        if !self.taken {
            raw_mode::take_screen(&mut self.out)?;
            self.taken = true;
        }
        queue!(self.out, BeginSynchronizedUpdate, Hide, DisableLineWrap)?;
        let before = self.painted.take().filter(|painted| painted.area == buf.area);
        if before.is_none() {
            queue!(self.out, Clear(ClearType::All))?;
        }
        let width = usize::from(buf.area.width);
        for y in 0..buf.area.height {
            let line = usize::from(y) * width..(usize::from(y) + 1) * width;
            let same = |before: &Buffer| before.content[line.clone()] == buf.content[line.clone()];
            if !before.as_ref().is_some_and(same) {
                queue!(self.out, MoveTo(0, y))?;
                write_line(&mut self.out, &buf, y, buf.area.width)?;
            }
        }
        queue!(self.out, EnableLineWrap)?;
        if let Some(at) = cursor {
            queue!(self.out, MoveTo(at.x, at.y), Show)?;
        }
        queue!(self.out, EndSynchronizedUpdate)?;
        self.painted = Some(buf);
        self.out.flush()
    }
}

/// What a terminal session paints on.
pub(crate) trait Canvas {
    type Out: Write;

    /// Takes away what was painted.
    fn erase(&mut self) -> io::Result<()>;

    /// Forgets what was painted: something else has written to the screen since.
    fn forget(&mut self);

    /// Takes note of a new width.
    fn resize(&mut self, columns: u16);

    fn out(&mut self) -> &mut Self::Out;
}

impl<W: Write> Canvas for Full<W> {
    type Out = W;

    /// Gives the screen back as it was.
    fn erase(&mut self) -> io::Result<()> {
        self.painted = None;
        self.taken = false;
        raw_mode::leave_screen(&mut self.out)
    }

    fn forget(&mut self) {
        self.painted = None;
    }

    fn resize(&mut self, _: u16) {
        self.painted = None;
    }

    fn out(&mut self) -> &mut W {
        &mut self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(full: &mut Full<Vec<u8>>, lines: [&str; 3]) -> String {
        full.out.clear();
        full.paint(Buffer::with_lines(lines), None).unwrap();
        String::from_utf8(full.out.clone()).unwrap()
    }

    #[test]
    fn only_lines_that_have_changed_are_painted_again() {
        let mut full = Full { out: vec![], painted: None, taken: true };
        let first = painted(&mut full, ["one", "two", "six"]);
        assert!(first.contains("one") && first.contains("six"), "{first:?}");
        let second = painted(&mut full, ["one", "2", "six"]);
        assert!(second.contains("\u{1b}[2;1H2\u{1b}[K"), "{second:?}");
        assert!(!second.contains("one") && !second.contains("six"), "{second:?}");
        full.resize(80);
        assert!(painted(&mut full, ["one", "2", "six"]).contains("\u{1b}[2J"));
    }
}
