//! Painting the whole screen: the alternate one, so that what was there is there again afterwards.

use std::io::{self, Write};
use std::ops::Range;

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

/// A whole screen, as it is to be painted.
#[derive(Debug)]
pub(crate) struct Picture {
    pub(crate) buf: Buffer,
    pub(crate) cursor: Option<Position>,
    /// Full rows whose text goes on in the next one. There the terminal breaks the line by itself, and knows
    /// that it did: what is selected or clicked is the whole text.
    pub(crate) going_on: Vec<u16>,
}

impl Picture {
    /// Where the line ends that begins in this row.
    fn end_of_line(&self, row: u16) -> u16 {
        let height = self.buf.area.height;
        let last = (row..height).find(|row| !self.going_on.contains(row));
        last.map_or(height, |last| last + 1)
    }
}

/// The whole screen. Only lines that have changed are painted again: it may be far away.
pub(crate) struct Full<W> {
    out: W,
    /// What is on the screen, as far as it is known.
    painted: Option<Picture>,
    taken: bool,
}

impl<W: Write> Full<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, painted: None, taken: false }
    }

    pub(crate) fn paint(&mut self, picture: Picture) -> io::Result<()> {
        if !self.taken {
            raw_mode::take_screen(&mut self.out)?;
            self.taken = true;
        }
        queue!(self.out, BeginSynchronizedUpdate, Hide, DisableLineWrap)?;
        let Picture { buf, going_on, .. } = &picture;
        let before = self.painted.take().filter(|painted| {
            // A terminal that has broken a line remembers it until the line is cleared.
            painted.buf.area == buf.area && painted.going_on == *going_on
        });
        if before.is_none() {
            queue!(self.out, Clear(ClearType::All))?;
        }
        let width = usize::from(buf.area.width);
        let mut y = 0;
        while y < buf.area.height {
            let end = picture.end_of_line(y);
            let line = usize::from(y) * width..usize::from(end) * width;
            let same =
                |before: &Picture| before.buf.content[line.clone()] == buf.content[line.clone()];
            if !before.as_ref().is_some_and(same) {
                queue!(self.out, MoveTo(0, y))?;
                self.write_line(buf, y..end)?;
            }
            y = end;
        }
        queue!(self.out, EnableLineWrap)?;
        if let Some(at) = picture.cursor {
            queue!(self.out, MoveTo(at.x, at.y), Show)?;
        }
        queue!(self.out, EndSynchronizedUpdate)?;
        self.painted = Some(picture);
        self.out.flush()
    }

    /// Writes what is one line to the terminal, in however many rows.
    fn write_line(&mut self, buf: &Buffer, rows: Range<u16>) -> io::Result<()> {
        let breaks = rows.len() > 1;
        if breaks {
            queue!(self.out, EnableLineWrap)?;
        }
        for y in rows {
            write_line(&mut self.out, buf, y, buf.area.width)?;
        }
        if breaks {
            queue!(self.out, DisableLineWrap)?;
        }
        Ok(())
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
        let buf = Buffer::with_lines(lines);
        full.paint(Picture { buf, cursor: None, going_on: vec![] }).unwrap();
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

    #[test]
    fn a_text_that_goes_on_is_broken_by_the_terminal_and_cleared_when_it_no_longer_does() {
        let mut full = Full { out: vec![], painted: None, taken: true };
        let mut paint = |going_on: Vec<u16>| {
            full.out.clear();
            let buf = Buffer::with_lines(["head", "long", "er  "]);
            full.paint(Picture { buf, cursor: None, going_on }).unwrap();
            String::from_utf8(full.out.clone()).unwrap()
        };
        let whole = paint(vec![1]);
        assert!(whole.contains("\u{1b}[2;1H\u{1b}[?7hlonger\u{1b}[K\u{1b}[?7l"), "{whole:?}");
        assert!(!paint(vec![1]).contains("longer"), "it is there");
        let apart = paint(vec![]);
        assert!(apart.contains("\u{1b}[2J") && apart.contains("long\u{1b}[3;1Her"), "{apart:?}");
    }
}
