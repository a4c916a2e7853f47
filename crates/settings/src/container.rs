//! Cutting and inserting, in an object or an array.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object};

use crate::between::{comma, end_of_remarks, last_end};
use crate::document::place;
use crate::style::{Style, indent, own_line};

/// An object or an array: where it is, and where its members are.
#[derive(Debug)]
pub struct Container {
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
    ///
    /// A remark behind the last member stays with it, and whoever ends lists with a comma still does.
    #[must_use]
    pub fn append(
        &self,
        text: &str,
        style: &Style,
        write: impl Fn(Option<&str>) -> String,
    ) -> String {
        let Some(last) = self.members.last() else { return self.fill(text, style, write) };
        let close = self.place.end - 1;
        let trailing = comma(text, last.end..close);
        let after = trailing.as_ref().map_or(last.end, |comma| comma.end);
        let (at, member) = match own_line(text, last.start) {
            Some(indent) => {
                let member = format!("{}{}", style.line(indent), write(Some(indent)));
                (end_of_remarks(text, after..close), member)
            }
            None => (after, format!("{}{}", style.comma().trim_start_matches(','), write(None))),
        };
        if trailing.is_some() {
            return spliced(text, at..at, &format!("{member},"));
        }
        spliced(&spliced(text, at..at, &member), last.end..last.end, ",")
    }

    /// `text` with a first member in this.
    fn fill(&self, text: &str, style: &Style, write: impl Fn(Option<&str>) -> String) -> String {
        let within = self.within();
        let outer = indent(text, self.place.start);
        let inner = style.deeper(outer);
        let remarks = last_end(text, within.clone());
        if remarks > within.start {
            let member = format!("{}{}", style.line(&inner), write(Some(&inner)));
            return spliced(text, remarks..remarks, &member);
        }
        if style.flat() {
            return spliced(text, within, &write(None));
        }
        let member = write(Some(&inner));
        let added = format!("{}{member}{}", style.line(&inner), style.line(outer));
        spliced(text, within, &added)
    }

    /// `text` without one member of this, and without the comma that goes with it. Comments stay.
    #[must_use]
    pub fn remove(&self, text: &str, index: usize) -> String {
        self.remove_leaving(text, index, "")
    }

    /// The same; where nothing is left in it, `blank` is.
    #[must_use]
    pub fn remove_leaving(&self, text: &str, index: usize, blank: &str) -> String {
        let Some(member) = self.members.get(index) else { return text.to_owned() };
        let before = index.checked_sub(1).map(|before| self.members[before].end);
        let after = self.members.get(index + 1).map(|after| after.start);
        let close = after.unwrap_or(self.place.end - 1);
        let own_comma = comma(text, member.end..close);
        let start = last_end(text, before.unwrap_or(self.place.start + 1)..member.start);
        match (before, after, own_comma) {
            // Whatever white space is left in it, it came with the member.
            (None, None, own_comma) => {
                let end = own_comma.map_or(member.end, |comma| comma.end);
                let within = self.within();
                let empty = start == within.start && last_end(text, end..within.end) == end;
                if empty { spliced(text, within, blank) } else { spliced(text, start..end, "") }
            }
            (_, Some(_), Some(own)) => {
                let rest = &text[own.end..close];
                // What stands before the next member is as somebody wrote it; but a remark that ends with
                // its line must not swallow that member.
                let breaks = |text: &str| text.contains(['\n', '\r']);
                let keeps_lines = breaks(rest) || !breaks(&text[start..member.start]);
                if before.is_some() && rest.trim_ascii().is_empty() && keeps_lines {
                    return spliced(text, start..own.end, "");
                }
                let space = rest.len() - rest.trim_ascii_start().len();
                spliced(text, member.start..own.end + space, "")
            }
            (Some(_), None, Some(own)) => spliced(text, start..own.end, ""),
            (Some(before), None, None) => {
                let without = spliced(text, start..member.end, "");
                let comma = comma(&without, before..start);
                comma.map_or(without.clone(), |comma| spliced(&without, comma, ""))
            }
            // A comma that is not there is none to take away.
            (_, Some(_), None) => spliced(text, member.clone(), ""),
        }
    }

    /// The white space in it, if there is nothing else.
    #[must_use]
    pub fn blank<'a>(&self, text: &'a str) -> Option<&'a str> {
        Some(&text[self.within()]).filter(|within| within.trim_ascii().is_empty())
    }

    /// How many members it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn within(&self) -> Range<usize> {
        self.place.start + 1..self.place.end - 1
    }
}

/// `text` with another piece in one place.
#[must_use]
pub fn spliced(text: &str, place: Range<usize>, piece: &str) -> String {
    format!("{}{piece}{}", &text[..place.start], &text[place.end..])
}
