//! Who asks.

use handraise_broker::Asker;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The agent behind an ask, and where it works.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskerJson {
    /// The kind of agent, e.g. `claude-code`.
    #[schema(example = "claude-code", min_length = 1, max_length = 100)]
    pub agent: String,
    /// The agent's own name for its session.
    #[schema(max_length = 500)]
    pub session: Option<String>,
    /// The directory it works in.
    #[schema(max_length = 4096)]
    pub directory: Option<String>,
    /// The machine it runs on.
    #[schema(max_length = 255)]
    pub host: Option<String>,
    /// The branch it works on.
    #[schema(max_length = 500)]
    pub branch: Option<String>,
    /// What the session is about.
    #[schema(max_length = 1000)]
    pub title: Option<String>,
    /// What the agent wrote just before it asked.
    pub preamble: Option<String>,
}

impl From<AskerJson> for Asker {
    fn from(json: AskerJson) -> Self {
        let AskerJson { agent, session, directory, host, branch, title, preamble } = json;
        Self { agent, session, directory, host, branch, title, preamble }
    }
}

impl From<&Asker> for AskerJson {
    fn from(asker: &Asker) -> Self {
        let Asker { agent, session, directory, host, branch, title, preamble } = asker.clone();
        Self { agent, session, directory, host, branch, title, preamble }
    }
}
