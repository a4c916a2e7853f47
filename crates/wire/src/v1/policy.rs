//! The rules an ask lives under.

use handraise_broker::{AnswerIn, Level, OnDeadline, OnDisconnect, OwnWordsRule, Policy};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::strict;

/// The rules an ask wishes for or, in answers, lives under. The hub's configuration caps them.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PolicyJson {
    /// After how many seconds silence is reported as silence; never, when absent.
    #[schema(minimum = 1)]
    pub deadline_seconds: Option<u64>,
    /// What the agent is told then: `tell` it that nobody answered, or `interrupt` its turn as well.
    #[serde(deserialize_with = "strict::word")]
    #[schema(value_type = OnDeadlineJson)]
    #[cfg_attr(test, ts(as = "OnDeadlineJson", inline))]
    pub on_deadline: OnDeadline,
    /// When the front end that showed it goes away: `keep` it for the next, or `decline` it.
    #[serde(deserialize_with = "strict::word")]
    #[schema(value_type = OnDisconnectJson)]
    #[cfg_attr(test, ts(as = "OnDisconnectJson", inline))]
    pub on_disconnect: OnDisconnect,
    /// Whether to `allow` or `refuse` a person's own words.
    #[serde(deserialize_with = "strict::word")]
    #[schema(value_type = OwnWordsJson)]
    #[cfg_attr(test, ts(as = "OwnWordsJson", inline))]
    pub own_words: OwnWordsRule,
    /// Whether somebody who is typing gets up to one deadline more.
    pub pause_while_typing: bool,
    /// Which receipt shows that the agent has its answer.
    #[serde(deserialize_with = "strict::word")]
    #[schema(value_type = LevelJson)]
    #[cfg_attr(test, ts(as = "LevelJson"))]
    pub receipt: Level,
    /// Where it can be answered: `anywhere`, or only in the agent's own `dialog`. It is shown
    /// everywhere in either case.
    #[serde(deserialize_with = "strict::word")]
    #[schema(value_type = AnswerInJson)]
    #[cfg_attr(test, ts(as = "AnswerInJson", inline))]
    pub answer_in: AnswerIn,
}

#[expect(dead_code, reason = "stands for the domain's enum in the API description")]
#[derive(ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename_all = "lowercase"))]
#[schema(rename_all = "lowercase", as = OnDeadline)]
pub(crate) enum OnDeadlineJson {
    Tell,
    Interrupt,
}

#[expect(dead_code, reason = "stands for the domain's enum in the API description")]
#[derive(ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename_all = "lowercase"))]
#[schema(rename_all = "lowercase", as = OnDisconnect)]
pub(crate) enum OnDisconnectJson {
    Keep,
    Decline,
}

#[expect(dead_code, reason = "stands for the domain's enum in the API description")]
#[derive(ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename_all = "lowercase"))]
#[schema(rename_all = "lowercase", as = OwnWords)]
pub(crate) enum OwnWordsJson {
    Allow,
    Refuse,
}

#[expect(dead_code, reason = "stands for the domain's enum in the API description")]
#[derive(ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename_all = "lowercase"))]
#[schema(rename_all = "lowercase", as = Level)]
pub(crate) enum LevelJson {
    Handed,
    Seen,
}

#[expect(dead_code, reason = "stands for the domain's enum in the API description")]
#[derive(ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename_all = "lowercase"))]
#[schema(rename_all = "lowercase", as = AnswerIn)]
pub(crate) enum AnswerInJson {
    Anywhere,
    Dialog,
}

impl Default for PolicyJson {
    fn default() -> Self {
        Self::from(&Policy::default())
    }
}

impl From<PolicyJson> for Policy {
    fn from(json: PolicyJson) -> Self {
        Self {
            deadline_seconds: json.deadline_seconds,
            on_deadline: json.on_deadline,
            on_disconnect: json.on_disconnect,
            own_words: json.own_words,
            pause_while_typing: json.pause_while_typing,
            receipt: json.receipt,
            answer_in: json.answer_in,
        }
    }
}

impl From<&Policy> for PolicyJson {
    fn from(policy: &Policy) -> Self {
        Self {
            deadline_seconds: policy.deadline_seconds,
            on_deadline: policy.on_deadline,
            on_disconnect: policy.on_disconnect,
            own_words: policy.own_words,
            pause_while_typing: policy.pause_while_typing,
            receipt: policy.receipt,
            answer_in: policy.answer_in,
        }
    }
}
