//! Devices, links and the state of the hub.

use handraise_broker::{AskId, Device, DeviceId, Power};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A holder of a token.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DeviceJson {
    /// Its id.
    #[schema(value_type = String, format = Uuid)]
    #[cfg_attr(test, ts(type = "string"))]
    pub id: DeviceId,
    /// What its owner calls it.
    pub name: String,
    /// `agent` or `person`.
    #[schema(value_type = PowerJson)]
    #[cfg_attr(test, ts(as = "PowerJson"))]
    pub power: Power,
    /// Whose it is.
    pub person: Option<String>,
    /// Since when it is known.
    #[schema(value_type = String, format = DateTime)]
    #[cfg_attr(test, ts(type = "string"))]
    pub added_at: Timestamp,
}

#[expect(dead_code, reason = "stands for the domain's enum in the API description")]
#[derive(ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename_all = "lowercase"))]
#[schema(rename_all = "lowercase", as = Power)]
pub(crate) enum PowerJson {
    Agent,
    Person,
}

impl From<&Device> for DeviceJson {
    fn from(device: &Device) -> Self {
        let Device { id, name, power, person, added_at } = device.clone();
        Self { id, name, power, person, added_at }
    }
}

/// The devices whose tokens count.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DevicesResponse {
    /// The devices.
    pub devices: Vec<DeviceJson>,
}

/// Where a login link leads.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LinkParams {
    /// The ask to be seen after the login; all that waits, when absent.
    #[schema(value_type = Option<String>, format = Uuid)]
    pub ask: Option<AskId>,
}

/// A one-time login link.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LinkResponse {
    /// The address; the secret is in its fragment, which no browser sends or logs.
    pub url: String,
    /// Until when it works.
    #[schema(value_type = String, format = DateTime)]
    #[cfg_attr(test, ts(type = "string"))]
    pub expires_at: Timestamp,
    /// The address as a QR code without a margin: a line for each row, `1` for dark.
    pub qr: String,
}

/// The secret of a login link.
#[derive(Deserialize, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoginParams {
    /// The secret.
    pub secret: String,
    /// What to call this device; what is long is cut.
    pub name: Option<String>,
}

/// A new device's token: shown once, kept by the device.
#[derive(Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LoginResponse {
    /// Send it as `Authorization: Bearer …`.
    pub token: String,
    /// The device.
    pub device: DeviceJson,
    /// The ask that its link leads to.
    #[schema(value_type = Option<String>, format = Uuid)]
    #[cfg_attr(test, ts(type = "string | null"))]
    pub ask: Option<AskId>,
}

/// An agent that is to have a token of its own.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentParams {
    /// Its name: what it asks belongs to this name, and no other agent has it. 1–100 of `a`–`z`, `A`–`Z`,
    /// `0`–`9`, `-`, `_`, `.` and `@`, a letter or digit first.
    pub agent: String,
}

/// What a command that acts as a person found when it looked where it was run.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InsideAgentParams {
    /// The command that was refused; what is long is cut.
    pub command: String,
    /// What gave the agent away.
    pub sign: String,
}

/// How the hub is.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StatusResponse {
    /// Its version.
    pub version: String,
    /// Since when it runs.
    #[schema(value_type = String, format = DateTime)]
    #[cfg_attr(test, ts(type = "string"))]
    pub since: Timestamp,
    /// The end of the log as `SEQ:HASH`; keep it elsewhere to tell a rewritten log.
    pub head: String,
    /// How many asks are open.
    pub open: u64,
    /// How many seconds agents have waited for them in all.
    pub waiting_seconds: f64,
    /// Whether the hub itself watches Claude Code's sessions; older hubs do not say.
    #[serde(default)]
    pub watch: Option<WatchJson>,
}

/// How the hub's own watch of Claude Code's sessions is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WatchJson {
    /// In one word.
    pub state: WatchStateJson,
    /// Claude Code's configuration directory.
    pub directory: Option<String>,
    /// How many sessions run there.
    pub sessions: u64,
    /// Why it waits, or has failed.
    pub reason: Option<String>,
}

/// Whether sessions are watched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum WatchStateJson {
    /// They are not, and nobody wants it.
    #[default]
    Off,
    /// They will be: there is no directory yet, or another process watches them.
    Waiting,
    /// They are.
    Watching,
    /// They cannot be; it is tried again from time to time.
    Failed,
}
