//! Our server in settings that are TOML: a table of servers by name.
//!
//! The parser says where things are; the text is cut and spliced, so that all else stays byte for byte.

use std::ops::Range;

use handraise_settings::{SettingsError, spliced};
use toml_edit::{Document, Item, Table, TableLike, Value};

use super::{Ours, Server};

/// Where a client keeps its servers.
pub(super) struct Servers {
    pub(super) within: &'static str,
    pub(super) name: &'static str,
}

impl Servers {
    /// `text` with our server, which has at least these keys.
    pub(super) fn connect(
        &self,
        text: &str,
        ours: &Ours,
        wanted: &[(&str, Value)],
    ) -> Result<String, SettingsError> {
        let (mark, body) = mark_and_body(text);
        let mut body = body.to_owned();
        // One at a time: each moves the places of all that follows.
        while let Some(next) = self.step(&body, ours, wanted)? {
            body = next;
        }
        Ok(format!("{mark}{body}"))
    }

    fn step(
        &self,
        text: &str,
        ours: &Ours,
        wanted: &[(&str, Value)],
    ) -> Result<Option<String>, SettingsError> {
        let document = parse(text)?;
        let Some(found) = self.entry(document.as_table())? else {
            return Ok(Some(self.added(text, wanted)));
        };
        let entry = self.table(found)?;
        if !read(entry).is_some_and(|server| ours.runs(&server)) {
            return Err(SettingsError::Taken { place: self.place() });
        }
        for (key, wanted) in wanted {
            match entry.get(key) {
                Some(Item::Value(old)) if same(old, wanted) => {}
                Some(old) => {
                    let Some(place) = old.as_value().and_then(Value::span) else {
                        let place = format!("{}.{key}", self.place());
                        return Err(SettingsError::Unusual { place, found: "a table" });
                    };
                    return Ok(Some(spliced(text, place, &wanted.to_string())));
                }
                None => return Ok(Some(with_key(text, found, entry, key, wanted))),
            }
        }
        Ok(None)
    }

    /// `text` with our server at its end, where no table that follows can swallow it.
    fn added(&self, text: &str, wanted: &[(&str, Value)]) -> String {
        let newline = newline(text);
        let start = match text {
            "" => String::new(),
            _ if text.ends_with('\n') => newline.to_owned(),
            _ => newline.repeat(2),
        };
        let keys = wanted.iter().map(|(key, value)| format!("{key} = {value}{newline}"));
        let keys: String = keys.collect();
        format!("{text}{start}[{}]{newline}{keys}", self.place())
    }

    /// `text` without our server, and without what a person or the client has set for it.
    pub(super) fn disconnect(
        &self,
        text: &str,
        ours: &Ours,
        before: Option<&str>,
    ) -> Result<String, SettingsError> {
        let (mark, body) = mark_and_body(text);
        let document = parse(body)?;
        let Some(found) = self.entry(document.as_table())? else { return Ok(text.to_owned()) };
        let entry = self.table(found)?;
        if !read(entry).is_some_and(|server| ours.runs(&server)) {
            return Ok(text.to_owned());
        }
        let servers = document.as_table().get(self.within).and_then(Item::as_table_like);
        let key = servers.and_then(|servers| servers.key(self.name)).and_then(toml_edit::Key::span);
        let mut gone = vec![];
        match found {
            Item::Table(table) => regions(body, table, &mut gone),
            Item::Value(value) => gone.extend(lines(body, key, value.span())),
            Item::None | Item::ArrayOfTables(_) => {}
        }
        let to_the_end = gone.iter().any(|place| place.end == body.len());
        gone.sort_by_key(|place| std::cmp::Reverse(place.start));
        let mut without = body.to_owned();
        for place in gone {
            without = spliced(&without, place, "");
        }
        // The end of its last line is what we gave it if it had none.
        let had_none = before.is_some_and(|before| {
            !before.ends_with('\n') && matches!(self.ours(before, ours), Ok(None))
        });
        if to_the_end && had_none {
            let ended = ["\r\n", "\n"].into_iter().find(|end| without.ends_with(end));
            without.truncate(without.len() - ended.map_or(0, str::len));
        }
        Ok(format!("{mark}{without}"))
    }

    /// What our server in `text` runs, if it is there.
    pub(super) fn ours(&self, text: &str, ours: &Ours) -> Result<Option<Server>, SettingsError> {
        let document = parse(mark_and_body(text).1)?;
        let Some(found) = self.entry(document.as_table())? else { return Ok(None) };
        Ok(found.as_table_like().and_then(read).filter(|server| ours.runs(server)))
    }

    /// What is there by our name.
    fn entry<'a>(&self, root: &'a Table) -> Result<Option<&'a Item>, SettingsError> {
        let Some(servers) = root.get(self.within) else { return Ok(None) };
        match servers {
            Item::Table(servers) => Ok(servers.get(self.name)),
            Item::Value(Value::InlineTable(_)) => {
                let found = "a table on one line";
                Err(SettingsError::Unusual { place: self.within.into(), found })
            }
            Item::None | Item::Value(_) | Item::ArrayOfTables(_) => {
                let (place, found) = (self.within.into(), servers.type_name());
                Err(SettingsError::Kind { place, found, needed: "table" })
            }
        }
    }

    /// The same, as the table that a server has to be.
    fn table<'a>(&self, found: &'a Item) -> Result<&'a dyn TableLike, SettingsError> {
        let taken = || SettingsError::Taken { place: self.place() };
        let entry = found.as_table_like().ok_or_else(taken)?;
        if entry.is_dotted() {
            let found = "written with dotted keys";
            return Err(SettingsError::Unusual { place: self.place(), found });
        }
        Ok(entry)
    }

    fn place(&self) -> String {
        format!("{}.{}", self.within, self.name)
    }
}

fn mark_and_body(text: &str) -> (&str, &str) {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    (&text[..text.len() - body.len()], body)
}

fn parse(text: &str) -> Result<Document<&str>, SettingsError> {
    Document::parse(text).map_err(|error| {
        let before = &text[..error.span().map_or(0, |place| place.start)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        SettingsError::Invalid { format: "TOML", reason: error.message().into(), line, column }
    })
}

fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

fn read(entry: &dyn TableLike) -> Option<Server> {
    let program = entry.get("command")?.as_str()?.to_owned();
    let args = entry.get("args").and_then(Item::as_array);
    let args = args.into_iter().flatten().filter_map(Value::as_str);
    Some(Server { program, args: args.map(str::to_owned).collect() })
}

/// Whether two values say the same, however they are written.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => one.value() == other.value(),
        (Value::Integer(one), Value::Integer(other)) => one.value() == other.value(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        _ => false,
    }
}

/// `text` with one more key behind the command, which every server has.
fn with_key(text: &str, found: &Item, entry: &dyn TableLike, key: &str, value: &Value) -> String {
    let command = entry.get("command").and_then(Item::span).map_or(text.len(), |place| place.end);
    if found.is_inline_table() {
        return spliced(text, command..command, &format!(", {key} = {value}"));
    }
    let end = end_of_line(text, command);
    let (newline, ended) = (newline(text), text[..end].ends_with('\n'));
    let line = if ended {
        format!("{key} = {value}{newline}")
    } else {
        format!("{newline}{key} = {value}")
    };
    spliced(text, end..end, &line)
}

/// The lines of a table and of all tables below it, and an empty line before each.
fn regions(text: &str, table: &Table, gone: &mut Vec<Range<usize>>) {
    let values = table.iter().filter_map(|(_, item)| item.as_value()?.span());
    let header = table.span().filter(|_| !table.is_implicit() && !table.is_dotted());
    if let Some(header) = header {
        let end = values.map(|place| place.end).max().unwrap_or(header.end);
        let start = start_of_line(text, header.start);
        // Lines of one file may end in different ways.
        let blank = ["\n\r\n", "\n\n"].into_iter().find(|end| text[..start].ends_with(end));
        let start = start - blank.map_or(0, |blank| blank.len() - 1);
        gone.push(start..end_of_line(text, end.max(header.end)));
    }
    for (_, below) in table {
        match below {
            Item::Table(below) => regions(text, below, gone),
            Item::ArrayOfTables(all) => all.iter().for_each(|below| regions(text, below, gone)),
            Item::None | Item::Value(_) => {}
        }
    }
}

/// The whole lines of a key and its value.
fn lines(
    text: &str,
    key: Option<Range<usize>>,
    value: Option<Range<usize>>,
) -> Option<Range<usize>> {
    Some(start_of_line(text, key?.start)..end_of_line(text, value?.end))
}

fn start_of_line(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Behind the line break, if there is one.
fn end_of_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}
