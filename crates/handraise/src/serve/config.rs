//! `config.toml`: everything has a default, and what it does not know it refuses.

use std::io;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};

use handraise_broker::PolicyCaps;
use handraise_client::Home;
use serde::Deserialize;

use crate::failure::{Exit, Failure};

/// What the configuration says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    /// The name under which the owner of this hub answers; the account's name when absent.
    pub(crate) person: Option<String>,
    /// Where to listen.
    pub(crate) listen: Option<SocketAddr>,
    /// Names beside the loopback ones under which the hub may be reached.
    pub(crate) allow_hosts: Vec<String>,
    /// Origins beside its own from which pages may call the hub.
    pub(crate) allow_origins: Vec<String>,
    /// How far an agent's own wishes go.
    pub(crate) policy: PolicyCaps,
    pub(crate) limits: LimitsConfig,
    pub(crate) retention: Retention,
}

/// How much the hub takes at once. A limit of nothing would let nobody in, the owner least of all.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LimitsConfig {
    /// Asks that may be open at once.
    pub(crate) open_asks: usize,
    /// Requests a second for each token.
    pub(crate) requests_per_second: NonZeroU32,
    /// Connections at once.
    pub(crate) connections: NonZeroUsize,
    /// How many seconds a connection may say nothing, or take over one request.
    pub(crate) patience_seconds: NonZeroU64,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        let limits = handraise_server::Limits::default();
        Self {
            open_asks: handraise_broker::Settings::default().most_open,
            requests_per_second: NonZeroU32::new(limits.requests_per_second)
                .unwrap_or(NonZeroU32::MIN),
            connections: NonZeroUsize::new(limits.connections).unwrap_or(NonZeroUsize::MIN),
            patience_seconds: NonZeroU64::new(limits.patience.as_secs()).unwrap_or(NonZeroU64::MIN),
        }
    }
}

/// How long what has ended is kept.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Retention {
    /// For so many days; for ever when absent.
    pub(crate) days: Option<u32>,
}

impl Config {
    pub(crate) fn read(home: &Home) -> Result<Self, Failure> {
        let path = home.config();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                let error =
                    anyhow::Error::new(error).context(format!("cannot read {}", path.display()));
                return Err(Failure::new(Exit::BadInput, error));
            }
        };
        toml::from_str(&text).map_err(|error| {
            let problem = anyhow::anyhow!("{} cannot be understood", path.display());
            let failure = Failure::new(Exit::BadInput, problem);
            error.to_string().trim_end().lines().fold(failure, Failure::detail)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_nothing_is_refused() {
        for limit in ["requests_per_second", "connections", "patience_seconds"] {
            let read = |value| toml::from_str::<Config>(&format!("[limits]\n{limit} = {value}"));
            assert!(read(1).is_ok(), "{limit}");
            assert!(read(0).is_err(), "{limit}");
        }
    }
}
