//! Which hooks are ours.

use std::path::Path;

use jsonc_parser::ast::{Object, Value};

use super::SettingsError;
use super::document::{self, body, string, value};

/// How our hooks are told from those of others: by the program they run.
#[derive(Debug, Clone, Default)]
pub struct Ours {
    programs: Vec<String>,
}

/// A hook of ours in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The event it is run at.
    pub event: String,
    /// Its group's matcher.
    pub matcher: Option<String>,
    /// What is run.
    pub command: String,
    /// Seconds after which Claude Code ends it, where that is a whole number.
    pub timeout: Option<u64>,
}

/// Where a hook of ours is: the event, the index of the group, the index in its `hooks`.
pub(super) struct Found<'b> {
    pub(super) event: &'b str,
    pub(super) group: usize,
    pub(super) index: usize,
    pub(super) matcher: Option<&'b str>,
    pub(super) entry: &'b Object<'b>,
}

impl Ours {
    /// Takes also those for ours that run the same program as `command` does, whatever its name.
    #[must_use]
    pub fn and(mut self, command: &str) -> Self {
        self.programs.extend(program(command).map(|(program, _)| program));
        self
    }

    /// Whether this command is ours: `handraise`, wherever it is, with `hook claude` among its words.
    #[must_use]
    pub fn runs(&self, command: &str) -> bool {
        let Some((program, rest)) = program(command) else { return false };
        let named = Path::new(&program).file_name().is_some_and(|name| name == "handraise");
        let known = named || self.programs.contains(&program);
        known && rest.windows(2).any(|pair| pair == ["hook", "claude"])
    }
}

/// The program that a shell command runs.
#[must_use]
pub fn program_of(command: &str) -> Option<String> {
    program(command).map(|(program, _)| program)
}

/// The program of a shell command, and its words.
fn program(command: &str) -> Option<(String, Vec<String>)> {
    let mut words = shlex::split(command)?.into_iter().skip_while(|word| assigns(word));
    Some((words.next()?, words.collect()))
}

/// Whether a word sets a variable for the program behind it.
fn assigns(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
    })
}

/// Whether the settings switch all hooks off.
///
/// # Errors
///
/// When the settings are not such that we can look into them.
pub fn all_off(text: &str) -> Result<bool, SettingsError> {
    let root = document::parse(body(text).1)?;
    let off = value(&root, "disableAllHooks").and_then(|value| value.as_boolean_lit());
    Ok(off.is_some_and(|off| off.value))
}

/// Every hook of ours in the settings, in their order.
///
/// # Errors
///
/// When the settings are not such that we can look into them.
pub fn entries(text: &str, ours: &Ours) -> Result<Vec<Entry>, SettingsError> {
    let root = document::parse(body(text).1)?;
    let found = found(&root, ours)?;
    Ok(found.into_iter().map(|found| found.entry()).collect())
}

/// The same, with their places.
pub(super) fn found<'b>(
    root: &'b Object<'b>,
    ours: &Ours,
) -> Result<Vec<Found<'b>>, SettingsError> {
    let mut all = vec![];
    let Some(hooks) = document::hooks(root)? else { return Ok(all) };
    for property in &hooks.properties {
        let event = property.name.as_str();
        let Some(groups) = document::groups(hooks, event)? else { continue };
        // A group of another shape is not ours, and none of our business.
        let groups = groups.elements.iter().enumerate();
        for (group, object) in groups.filter_map(|(at, group)| Some((at, group.as_object()?))) {
            let Some(Value::Array(entries)) = value(object, "hooks") else { continue };
            let entries = entries.elements.iter().enumerate();
            for (index, entry) in entries.filter_map(|(at, entry)| Some((at, entry.as_object()?))) {
                let runs = string(entry, "type") == Some("command")
                    && string(entry, "command").is_some_and(|command| ours.runs(command));
                if runs {
                    let matcher = string(object, "matcher");
                    all.push(Found { event, group, index, matcher, entry });
                }
            }
        }
    }
    Ok(all)
}

impl Found<'_> {
    pub(super) fn command(&self) -> &str {
        string(self.entry, "command").unwrap_or_default()
    }

    pub(super) fn timeout(&self) -> Option<u64> {
        value(self.entry, "timeout")?.as_number_lit()?.value.parse().ok()
    }

    fn entry(&self) -> Entry {
        Entry {
            event: self.event.to_owned(),
            matcher: self.matcher.map(str::to_owned),
            command: self.command().to_owned(),
            timeout: self.timeout(),
        }
    }
}
