//! How a settings file is laid out, so that what we add looks like the rest.

use jsonc_parser::ast::Object;
use serde_json::Value;

use super::document::place;

/// The habits of one file.
#[derive(Debug)]
pub(super) struct Style {
    newline: &'static str,
    unit: String,
    /// All on one line.
    pub(super) flat: bool,
    colon: String,
    comma: &'static str,
}

impl Style {
    pub(super) fn of(text: &str, root: &Object<'_>) -> Self {
        let newline = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let first = root.properties.first();
        let unit = first.and_then(|property| own_line(text, place(property).start));
        let colon = first.map(|property| {
            let name = place(&property.name);
            &text[name.end..place(&property.value).start]
        });
        // Somebody's line break after a colon is nothing to repeat.
        let colon = colon.filter(|colon| !colon.contains(['\n', '\r'])).unwrap_or(": ");
        Self {
            newline,
            // A file that is not indented at all stays so.
            unit: unit.unwrap_or("  ").to_owned(),
            flat: first.is_some() && !text[place(root)].contains('\n'),
            colon: colon.to_owned(),
            comma: if colon.ends_with(':') { "," } else { ", " },
        }
    }

    /// What stands between the last member of a container and the next, for a container on one line.
    pub(super) fn comma(&self) -> &'static str {
        self.comma
    }

    /// The start of a line one level further in.
    pub(super) fn deeper(&self, indent: &str) -> String {
        format!("{indent}{}", self.unit)
    }

    /// A line break and the start of the next line.
    pub(super) fn line(&self, indent: &str) -> String {
        format!("{}{indent}", self.newline)
    }

    /// A property.
    pub(super) fn property(&self, name: &str, value: &Value, indent: Option<&str>) -> String {
        format!("{}{}{}", Value::from(name), self.colon, self.value(value, indent))
    }

    /// A value, on lines that start with `indent`, or all on one.
    pub(super) fn value(&self, value: &Value, indent: Option<&str>) -> String {
        let deeper = indent.map(|indent| self.deeper(indent));
        let deeper = deeper.as_deref();
        let (open, members, close): (_, Vec<String>, _) = match value {
            Value::Object(map) => {
                ('{', map.iter().map(|(k, v)| self.property(k, v, deeper)).collect(), '}')
            }
            Value::Array(items) => {
                ('[', items.iter().map(|item| self.value(item, deeper)).collect(), ']')
            }
            plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                return plain.to_string();
            }
        };
        match (indent, deeper) {
            (Some(indent), Some(deeper)) if !members.is_empty() => {
                let between = format!(",{}", self.line(deeper));
                let (first, last) = (self.line(deeper), self.line(indent));
                format!("{open}{first}{}{last}{close}", members.join(&between))
            }
            _ => format!("{open}{}{close}", members.join(self.comma)),
        }
    }
}

/// The white space before `at`, if nothing else is before it on its line.
pub(super) fn own_line(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind(['\n', '\r'])? + 1;
    Some(&text[start..at]).filter(|before| before.trim_ascii().is_empty())
}

/// The white space at the start of the line that `at` is on.
pub(super) fn indent(text: &str, at: usize) -> &str {
    let start = text[..at].rfind(['\n', '\r']).map_or(0, |newline| newline + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_ascii_start().len()]
}
