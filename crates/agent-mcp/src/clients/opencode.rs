//! opencode: `opencode.jsonc` or `opencode.json`, with comments and trailing commas.

use handraise_settings::{
    Container, Dialect, SettingsError, Style, body, only, parse, place, spliced, value, wrong_kind,
};
use jsonc_parser::ast::{Object, Value};
use serde_json::json;

use super::json::{Servers, blank, whole};
use super::{NAME, Ours, Server};

const DIALECT: Dialect = Dialect::CommentsAndCommas;
const SERVERS: Servers = Servers { dialect: DIALECT, within: "mcp", name: NAME, read };

/// The rules by which it asks before it uses a tool, and ours among them. The last that fits counts
/// (measured).
const RULES: &str = "permission";
const RULE: &str = "handraise_*";
const ALLOW: &str = "allow";

/// No timeout: progress extends what it waits (measured), and the same number would bound how long it
/// waits for a server to start.
pub(super) fn connect(text: &str, ours: &Ours, server: &Server) -> Result<String, SettingsError> {
    let command: Vec<_> = [&server.program].into_iter().chain(&server.args).collect();
    let wanted = [("type", json!("local")), ("command", json!(command)), ("enabled", json!(true))];
    let text = SERVERS.connect(text, ours, &wanted)?;
    allowed(&text)
}

pub(super) fn disconnect(
    text: &str,
    ours: &Ours,
    before: Option<&str>,
) -> Result<String, SettingsError> {
    if SERVERS.ours(text, ours)?.is_none() {
        return Ok(text.to_owned());
    }
    let text = SERVERS.disconnect(text, ours, before)?;
    without_rule(&text, before)
}

pub(super) fn server(text: &str, ours: &Ours) -> Result<Option<Server>, SettingsError> {
    SERVERS.ours(text, ours)
}

fn read(entry: &Object<'_>) -> Option<Server> {
    let command = &value(entry, "command")?.as_array()?.elements;
    let mut words = command.iter().filter_map(|word| Some(word.as_string_lit()?.value.to_string()));
    Some(Server { program: words.next()?, args: words.collect() })
}

/// Our tools may be used without being asked for. Where there are no rules everything may.
fn allowed(text: &str) -> Result<String, SettingsError> {
    whole(text, |text| {
        let root = parse(text, DIALECT)?;
        let style = Style::of(text, &root);
        let write = |indent: Option<&str>| style.property(RULE, &json!(ALLOW), indent);
        match only(&root, RULES, RULES)?.map(|rules| &rules.value) {
            None => Ok(None),
            // A person who wants to be asked has said so.
            Some(Value::Object(rules)) if value(rules, RULE).is_some() => Ok(None),
            Some(Value::Object(rules)) => {
                Ok(Some(Container::from(rules).append(text, &style, write)))
            }
            Some(Value::StringLit(rule)) if rule.value == ALLOW => Ok(None),
            // One word is a rule for everything.
            Some(Value::StringLit(rule)) => {
                let rules = json!({"*": rule.value, RULE: ALLOW});
                Ok(Some(spliced(text, place(rule), &style.value(&rules, None))))
            }
            Some(other) => Err(wrong_kind(RULES, other, "an object or a text")),
        }
    })
}

/// Takes our rule out again, unless it was there before.
fn without_rule(text: &str, before: Option<&str>) -> Result<String, SettingsError> {
    let old = before.map_or("", |before| body(before).1);
    let before = parse(old, DIALECT).ok();
    let before = before.as_ref().and_then(|before| value(before, RULES));
    let rules_before = before.and_then(Value::as_object);
    let kept = rules_before.and_then(|rules| value(rules, RULE)).is_some();
    whole(text, |text| {
        let root = parse(text, DIALECT)?;
        let Some(Value::Object(rules)) = value(&root, RULES) else { return Ok(None) };
        let at = rules.properties.iter().position(|rule| rule.name.as_str() == RULE);
        let ours = at.filter(|at| {
            let said = rules.properties[*at].value.as_string_lit();
            !kept && said.is_some_and(|said| said.value == ALLOW)
        });
        let Some(at) = ours else { return Ok(None) };
        let without = Container::from(rules).remove_leaving(text, at, blank(old, rules_before));
        // One word before, and nothing else now: one word again.
        let word = before.and_then(Value::as_string_lit).map(|word| word.value.as_ref());
        let everything = value(rules, "*").and_then(Value::as_string_lit);
        let everything = everything.map(|rule| rule.value.as_ref());
        if rules.properties.len() == 2 && word.is_some() && word == everything {
            return Ok(Some(spliced(text, place(rules), &json!(word).to_string())));
        }
        Ok(Some(without))
    })
}
