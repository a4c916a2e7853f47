//! Where the hooks are in Claude Code's settings.

use handraise_settings::{Dialect, SettingsError, object, only, wrong_kind};
use jsonc_parser::ast::{Array, Object, Value};

pub(super) use handraise_settings::{body, place, string, value};

/// The settings in `text`. Claude Code reads JSON to the letter.
pub(super) fn parse(text: &str) -> Result<Object<'_>, SettingsError> {
    handraise_settings::parse(text, Dialect::Strict)
}

/// The hooks, if any are set.
pub(super) fn hooks<'a, 'b>(root: &'b Object<'a>) -> Result<Option<&'b Object<'a>>, SettingsError> {
    object(root, "hooks", "hooks")
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
        Some(other) => Err(wrong_kind(&place, other, "an array")),
    }
}
