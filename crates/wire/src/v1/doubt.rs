//! That an agent went on with an answer that no person gave.

use handraise_broker::{Doubt, DoubtKind};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::strict;

/// Why no person can have given what the agent went on with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DoubtJson {
    /// `empty`: nothing is in it. `too_fast`: nobody could have read the question before.
    /// `timed_out`: it stands for silence. `from_nowhere`: no dialog was seen.
    #[serde(deserialize_with = "strict::word")]
    #[schema(value_type = DoubtKindJson)]
    #[cfg_attr(test, ts(as = "DoubtKindJson"))]
    pub kind: DoubtKind,
    /// The same in a sentence for a person, without control characters.
    #[schema(min_length = 1, max_length = 2_000)]
    pub why: String,
}

#[expect(dead_code, reason = "stands for the domain's enum in the API description")]
#[derive(ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename_all = "snake_case"))]
#[schema(rename_all = "snake_case", as = DoubtKind)]
pub(crate) enum DoubtKindJson {
    Empty,
    TooFast,
    TimedOut,
    FromNowhere,
}

impl From<DoubtJson> for Doubt {
    fn from(DoubtJson { kind, why }: DoubtJson) -> Self {
        Self { kind, why }
    }
}

impl From<Doubt> for DoubtJson {
    fn from(Doubt { kind, why }: Doubt) -> Self {
        Self { kind, why }
    }
}
