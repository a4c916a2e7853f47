//! Gemini CLI, and Qwen Code, which comes of it: `settings.json`, with comments.

use handraise_settings::{Dialect, SettingsError, string, value};
use jsonc_parser::ast::{Object, Value};
use serde_json::json;

use super::json::Servers;
use super::{LIMIT_SECONDS, NAME, Ours, Server};

const SERVERS: Servers =
    Servers { dialect: Dialect::Comments, within: "mcpServers", name: NAME, read };

/// Without `trust` it asks before each call, and offers the tools not at all where it cannot ask
/// (measured).
pub(super) fn connect(text: &str, ours: &Ours, server: &Server) -> Result<String, SettingsError> {
    let wanted = [
        ("command", json!(server.program)),
        ("args", json!(server.args)),
        ("timeout", json!(LIMIT_SECONDS * 1000)),
        ("trust", json!(true)),
    ];
    SERVERS.connect(text, ours, &wanted)
}

pub(super) fn disconnect(
    text: &str,
    ours: &Ours,
    before: Option<&str>,
) -> Result<String, SettingsError> {
    SERVERS.disconnect(text, ours, before)
}

pub(super) fn server(text: &str, ours: &Ours) -> Result<Option<Server>, SettingsError> {
    SERVERS.ours(text, ours)
}

fn read(entry: &Object<'_>) -> Option<Server> {
    let program = string(entry, "command")?.to_owned();
    let args = value(entry, "args").and_then(Value::as_array);
    let args = args.iter().flat_map(|args| &args.elements);
    let args = args.filter_map(|arg| Some(arg.as_string_lit()?.value.to_string())).collect();
    Some(Server { program, args })
}
