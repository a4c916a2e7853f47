//! Devices, links and the state of the hub.

use handraise_broker::{Device, DeviceId, Power};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A holder of a token.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceJson {
    /// Its id.
    #[schema(value_type = String, format = Uuid)]
    pub id: DeviceId,
    /// What its owner calls it.
    pub name: String,
    /// `agent` or `person`.
    #[schema(value_type = String)]
    pub power: Power,
    /// Whose it is.
    pub person: Option<String>,
    /// Since when it is known.
    #[schema(value_type = String, format = DateTime)]
    pub added_at: Timestamp,
}

impl From<&Device> for DeviceJson {
    fn from(device: &Device) -> Self {
        let Device { id, name, power, person, added_at } = device.clone();
        Self { id, name, power, person, added_at }
    }
}

/// The devices whose tokens count.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DevicesResponse {
    /// The devices.
    pub devices: Vec<DeviceJson>,
}

/// A one-time login link.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkResponse {
    /// The address; the secret is in its fragment, which no browser sends or logs.
    pub url: String,
    /// Until when it works.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
    /// The address as a QR code without a margin: a line for each row, `1` for dark.
    pub qr: String,
}

/// The secret of a login link.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoginParams {
    /// The secret.
    pub secret: String,
    /// What to call this device; what is long is cut.
    pub name: Option<String>,
}

/// A new device's token: shown once, kept by the device.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoginResponse {
    /// Send it as `Authorization: Bearer …`.
    pub token: String,
    /// The device.
    pub device: DeviceJson,
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
#[serde(rename_all = "camelCase")]
pub struct StatusResponse {
    /// Its version.
    pub version: String,
    /// Since when it runs.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
    /// The end of the log as `SEQ:HASH`; keep it elsewhere to tell a rewritten log.
    pub head: String,
    /// How many asks are open.
    pub open: u64,
    /// How many seconds agents have waited for them in all.
    pub waiting_seconds: f64,
}
