//! Codex: `config.toml`.

use handraise_settings::SettingsError;
use toml_edit::Value;

use super::toml::Servers;
use super::{LIMIT_SECONDS, NAME, Ours, Server};

const SERVERS: Servers = Servers { within: "mcp_servers", name: NAME };

/// Progress does not extend what it waits (measured), so the limit is written. Without an approval mode
/// the tools' own word that they change nothing decides whether it asks before each call (measured).
pub(super) fn connect(text: &str, ours: &Ours, server: &Server) -> Result<String, SettingsError> {
    let limit = i64::try_from(LIMIT_SECONDS).unwrap_or(i64::MAX);
    let wanted = [
        ("command", Value::from(&server.program)),
        ("args", Value::from_iter(&server.args)),
        ("tool_timeout_sec", Value::from(limit)),
        ("default_tools_approval_mode", Value::from("approve")),
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
