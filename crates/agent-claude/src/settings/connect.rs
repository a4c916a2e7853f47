//! Putting our hooks in, or bringing them up to date.

use handraise_settings::{Container, Style, spliced};
use jsonc_parser::ast::Object;
use serde_json::{Value, json};

use super::disconnect::{Kept, without};
use super::document::{self, body, place, value};
use super::ours::{Found, found};
use super::wanted::{WANTED, Wanted};
use super::{Ours, SettingsError};

/// Returns the settings with every hook we want, each running `command`.
///
/// Hooks of ours that are there already are brought up to date; where nothing has to change, no byte
/// does.
///
/// # Errors
///
/// When the settings are not such that we can change them.
pub fn connect(text: &str, ours: &Ours, command: &str) -> Result<String, SettingsError> {
    let ours = ours.clone().and(command);
    let (mark, body) = body(text);
    let mut body = body.to_owned();
    let mut changed = false;
    while let Some(next) = step(&body, &ours, command)? {
        body = next;
        changed = true;
    }
    Ok(if changed { format!("{mark}{body}") } else { text.to_owned() })
}

/// The next change, if any is left to do. One at a time: each moves the places of all that follows.
fn step(text: &str, ours: &Ours, command: &str) -> Result<Option<String>, SettingsError> {
    let root = document::parse(text)?;
    let found = found(&root, ours)?;
    let mut settled: Vec<&str> = vec![];
    for hook in &found {
        let wanted = WANTED.iter().find(|wanted| wanted.event == hook.event);
        match wanted.filter(|wanted| wanted.fits(hook.matcher) && !settled.contains(&hook.event)) {
            None => {
                let kept = Kept::events(WANTED.iter().map(|wanted| wanted.event));
                return without(text, &root, hook, &kept).map(Some);
            }
            Some(wanted) => {
                if let Some(next) = brought_up_to_date(text, &root, hook, *wanted, command) {
                    return Ok(Some(next));
                }
                settled.push(hook.event);
            }
        }
    }
    let missing = WANTED.iter().find(|wanted| !settled.contains(&wanted.event));
    missing.map(|wanted| added(text, &root, *wanted, command)).transpose()
}

/// `text` with the hook as it should be; `None` if it is.
fn brought_up_to_date(
    text: &str,
    root: &Object<'_>,
    hook: &Found<'_>,
    wanted: Wanted,
    command: &str,
) -> Option<String> {
    if hook.command() != command {
        let old = value(hook.entry, "command").map(place)?;
        return Some(spliced(text, old, &Value::from(command).to_string()));
    }
    if hook.timeout() == Some(wanted.timeout) {
        return None;
    }
    let timeout = Value::from(wanted.timeout);
    if let Some(old) = value(hook.entry, "timeout").map(place) {
        return Some(spliced(text, old, &timeout.to_string()));
    }
    let style = Style::of(text, root);
    let write = |indent: Option<&str>| style.property("timeout", &timeout, indent);
    Some(Container::from(hook.entry).append(text, &style, write))
}

/// `text` with one more hook, in a group of its own.
fn added(
    text: &str,
    root: &Object<'_>,
    wanted: Wanted,
    command: &str,
) -> Result<String, SettingsError> {
    let style = Style::of(text, root);
    let group = wanted.group(command);
    let Some(hooks) = document::hooks(root)? else {
        let hooks = json!({wanted.event: [group]});
        let write = |indent: Option<&str>| style.property("hooks", &hooks, indent);
        return Ok(Container::from(root).append(text, &style, write));
    };
    let Some(groups) = document::groups(hooks, wanted.event)? else {
        let groups = json!([group]);
        let write = |indent: Option<&str>| style.property(wanted.event, &groups, indent);
        return Ok(Container::from(hooks).append(text, &style, write));
    };
    Ok(Container::from(groups).append(text, &style, |indent| style.value(&group, indent)))
}
