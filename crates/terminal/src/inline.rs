//! Painting below what is already on the screen, and cleaning up after.
//!
//! Only relative movement is used, so the terminal is never asked where its cursor is: the first
//! picture waits for no answer, and nothing above it is touched.

use std::io::{self, Write};

use crossterm::cursor::{
    Hide, MoveDown, MoveToColumn, MoveUp, RestorePosition, SavePosition, Show,
};
use crossterm::queue;
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate,
};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier};
use ratatui::text::Line;
use unicode_width::UnicodeWidthStr;

use crate::full::Canvas;

/// A block of lines that is painted over and over in the same place.
pub(crate) struct Inline<W> {
    out: W,
    /// Width of each line as last painted, to know where it went when the terminal is resized.
    painted: Vec<u16>,
    /// Where the cursor was left, counted from the top left of the picture.
    cursor: Position,
    columns: u16,
    /// The terminal has re-wrapped the picture into this many rows: wipe them before painting.
    rewrapped: Option<u16>,
}

impl<W: Write> Inline<W> {
    pub(crate) fn new(out: W, columns: u16) -> Self {
        Self { out, painted: vec![], cursor: Position::ORIGIN, columns, rewrapped: None }
    }

    /// Paints `buf`, with the cursor shown at `cursor` or hidden.
    pub(crate) fn paint(&mut self, buf: &Buffer, cursor: Option<Position>) -> io::Result<()> {
        self.paint_below(&[], buf, cursor)
    }

    /// Writes lines that stay where the picture was, and paints `buf` below them: all at once, so
    /// that nothing flickers.
    pub(crate) fn paint_below(
        &mut self,
        lines: &[Line<'_>],
        buf: &Buffer,
        cursor: Option<Position>,
    ) -> io::Result<()> {
        queue!(self.out, BeginSynchronizedUpdate, Hide, DisableLineWrap)?;
        self.go_to_top()?;
        if let Some(rows) = self.rewrapped.take() {
            self.wipe(rows)?;
        }
        let before = usize::from(self.rows());
        for line in lines {
            let mut row = Buffer::empty(Rect::new(0, 0, self.columns, 1));
            row.set_line(0, 0, line, self.columns);
            write_line(&mut self.out, &row, 0, self.columns)?;
            self.out.write_all(b"\r\n")?;
        }
        self.painted.clear();
        for y in 0..buf.area.height {
            if y > 0 {
                self.out.write_all(b"\r\n")?;
            }
            let width = write_line(&mut self.out, buf, y, self.columns)?;
            self.painted.push(width);
        }
        let last = buf.area.height.saturating_sub(1);
        // Whatever a taller picture left below, after the line the cursor is on.
        let now = lines.len() + usize::from(buf.area.height);
        self.wipe_below(u16::try_from(before.saturating_sub(now)).unwrap_or(u16::MAX))?;
        queue!(self.out, EnableLineWrap)?;
        self.cursor = Position::new(self.painted.last().copied().unwrap_or(0), last);
        if let Some(at) = cursor {
            self.up(last.saturating_sub(at.y))?;
            queue!(self.out, MoveToColumn(at.x), Show)?;
            self.cursor = Position::new(at.x, at.y.min(last));
        }
        queue!(self.out, EndSynchronizedUpdate)?;
        self.out.flush()
    }

    /// Writes lines that stay.
    pub(crate) fn print(&mut self, buf: &Buffer) -> io::Result<()> {
        for y in 0..buf.area.height {
            write_line(&mut self.out, buf, y, self.columns)?;
            self.out.write_all(b"\r\n")?;
        }
        self.out.flush()
    }

    fn go_to_top(&mut self) -> io::Result<()> {
        self.out.write_all(b"\r")?;
        self.up(self.cursor.y)
    }

    /// Clears the line of the cursor and those below it that belong to the picture.
    fn wipe(&mut self, rows: u16) -> io::Result<()> {
        queue!(self.out, Clear(ClearType::CurrentLine))?;
        self.wipe_below(rows.saturating_sub(1))
    }

    /// Clears rows below the cursor and comes back. Line by line: told to clear a whole screen,
    /// tmux keeps a copy in its history.
    fn wipe_below(&mut self, rows: u16) -> io::Result<()> {
        queue!(self.out, SavePosition)?;
        for _ in 0..rows {
            queue!(self.out, MoveDown(1), Clear(ClearType::CurrentLine))?;
        }
        queue!(self.out, RestorePosition)
    }

    fn rows(&self) -> u16 {
        u16::try_from(self.painted.len()).unwrap_or(u16::MAX)
    }

    /// `MoveUp(0)` would still move by one.
    fn up(&mut self, rows: u16) -> io::Result<()> {
        if rows > 0 { queue!(self.out, MoveUp(rows)) } else { Ok(()) }
    }
}

impl<W: Write> Canvas for Inline<W> {
    type Out = W;

    /// Removes the picture and leaves the cursor where it began.
    fn erase(&mut self) -> io::Result<()> {
        self.go_to_top()?;
        let rows = self.rewrapped.take().unwrap_or(self.rows());
        self.wipe(rows)?;
        self.forget();
        queue!(self.out, Show)?;
        self.out.flush()
    }

    /// Forgets the picture: something else has written to the screen since.
    fn forget(&mut self) {
        self.painted.clear();
        self.cursor = Position::ORIGIN;
    }

    /// Takes note of a new width: terminals re-wrap lines that no longer fit, and the cursor
    /// moves along with them.
    fn resize(&mut self, columns: u16) {
        let columns = columns.max(1);
        if columns < self.columns {
            let rows = |lines: &[u16]| {
                let rows_of = |width: &u16| width.div_ceil(columns).max(1);
                lines.iter().map(rows_of).fold(0, u16::saturating_add)
            };
            let above = rows(&self.painted[..self.painted.len().min(self.cursor.y.into())]);
            self.cursor.y = above.saturating_add(self.cursor.x / columns);
            self.rewrapped = Some(rows(&self.painted));
        }
        self.columns = columns;
    }

    fn out(&mut self) -> &mut W {
        &mut self.out
    }
}

/// Writes one line without trailing blanks and returns its width.
pub(crate) fn write_line(
    out: &mut impl Write,
    buf: &Buffer,
    y: u16,
    columns: u16,
) -> io::Result<u16> {
    let row = (0..buf.area.width).filter_map(|x| buf.cell(Position::new(x, y)));
    let row: Vec<&Cell> = row.collect();
    let blank = |cell: &&&Cell| cell.symbol() == " " && cell.bg == Color::Reset;
    let used = row.len() - row.iter().rev().take_while(blank).count();
    let mut style = Paint::default();
    let mut skip = 0;
    let mut width = 0;
    for cell in &row[..used] {
        if skip > 0 {
            // The second half of a wide character.
            skip -= 1;
            continue;
        }
        style = style.change_to(Paint::of(cell), out)?;
        queue!(out, Print(cell.symbol()))?;
        let wide = cell.symbol().width().max(1);
        skip = wide - 1;
        width += u16::try_from(wide).unwrap_or(u16::MAX);
    }
    style.change_to(Paint::default(), out)?;
    // In the last column the cursor still stands on the character it wrote.
    if width < columns {
        queue!(out, Clear(ClearType::UntilNewLine))?;
    }
    Ok(width)
}

/// Colours and weight of one cell.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Paint {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl Default for Paint {
    fn default() -> Self {
        Self { fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() }
    }
}

impl Paint {
    fn of(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
    }

    fn change_to(self, wanted: Self, out: &mut impl Write) -> io::Result<Self> {
        if self == wanted {
            return Ok(wanted);
        }
        queue!(out, SetAttribute(Attribute::Reset))?;
        for (modifier, attribute) in
            [(Modifier::BOLD, Attribute::Bold), (Modifier::DIM, Attribute::Dim)]
        {
            if wanted.modifier.contains(modifier) {
                queue!(out, SetAttribute(attribute))?;
            }
        }
        sgr_color(out, wanted.fg, 30)?;
        sgr_color(out, wanted.bg, 40)?;
        Ok(wanted)
    }
}

/// Written by hand because crossterm drops all colour when `NO_COLOR` is set in the environment,
/// which is for the palette to decide, once.
fn sgr_color(out: &mut impl Write, color: Color, base: u8) -> io::Result<()> {
    match color {
        Color::Rgb(r, g, b) => write!(out, "\x1b[{};2;{r};{g};{b}m", base + 8),
        Color::Indexed(index) => write!(out, "\x1b[{};5;{index}m", base + 8),
        Color::Red => write!(out, "\x1b[{}m", base + 1),
        Color::Green => write!(out, "\x1b[{}m", base + 2),
        Color::Yellow => write!(out, "\x1b[{}m", base + 3),
        Color::Blue => write!(out, "\x1b[{}m", base + 4),
        Color::LightBlue => write!(out, "\x1b[{}m", base + 64),
        // The palette uses no others.
        Color::Reset
        | Color::Black
        | Color::Magenta
        | Color::Cyan
        | Color::Gray
        | Color::DarkGray
        | Color::LightRed
        | Color::LightGreen
        | Color::LightYellow
        | Color::LightMagenta
        | Color::LightCyan
        | Color::White => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Style;

    fn painted(buf: &Buffer) -> String {
        let mut inline = Inline::new(Vec::new(), 80);
        inline.print(buf).unwrap();
        String::from_utf8(inline.out).unwrap()
    }

    #[test]
    fn lines_carry_their_style_and_no_trailing_blanks() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 10, 1));
        buf.set_string(0, 0, "a", Style::new().fg(Color::Rgb(1, 2, 3)).bold());
        buf.set_string(1, 0, "日b", Style::new());
        assert_eq!(painted(&buf), "\x1b[0m\x1b[1m\x1b[38;2;1;2;3ma\x1b[0m日b\x1b[K\r\n");
    }

    #[test]
    fn a_picture_is_painted_over_in_place() {
        let mut inline = Inline::new(Vec::new(), 80);
        let buf = Buffer::with_lines(["one", "two", "three"]);
        inline.paint(&buf, None).unwrap();
        inline.out.clear();
        inline.paint(&buf, Some(Position::new(2, 0))).unwrap();
        let text = String::from_utf8(inline.out.clone()).unwrap();
        assert!(text.contains("\r\x1b[2Aone"), "{text:?}");
        assert!(text.contains("\x1b[2A\x1b[3G"), "{text:?}");
        inline.out.clear();
        inline.erase().unwrap();
        assert_eq!(
            String::from_utf8(inline.out).unwrap(),
            "\r\x1b[2K\x1b7\x1b[1B\x1b[2K\x1b[1B\x1b[2K\x1b8\x1b[?25h"
        );
    }

    #[test]
    fn lines_that_stay_take_the_place_of_the_picture() {
        let mut inline = Inline::new(Vec::new(), 80);
        inline.paint(&Buffer::with_lines(["one", "two", "three"]), None).unwrap();
        inline.out.clear();
        inline.paint_below(&[Line::raw("stays")], &Buffer::with_lines(["one"]), None).unwrap();
        let text = String::from_utf8(inline.out.clone()).unwrap();
        assert!(text.contains("\r\x1b[2Astays\x1b[K\r\none\x1b[K"), "{text:?}");
        assert!(text.contains("\x1b7\x1b[1B\x1b[2K\x1b8"), "what is left over is wiped: {text:?}");
        assert_eq!(inline.rows(), 1);
    }

    #[test]
    fn a_narrower_terminal_wraps_what_was_painted() {
        let mut inline = Inline::new(Vec::new(), 80);
        let long = "x".repeat(70);
        inline.paint(&Buffer::with_lines([long.as_str(), "short", "end"]), None).unwrap();
        inline.resize(40);
        assert_eq!(inline.cursor.y, 3);
    }

    #[test]
    fn a_very_tall_picture_in_a_very_narrow_terminal_is_no_catastrophe() {
        let mut inline = Inline::new(Vec::new(), 200);
        let line = "x".repeat(200);
        inline.paint(&Buffer::with_lines(vec![line; 1000]), None).unwrap();
        inline.resize(1);
        assert_eq!(inline.cursor.y, u16::MAX);
    }
}
