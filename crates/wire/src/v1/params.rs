//! What people and agents send about an ask.

use handraise_broker::{AskId, Draft, Level, Look, Receipt, Reply};
use handraise_question::{AnswerForm, DecisionForm, Verdict, Violation, Violations};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::policy::LevelJson;
use super::{DoubtJson, EndingJson, strict};

/// The answer to one question.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerJson {
    /// Labels of the chosen options, byte for byte.
    #[serde(default)]
    pub selected: Vec<String>,
    /// What the person typed instead or, in a multi-select, as well.
    pub words: Option<String>,
    /// A remark beside the answer.
    pub notes: Option<String>,
    /// Left open on purpose.
    #[serde(default)]
    pub left_open: bool,
}

impl From<AnswerJson> for AnswerForm {
    fn from(json: AnswerJson) -> Self {
        let AnswerJson { selected, words, notes, left_open } = json;
        Self { selected, words, notes, left_open }
    }
}

impl From<AnswerForm> for AnswerJson {
    fn from(form: AnswerForm) -> Self {
        let AnswerForm { selected, words, notes, left_open } = form;
        Self { selected, words, notes, left_open }
    }
}

/// Answers to questions, or the decision on an approval.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AnswerParams {
    /// One for each question, in their order.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional_objects"
    )]
    #[cfg_attr(test, ts(optional))]
    pub answers: Option<Vec<AnswerJson>>,
    /// For an approval: `allow` or `deny`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "strict::optional_word")]
    #[schema(value_type = Option<VerdictJson>)]
    #[cfg_attr(test, ts(optional, as = "Option<VerdictJson>"))]
    pub decision: Option<Verdict>,
    /// For an approval: a word to the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub message: Option<String>,
    /// For an approval: the call's input as the person edited it.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "strict::optional_value")]
    #[schema(value_type = Option<Object>)]
    #[cfg_attr(test, ts(optional, as = "Option<super::described::AnyJson>"))]
    pub input: Option<Value>,
    /// For an approval: take what the agent offers to remember.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub remember: Option<bool>,
    /// Makes it safe to try again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200)]
    #[cfg_attr(test, ts(optional))]
    pub idempotency_key: Option<String>,
}

#[expect(dead_code, reason = "stands for the domain's enum in the API description")]
#[derive(ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename_all = "lowercase"))]
#[schema(rename_all = "lowercase", as = Verdict)]
pub(crate) enum VerdictJson {
    Allow,
    Deny,
}

impl AnswerParams {
    /// What was said, and the key to try it again by.
    ///
    /// # Errors
    ///
    /// When it is neither answers nor a decision, or both.
    pub fn into_reply(self) -> Result<(Reply, Option<String>), Violations> {
        let key = self.idempotency_key;
        let stray = self.message.is_some() || self.input.is_some() || self.remember.is_some();
        let reply = match (self.answers, self.decision) {
            (Some(answers), None) if !stray => {
                Reply::Answer(answers.into_iter().map(AnswerForm::from).collect())
            }
            (None, Some(decision)) => {
                let Self { message, input, remember, .. } =
                    Self { answers: None, idempotency_key: None, ..self };
                Reply::Decide(DecisionForm { decision, message, input, remember })
            }
            (Some(_), _) => {
                return Err(Violation::new("answers", "and a decision", "one of the two").into());
            }
            (None, None) => {
                let allowed = "answers, or a decision on an approval,";
                return Err(Violation::new("answers", "missing", allowed).into());
            }
        };
        Ok((reply, key))
    }
}

/// A decline, perhaps with a reason.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct DeclineParams {
    /// Why.
    pub reason: Option<String>,
    /// Makes it safe to try again.
    #[schema(min_length = 1, max_length = 200)]
    pub idempotency_key: Option<String>,
}

/// The wish to talk first.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiscussParams {
    /// What the person wants to say first.
    #[schema(min_length = 1)]
    pub words: String,
    /// Makes it safe to try again.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200)]
    pub idempotency_key: Option<String>,
}

/// More time.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExtendParams {
    /// How much, from the deadline as it stands.
    #[schema(minimum = 1, maximum = 31_622_400)]
    pub seconds: u64,
    /// Makes it safe to try again.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200)]
    pub idempotency_key: Option<String>,
}

/// The agent takes its ask back, or is gone.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WithdrawParams {
    /// Why.
    pub reason: Option<String>,
}

/// What is known of the agent's side.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReceiptParams {
    /// How sure it is.
    #[serde(deserialize_with = "strict::word")]
    #[schema(value_type = LevelJson)]
    pub level: Level,
    /// What was handed over, or what the model read. The two are compared.
    pub text: Option<String>,
    /// What the agent itself says it took, in the form of a resolution without `responder` and `at`; of
    /// an approval `decision` alone. It ends an open ask that was asked with `rivalDialog`, as answered
    /// in the agent's own dialog by the agent's word; if the ask ended otherwise, it is overruled.
    #[schema(value_type = Option<EndingJson>)]
    pub took: Option<Value>,
    /// That no person gave what the agent went on with. What was said first stays.
    #[serde(default, deserialize_with = "strict::optional_object")]
    pub doubt: Option<DoubtJson>,
}

impl From<ReceiptParams> for Receipt {
    fn from(params: ReceiptParams) -> Self {
        let ReceiptParams { level, text, took, doubt } = params;
        Self { level, text, took, doubt: doubt.map(Into::into) }
    }
}

/// The option whose preview is to be shown.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PreviewParams {
    /// Which question, counted from 0.
    pub question: u32,
    /// Which of its options, counted from 0.
    pub option: u32,
}

/// Where a preview can be shown.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PreviewResponse {
    /// For the `src` of a frame without any permission. It works once, for a minute.
    pub url: String,
}

/// Whether a person looks at what waits.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LookParams {
    /// The surface's own name for what is looked at: a window, a terminal.
    #[schema(min_length = 1, max_length = 64)]
    pub view: String,
    /// The one ask that it shows; every ask that waits, when absent.
    #[schema(value_type = Option<String>, format = Uuid)]
    #[cfg_attr(test, ts(type = "string | null"))]
    pub ask: Option<AskId>,
    /// For how long this holds; 0 means that nobody looks any more.
    #[schema(maximum = 300)]
    pub seconds: u64,
}

impl From<LookParams> for Look {
    fn from(params: LookParams) -> Self {
        let LookParams { view, ask, seconds } = params;
        Self { view, ask, seconds }
    }
}

impl From<Look> for LookParams {
    fn from(look: Look) -> Self {
        let Look { view, ask, seconds } = look;
        Self { view, ask, seconds }
    }
}

/// An unfinished answer.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DraftJson {
    /// Higher than that of the draft it replaces.
    #[schema(minimum = 1)]
    pub version: u64,
    /// One for each question that was touched.
    #[serde(deserialize_with = "strict::objects")]
    pub answers: Vec<AnswerJson>,
    /// What is typed beside the answers: a reason to decline, words to talk first, a word with a
    /// decision.
    pub message: Option<String>,
    /// An approval's input while it is edited: text, which need not be JSON yet.
    pub input: Option<String>,
}

impl From<DraftJson> for Draft {
    fn from(json: DraftJson) -> Self {
        let answers = json.answers.into_iter().map(AnswerForm::from).collect();
        Self { version: json.version, answers, message: json.message, input: json.input }
    }
}

impl From<Draft> for DraftJson {
    fn from(draft: Draft) -> Self {
        let answers = draft.answers.into_iter().map(AnswerJson::from).collect();
        Self { version: draft.version, answers, message: draft.message, input: draft.input }
    }
}
