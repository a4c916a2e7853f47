//! Settings, parsed, with the place of every part in the text.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::SettingsError;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The byte order mark, if there is one, and the rest.
///
/// A file with nothing in it counts as one with nothing set: people have those.
pub(super) fn body(text: &str) -> (&str, &str) {
    let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mark = &text[..text.len() - body.len()];
    (mark, if body.trim_ascii().is_empty() { "{}\n" } else { body })
}

/// The settings in `text`.
pub(super) fn parse(text: &str) -> Result<Object<'_>, SettingsError> {
    // The strictest reader goes first, and says best where it stopped.
    serde_json::from_str::<serde_json::Value>(text).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
        SettingsError::Invalid { reason, line: error.line(), column: error.column() }
    })?;
    let options = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
    let parsed = parsed.map_err(|error| SettingsError::Invalid {
        reason: error.kind().to_string(),
        line: error.line_display(),
        column: error.column_display(),
    })?;
    match parsed.value {
        Some(Value::Object(root)) => Ok(root),
        other => {
            let found = other.as_ref().map_or("empty", kind);
            Err(SettingsError::Kind { place: "the top level".into(), found, needed: "an object" })
        }
    }
}

/// The hooks, if any are set.
pub(super) fn hooks<'a, 'b>(root: &'b Object<'a>) -> Result<Option<&'b Object<'a>>, SettingsError> {
    match only(root, "hooks", "hooks")?.map(|property| &property.value) {
        None => Ok(None),
        Some(Value::Object(hooks)) => Ok(Some(hooks)),
        Some(other) => {
            let found = kind(other);
            Err(SettingsError::Kind { place: "hooks".into(), found, needed: "an object" })
        }
    }
}

/// The groups of an event, if it has any.
pub(super) fn groups<'a, 'b>(
    hooks: &'b Object<'a>,
    event: &str,
) -> Result<Option<&'b Array<'a>>, SettingsError> {
    let place = format!("hooks.{event}");
    match only(hooks, event, &place)?.map(|property| &property.value) {
        None => Ok(None),
        Some(Value::Array(groups)) => Ok(Some(groups)),
        Some(other) => Err(SettingsError::Kind { place, found: kind(other), needed: "an array" }),
    }
}

fn only<'a, 'b>(
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

/// A property's value; of several with that name, the last, as parsers have it.
pub(super) fn value<'a, 'b>(object: &'b Object<'a>, name: &str) -> Option<&'b Value<'a>> {
    object.properties.iter().rev().find(|p| p.name.as_str() == name).map(|p| &p.value)
}

/// A property that is a text.
pub(super) fn string<'b>(object: &'b Object<'_>, name: &str) -> Option<&'b str> {
    value(object, name)?.as_string_lit().map(|text| text.value.as_ref())
}

/// Where something is in the text.
pub(super) fn place(node: &impl Ranged) -> Range<usize> {
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
