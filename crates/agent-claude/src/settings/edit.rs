//! Cutting and inserting, in an object or an array.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object};

use super::document::place;
use super::style::{Style, indent, own_line};

/// An object or an array: where it is, and where its members are.
pub(super) struct Container {
    place: Range<usize>,
    members: Vec<Range<usize>>,
}

impl From<&Object<'_>> for Container {
    fn from(object: &Object<'_>) -> Self {
        Self { place: place(object), members: object.properties.iter().map(place).collect() }
    }
}

impl From<&Array<'_>> for Container {
    fn from(array: &Array<'_>) -> Self {
        Self { place: place(array), members: array.elements.iter().map(place).collect() }
    }
}

impl Container {
    /// `text` with one more member at the end of this. `write` is told how its lines start, or that
    /// it has only one.
    pub(super) fn append(
        &self,
        text: &str,
        style: &Style,
        write: impl Fn(Option<&str>) -> String,
    ) -> String {
        let Some(last) = self.members.last() else { return self.fill(text, style, write) };
        let added = match own_line(text, last.start) {
            Some(indent) => format!(",{}{}", style.line(indent), write(Some(indent))),
            None => format!("{}{}", style.comma(), write(None)),
        };
        spliced(text, last.end..last.end, &added)
    }

    /// `text` with a first member in this.
    fn fill(&self, text: &str, style: &Style, write: impl Fn(Option<&str>) -> String) -> String {
        let within = self.place.start + 1..self.place.end - 1;
        if style.flat {
            return spliced(text, within, &write(None));
        }
        let outer = indent(text, self.place.start);
        let inner = style.deeper(outer);
        let member = write(Some(&inner));
        let added = format!("{}{member}{}", style.line(&inner), style.line(outer));
        spliced(text, within, &added)
    }

    /// `text` without one member of this, and without the comma that goes with it.
    pub(super) fn remove(&self, text: &str, index: usize) -> String {
        let member = &self.members[index];
        let gone = if self.members.len() == 1 {
            self.place.start + 1..self.place.end - 1
        } else if let Some(next) = self.members.get(index + 1) {
            member.start..next.start
        } else {
            self.members[index - 1].end..member.end
        };
        spliced(text, gone, "")
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }
}

/// `text` with another piece in one place.
pub(super) fn spliced(text: &str, place: Range<usize>, piece: &str) -> String {
    format!("{}{piece}{}", &text[..place.start], &text[place.end..])
}
