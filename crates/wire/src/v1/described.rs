//! What is in the parts of an ask that travel as they were written.
//!
//! Questions and approvals are kept byte for byte, and a resolution is kept as the log has it; the hub
//! reads neither through these types. They say, to whoever reads the API's description or its
//! TypeScript, what is in there. An agent may add fields of its own.

use handraise_question::Verdict;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::AnswerJson;
use super::params::VerdictJson;

/// One question, in the form of the `AskUserQuestion` tool.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct QuestionJson {
    /// The text, by which answers are matched.
    pub question: String,
    /// A short name, shown as a chip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Whether several options may be chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multi_select: Option<bool>,
    /// What to choose from; without any, only own words answer it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<OptionJson>>,
}

/// One thing to choose.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct OptionJson {
    /// What is sent back when it is chosen.
    pub label: String,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What choosing it would look like: text, code, a drawing or a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// A tool call or a plan to be allowed or denied.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalJson {
    /// The tool's name.
    pub tool: String,
    /// What it is to be called with.
    #[schema(value_type = Object)]
    #[cfg_attr(test, ts(type = "{ [key: string]: JsonValue }"))]
    pub input: Map<String, Value>,
    /// What the agent says the call does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What the agent offers to remember, so that it need not ask again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    #[cfg_attr(test, ts(as = "Option<Vec<AnyJson>>"))]
    pub suggestions: Option<Vec<Value>>,
    /// The plan, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
}

/// How an ask ended.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum EndingJson {
    /// Every question is answered or left open on purpose; or the approval is decided.
    Answered {
        /// One for each question, in their order.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        answers: Option<Vec<AnswerJson>>,
        /// For an approval: `allow` or `deny`.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<VerdictJson>)]
        #[cfg_attr(test, ts(optional, as = "Option<VerdictJson>"))]
        decision: Option<Verdict>,
        /// For an approval: a word to the agent.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional = nullable))]
        message: Option<String>,
        /// For an approval: the call's input as the person edited it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<Object>)]
        #[cfg_attr(test, ts(optional, as = "Option<AnyJson>"))]
        input: Option<Value>,
        /// For an approval: what the agent offered to remember was taken.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional = nullable))]
        remember: Option<bool>,
    },
    /// The person will not answer.
    Declined {
        /// Why, if they said so.
        reason: Option<String>,
    },
    /// The person wants to talk first.
    Discuss {
        /// What they want to say.
        words: String,
    },
    /// The deadline passed.
    NoAnswer {
        /// How long the ask waited.
        after_seconds: u64,
    },
    /// The agent left, or took the ask back.
    Withdrawn {
        /// Why, if it is known.
        reason: Option<String>,
    },
}

/// How an ask ended, who ended it and when.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ResolutionJson {
    /// How.
    #[serde(flatten)]
    pub ending: EndingJson,
    /// Who; nobody for silence.
    pub responder: Option<ResponderJson>,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    #[cfg_attr(test, ts(type = "string"))]
    pub at: Timestamp,
}

/// Who ended an ask. What is not known is null.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ResponderJson {
    /// The person, or the rule by name.
    pub person: Option<String>,
    /// The device they used.
    pub device: Option<String>,
    /// Where: `terminal`, `web`, `dialog`, `api`, `dialect:NAME` or `rule`.
    pub surface: String,
    /// What shows that a person did it, e.g. `tty`.
    pub proof: Option<String>,
}

/// Any JSON, in TypeScript.
#[cfg(test)]
#[derive(ts_rs::TS)]
#[ts(rename = "JsonValue", type = "JsonValue")]
pub(super) struct AnyJson;
