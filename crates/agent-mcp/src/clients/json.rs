//! Our server in settings that are JSON: an object of servers by name.

use handraise_settings::{
    Container, Dialect, SettingsError, Style, body, indent, object, only, own_line, parse, place,
    spliced, value,
};
use jsonc_parser::ast::Object;
use serde_json::{Map, Value};

use super::{Ours, Server};

/// Where a client keeps its servers, and how it names what they run.
pub(super) struct Servers {
    pub(super) dialect: Dialect,
    pub(super) within: &'static str,
    pub(super) name: &'static str,
    pub(super) read: fn(&Object<'_>) -> Option<Server>,
}

impl Servers {
    /// `text` with our server, which has at least these properties.
    pub(super) fn connect(
        &self,
        text: &str,
        ours: &Ours,
        wanted: &[(&str, Value)],
    ) -> Result<String, SettingsError> {
        whole(text, |text| self.step(text, ours, wanted))
    }

    /// The next change, if any is left to do. One at a time: each moves the places of all that follows.
    fn step(
        &self,
        text: &str,
        ours: &Ours,
        wanted: &[(&str, Value)],
    ) -> Result<Option<String>, SettingsError> {
        let root = parse(text, self.dialect)?;
        let style = Style::of(text, &root);
        let entry = || {
            let wanted = wanted.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
            Value::Object(wanted.collect::<Map<_, _>>())
        };
        let Some(servers) = object(&root, self.within, self.within)? else {
            let servers = Value::Object([(self.name.to_owned(), entry())].into_iter().collect());
            let write = |indent: Option<&str>| style.property(self.within, &servers, indent);
            return Ok(Some(Container::from(&root).append(text, &style, write)));
        };
        let place_for_people = self.place();
        let Some(found) = only(servers, self.name, &place_for_people)? else {
            let write = |indent: Option<&str>| style.property(self.name, &entry(), indent);
            return Ok(Some(Container::from(servers).append(text, &style, write)));
        };
        let found = found.value.as_object().filter(|found| self.is_ours(found, ours));
        let Some(found) = found else {
            return Err(SettingsError::Taken { place: place_for_people });
        };
        for (name, wanted) in wanted {
            let Some(old) = value(found, name).map(place) else {
                let write = |indent: Option<&str>| style.property(name, wanted, indent);
                return Ok(Some(Container::from(found).append(text, &style, write)));
            };
            let same = serde_json::from_str::<Value>(&text[old.clone()]);
            if same.ok().as_ref() != Some(wanted) {
                // On lines of its own where the property has one.
                let line = found.properties.iter().rev().find(|p| p.name.as_str() == *name);
                let line = line.and_then(|line| own_line(text, place(line).start));
                let indent = line.map(|_| indent(text, old.start));
                return Ok(Some(spliced(text, old, &style.value(wanted, indent))));
            }
        }
        Ok(None)
    }

    /// `text` without our server, and without what held nothing else, unless that was in `before`.
    pub(super) fn disconnect(
        &self,
        text: &str,
        ours: &Ours,
        before: Option<&str>,
    ) -> Result<String, SettingsError> {
        let old = before.map_or("", |before| body(before).1);
        let before = parse(old, self.dialect).ok();
        let servers_before = before.as_ref().and_then(|before| value(before, self.within));
        let kept = servers_before.is_some();
        let servers_before = servers_before.and_then(jsonc_parser::ast::Value::as_object);
        whole(text, |text| {
            let root = parse(text, self.dialect)?;
            let Some(servers) = object(&root, self.within, self.within)? else { return Ok(None) };
            let found = only(servers, self.name, &self.place())?;
            let found = found.and_then(|found| found.value.as_object());
            if !found.is_some_and(|found| self.is_ours(found, ours)) {
                return Ok(None);
            }
            let at = |object: &Object<'_>, name: &str| {
                object.properties.iter().position(|p| p.name.as_str() == name).unwrap_or_default()
            };
            let all = Container::from(servers);
            if all.len() > 1 || kept {
                let at = at(servers, self.name);
                return Ok(Some(all.remove_leaving(text, at, blank(old, servers_before))));
            }
            let at = at(&root, self.within);
            Ok(Some(Container::from(&root).remove_leaving(text, at, blank(old, before.as_ref()))))
        })
    }

    /// What our server in `text` runs, if it is there.
    pub(super) fn ours(&self, text: &str, ours: &Ours) -> Result<Option<Server>, SettingsError> {
        let root = parse(body(text).1, self.dialect)?;
        let Some(servers) = object(&root, self.within, self.within)? else { return Ok(None) };
        let found = only(servers, self.name, &self.place())?;
        let found = found.and_then(|found| found.value.as_object()).and_then(self.read);
        Ok(found.filter(|server| ours.runs(server)))
    }

    fn is_ours(&self, entry: &Object<'_>, ours: &Ours) -> bool {
        (self.read)(entry).is_some_and(|server| ours.runs(&server))
    }

    fn place(&self) -> String {
        format!("{}.{}", self.within, self.name)
    }
}

/// The white space that was all there was in an object.
pub(super) fn blank<'a>(text: &'a str, object: Option<&Object<'_>>) -> &'a str {
    object.and_then(|object| Container::from(object).blank(text)).unwrap_or_default()
}

/// Changes what is behind a byte order mark until nothing is left to change.
pub(super) fn whole(
    text: &str,
    step: impl Fn(&str) -> Result<Option<String>, SettingsError>,
) -> Result<String, SettingsError> {
    let (mark, body) = body(text);
    let mut body = body.to_owned();
    let mut changed = false;
    while let Some(next) = step(&body)? {
        body = next;
        changed = true;
    }
    Ok(if changed { format!("{mark}{body}") } else { text.to_owned() })
}
