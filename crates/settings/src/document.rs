//! Settings, parsed, with the place of every part in the text.

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::SettingsError;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// What a program takes for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// JSON, to the letter.
    Strict,
    /// With comments.
    Comments,
    /// With comments, and with commas at the end of lists.
    CommentsAndCommas,
}

/// The byte order mark, if there is one, and the rest.
///
/// A file with nothing in it counts as one with nothing set: people have those.
#[must_use]
pub fn body(text: &str) -> (&str, &str) {
    let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mark = &text[..text.len() - body.len()];
    (mark, if body.trim_ascii().is_empty() { "{}\n" } else { body })
}

/// The settings in `text`.
///
/// # Errors
///
/// When the program that they belong to would not understand them.
pub fn parse(text: &str, dialect: Dialect) -> Result<Object<'_>, SettingsError> {
    if dialect == Dialect::Strict {
        // The strictest reader goes first, and says best where it stopped.
        serde_json::from_str::<serde_json::Value>(text).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
            invalid(reason, error.line(), error.column())
        })?;
    }
    let options = ParseOptions {
        allow_comments: dialect != Dialect::Strict,
        allow_loose_object_property_names: false,
        allow_trailing_commas: dialect == Dialect::CommentsAndCommas,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
    let parsed = parsed.map_err(|error| {
        invalid(error.kind().to_string(), error.line_display(), error.column_display())
    })?;
    match parsed.value {
        Some(Value::Object(root)) => Ok(root),
        other => {
            let found = other.as_ref().map_or("empty", kind);
            Err(SettingsError::Kind { place: "the top level".into(), found, needed: "an object" })
        }
    }
}

fn invalid(reason: String, line: usize, column: usize) -> SettingsError {
    SettingsError::Invalid { format: "JSON", reason, line, column }
}

/// A property that must not be there twice; `place` is its name for people.
///
/// # Errors
///
/// When it is there twice.
pub fn only<'a, 'b>(
    object: &'b Object<'a>,
    name: &str,
    place: &str,
) -> Result<Option<&'b ObjectProp<'a>>, SettingsError> {
    let found: Vec<_> = object.properties.iter().filter(|p| p.name.as_str() == name).collect();
    if found.len() > 1 {
        return Err(SettingsError::Repeated { place: place.into(), times: found.len() });
    }
    Ok(found.first().copied())
}

/// A property that must be an object, if it is there; `place` is its name for people.
///
/// # Errors
///
/// When it is something else, or there twice.
pub fn object<'a, 'b>(
    within: &'b Object<'a>,
    name: &str,
    place: &str,
) -> Result<Option<&'b Object<'a>>, SettingsError> {
    match only(within, name, place)?.map(|property| &property.value) {
        None => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(other) => Err(wrong_kind(place, other, "an object")),
    }
}

/// That something is of another kind than it should be.
#[must_use]
pub fn wrong_kind(place: &str, value: &Value<'_>, needed: &'static str) -> SettingsError {
    SettingsError::Kind { place: place.into(), found: kind(value), needed }
}

/// A property's value; of several with that name, the last, as parsers have it.
#[must_use]
pub fn value<'a, 'b>(object: &'b Object<'a>, name: &str) -> Option<&'b Value<'a>> {
    object.properties.iter().rev().find(|p| p.name.as_str() == name).map(|p| &p.value)
}

/// A property that is a text.
#[must_use]
pub fn string<'b>(object: &'b Object<'_>, name: &str) -> Option<&'b str> {
    value(object, name)?.as_string_lit().map(|text| text.value.as_ref())
}

/// Where something is in the text.
pub fn place(node: &impl Ranged) -> Range<usize> {
    node.start()..node.end()
}

fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a text",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "true or false",
        Value::Object(_) => "an object",
        Value::Array(_) => "an array",
        Value::NullKeyword(_) => "null",
    }
}
