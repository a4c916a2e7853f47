//! Taking our hooks out.

use std::collections::BTreeSet;

use handraise_settings::Container;
use jsonc_parser::ast::Object;

use super::document::{self, body, value};
use super::ours::{Found, found};
use super::{Ours, SettingsError};

/// Returns the settings without our hooks; everything else stays as it is.
///
/// What is empty without them goes too, unless it was in `before`, the settings as they were before
/// ours came in.
///
/// # Errors
///
/// When the settings are not such that we can change them.
pub fn disconnect(text: &str, ours: &Ours, before: Option<&str>) -> Result<String, SettingsError> {
    // Settings of old that cannot be read hold nothing that we would have to keep.
    let kept = before.and_then(|before| Kept::of(before).ok()).unwrap_or_default();
    let (mark, body) = body(text);
    let mut body = body.to_owned();
    let mut changed = false;
    loop {
        let root = document::parse(&body)?;
        let Some(first) = found(&root, ours)?.into_iter().next() else { break };
        body = without(&body, &root, &first, &kept)?;
        changed = true;
    }
    Ok(if changed { format!("{mark}{body}") } else { text.to_owned() })
}

/// What stays even when there is nothing left in it.
#[derive(Default)]
pub(super) struct Kept {
    hooks: bool,
    events: BTreeSet<String>,
}

impl Kept {
    fn of(text: &str) -> Result<Self, SettingsError> {
        let root = document::parse(body(text).1)?;
        let hooks = document::hooks(&root)?;
        let events = hooks.iter().flat_map(|hooks| &hooks.properties);
        let events = events.map(|property| property.name.as_str().to_owned()).collect();
        Ok(Self { hooks: hooks.is_some(), events })
    }

    /// These events, and so the hooks.
    pub(super) fn events<'a>(events: impl IntoIterator<Item = &'a str>) -> Self {
        Self { hooks: true, events: events.into_iter().map(str::to_owned).collect() }
    }
}

/// `text` without one hook, and without what held nothing else.
pub(super) fn without(
    text: &str,
    root: &Object<'_>,
    found: &Found<'_>,
    kept: &Kept,
) -> Result<String, SettingsError> {
    let Some(hooks) = document::hooks(root)? else { return Ok(text.to_owned()) };
    let Some(groups) = document::groups(hooks, found.event)? else { return Ok(text.to_owned()) };
    let group = groups.elements[found.group].as_object();
    let entries = group.and_then(|group| value(group, "hooks")).and_then(|hooks| hooks.as_array());
    // From the inside out: the first that holds more than this one thing loses just that.
    if let Some(entries) = entries.map(Container::from).filter(|entries| entries.len() > 1) {
        return Ok(entries.remove(text, found.index));
    }
    let groups = Container::from(groups);
    if groups.len() > 1 || kept.events.contains(found.event) {
        return Ok(groups.remove(text, found.group));
    }
    let at = |object: &Object<'_>, name: &str| {
        object.properties.iter().position(|property| property.name.as_str() == name).unwrap_or(0)
    };
    let events = Container::from(hooks);
    if events.len() > 1 || kept.hooks {
        return Ok(events.remove(text, at(hooks, found.event)));
    }
    Ok(Container::from(root).remove(text, at(root, "hooks")))
}
