//! A text field: several lines, wrapped, with the keys people's fingers know.

#![expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named means nothing here")]

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use handraise_question::OwnWordsError;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::Widget;
use ratatui_textarea::{CursorMove, DataCursor, TextArea, WrapMode};

use crate::clean::wrap;

/// Text being typed.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    area: TextArea<'static>,
}

impl Field {
    /// A field holding `text`, the cursor at its end.
    pub(crate) fn new(text: &str) -> Self {
        let mut area = text_area(text.split('\n').map(str::to_owned).collect());
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        Self { area }
    }

    fn fresh(&self) -> TextArea<'static> {
        let mut area = text_area(self.area.lines().to_vec());
        let DataCursor(row, col) = self.area.cursor();
        let small = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        area.move_cursor(CursorMove::Jump(small(row), small(col)));
        area
    }

    pub(crate) fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Edits by one key. Returns whether the key meant anything here.
    pub(crate) fn key(&mut self, key: KeyEvent) -> bool {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let word = ctrl || alt;
        let area = &mut self.area;
        match key.code {
            KeyCode::Enter => area.insert_newline(),
            KeyCode::Char('j') if ctrl => area.insert_newline(),
            KeyCode::Backspace if word => drop(area.delete_word()),
            KeyCode::Char('w') if ctrl => drop(area.delete_word()),
            KeyCode::Backspace => drop(area.delete_char()),
            KeyCode::Char('h') if ctrl => drop(area.delete_char()),
            KeyCode::Delete if word => drop(area.delete_next_word()),
            KeyCode::Char('d') if alt => drop(area.delete_next_word()),
            KeyCode::Delete => drop(area.delete_next_char()),
            KeyCode::Char('d') if ctrl => drop(area.delete_next_char()),
            KeyCode::Char('u') if ctrl => drop(area.delete_line_by_head()),
            KeyCode::Char('k') if ctrl => drop(area.delete_line_by_end()),
            KeyCode::Char('y') if ctrl => drop(area.paste()),
            KeyCode::Char('_') if ctrl => drop(area.undo()),
            KeyCode::Left if word => area.move_cursor(CursorMove::WordBack),
            KeyCode::Char('b') if alt => area.move_cursor(CursorMove::WordBack),
            KeyCode::Right if word => area.move_cursor(CursorMove::WordForward),
            KeyCode::Char('f') if alt => area.move_cursor(CursorMove::WordForward),
            KeyCode::Left => area.move_cursor(CursorMove::Back),
            KeyCode::Char('b') if ctrl => area.move_cursor(CursorMove::Back),
            KeyCode::Right => area.move_cursor(CursorMove::Forward),
            KeyCode::Char('f') if ctrl => area.move_cursor(CursorMove::Forward),
            KeyCode::Up => area.move_cursor(CursorMove::Up),
            KeyCode::Down => area.move_cursor(CursorMove::Down),
            KeyCode::Home if ctrl => area.move_cursor(CursorMove::Top),
            KeyCode::End if ctrl => area.move_cursor(CursorMove::Bottom),
            KeyCode::Home => area.move_cursor(CursorMove::Head),
            KeyCode::Char('a') if ctrl => area.move_cursor(CursorMove::Head),
            KeyCode::End => area.move_cursor(CursorMove::End),
            KeyCode::Char('e') if ctrl => area.move_cursor(CursorMove::End),
            KeyCode::Char(c) if !ctrl && !alt => area.insert_char(c),
            _ => return false,
        }
        true
    }

    /// Inserts pasted text whole, or refuses it whole.
    ///
    /// # Errors
    ///
    /// Names the control character that has no place in an answer.
    pub(crate) fn paste(&mut self, text: &str) -> Result<(), OwnWordsError> {
        // Terminals paste a line end as carriage return.
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        if let Some(c) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
            return Err(OwnWordsError::ControlCharacter(c));
        }
        self.area.insert_str(text);
        Ok(())
    }

    /// How many rows the text takes at `width` columns, about: the field scrolls by itself.
    pub(crate) fn rows(&self, width: u16) -> usize {
        let width = usize::from(width.max(2));
        // One column less than there is: the cursor stands behind the end of the text.
        self.area.lines().iter().map(|line| wrap(line, width - 1).len().max(1)).sum()
    }

    /// Draws the field and returns where its cursor is.
    pub(crate) fn render(
        &self,
        area: Rect,
        buf: &mut Buffer,
        text: Style,
        cursor: Style,
    ) -> Option<Position> {
        if area.is_empty() {
            return None;
        }
        // The field itself learns its width, by which ↑ and ↓ move; what is drawn is a fresh copy,
        // scrolled no further than its cursor needs, whatever the field's size was before.
        (&self.area).render(area, &mut Buffer::empty(area));
        let fresh = self.fresh();
        (&fresh).render(area, buf);
        buf.set_style(area, text);
        let at = fresh.screen_cursor();
        let (top, _) = fresh.scroll_offset();
        let row = u16::try_from(at.row).unwrap_or(u16::MAX).saturating_sub(top);
        let col = u16::try_from(at.col).unwrap_or(u16::MAX);
        let position = Position::new(
            area.x.saturating_add(col).min(area.right() - 1),
            area.y.saturating_add(row).min(area.bottom() - 1),
        );
        buf.set_style(Rect::new(position.x, position.y, 1, 1), cursor);
        Some(position)
    }
}

fn text_area(lines: Vec<String>) -> TextArea<'static> {
    let mut area = TextArea::new(lines);
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area.set_cursor_line_style(Style::new());
    area.set_cursor_style(Style::new());
    area
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[(KeyCode, KeyModifiers)]) -> String {
        let mut field = Field::new("");
        for &(code, modifiers) in keys {
            field.key(KeyEvent::new(code, modifiers));
        }
        field.text()
    }

    #[test]
    fn the_usual_keys_do_the_usual_things() {
        use KeyCode::{Backspace, Char, Delete, End, Enter, Home, Left};
        const NONE: KeyModifiers = KeyModifiers::NONE;
        const CTRL: KeyModifiers = KeyModifiers::CONTROL;
        let mut keys: Vec<_> = "bun or deno".chars().map(|c| (Char(c), NONE)).collect();
        assert_eq!(typed(&keys), "bun or deno");
        keys.extend([(Char('w'), CTRL), (Backspace, NONE), (Home, NONE), (Delete, NONE)]);
        assert_eq!(typed(&keys), "un or");
        keys.extend([(Char('B'), NONE), (End, NONE), (Left, NONE), (Enter, NONE)]);
        assert_eq!(typed(&keys), "Bun o\nr");
        keys.extend([(End, NONE), (Char('u'), CTRL), (Char('x'), CTRL)]);
        assert_eq!(typed(&keys), "Bun o\n");
    }

    #[test]
    fn a_paste_goes_in_whole_or_not_at_all() {
        let mut field = Field::new("a");
        field.paste("1\r2\r\n3").unwrap();
        assert_eq!(field.text(), "a1\n2\n3");
        assert_eq!(field.paste("x\x1b[201~y"), Err(OwnWordsError::ControlCharacter('\x1b')));
        assert_eq!(field.text(), "a1\n2\n3");
    }

    #[test]
    fn the_cursor_follows_wide_characters_and_wrapped_lines() {
        let area = Rect::new(2, 1, 6, 3);
        let mut buf = Buffer::empty(Rect::new(0, 0, 10, 5));
        let at = Field::new("日本").render(area, &mut buf, Style::new(), Style::new());
        assert_eq!(at, Some(Position::new(6, 1)));
        let at = Field::new("abcdefgh").render(area, &mut buf, Style::new(), Style::new());
        assert_eq!(at, Some(Position::new(4, 2)));
    }

    #[test]
    fn a_larger_field_shows_the_text_from_its_start() {
        let field = Field::new("one\ntwo\nthree");
        let mut buf = Buffer::empty(Rect::new(0, 0, 10, 5));
        field.render(Rect::new(0, 0, 10, 1), &mut buf, Style::new(), Style::new());
        assert_eq!(buf[Position::new(0, 0)].symbol(), "t");
        let at = field.render(Rect::new(0, 0, 10, 5), &mut buf, Style::new(), Style::new());
        assert_eq!(buf[Position::new(0, 0)].symbol(), "o");
        assert_eq!(at, Some(Position::new(5, 2)));
    }
}
