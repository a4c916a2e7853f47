//! How a settings file is laid out, so that what we add looks like the rest.

use jsonc_parser::ast::Object;
use serde_json::Value;

use crate::document::place;

/// The habits of one file.
#[derive(Debug)]
pub struct Style {
    newline: &'static str,
    unit: String,
    /// All on one line.
    flat: bool,
    colon: String,
    comma: &'static str,
}

impl Style {
    /// The habits of a file, told by its first property.
    #[must_use]
    pub fn of(text: &str, root: &Object<'_>) -> Self {
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
        // Somebody's line break or remark after a colon is nothing to repeat.
        let colon = colon.filter(|colon| !colon.contains(['\n', '\r', '/'])).unwrap_or(": ");
        Self {
            newline,
            // A file that is not indented at all stays so.
            unit: unit.unwrap_or("  ").to_owned(),
            flat: first.is_some() && !text[place(root)].contains('\n'),
            colon: colon.to_owned(),
            comma: if colon.ends_with(':') { "," } else { ", " },
        }
    }

    /// Whether the file is all on one line.
    #[must_use]
    pub fn flat(&self) -> bool {
        self.flat
    }

    /// What stands between the last member of a container and the next, for a container on one line.
    #[must_use]
    pub fn comma(&self) -> &'static str {
        self.comma
    }

    /// The start of a line one level further in.
    #[must_use]
    pub fn deeper(&self, indent: &str) -> String {
        format!("{indent}{}", self.unit)
    }

    /// A line break and the start of the next line.
    #[must_use]
    pub fn line(&self, indent: &str) -> String {
        format!("{}{indent}", self.newline)
    }

    /// A property.
    #[must_use]
    pub fn property(&self, name: &str, value: &Value, indent: Option<&str>) -> String {
        format!("{}{}{}", Value::from(name), self.colon, self.value(value, indent))
    }

    /// A value, on lines that start with `indent`, or all on one.
    #[must_use]
    pub fn value(&self, value: &Value, indent: Option<&str>) -> String {
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
#[must_use]
pub fn own_line(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind(['\n', '\r'])? + 1;
    Some(&text[start..at]).filter(|before| before.trim_ascii().is_empty())
}

/// The white space at the start of the line that `at` is on.
#[must_use]
pub fn indent(text: &str, at: usize) -> &str {
    let start = text[..at].rfind(['\n', '\r']).map_or(0, |newline| newline + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_ascii_start().len()]
}
