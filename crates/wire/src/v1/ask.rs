//! An ask, as an agent sends it and as everybody reads it.

use std::sync::Arc;

use handraise_broker::{
    Asked, DelivererId, Delivery, Doubt, Matter, NewAsk, Opened, Phase, Questions, Receipt, Record,
    Resolved, State,
};
use handraise_question::{Responder, Violation, Violations};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::policy::LevelJson;
use super::{
    ApprovalJson, AskerJson, DoubtJson, EndingJson, PolicyJson, QuestionJson, ResolutionJson,
    strict,
};

/// What an ask is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum KindJson {
    /// Questions.
    #[default]
    Question,
    /// A tool call or a plan.
    Approval,
}

/// What an agent asks.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({
    "asker": {"agent": "claude-code", "session": "s-1", "directory": "/home/dev/app"},
    "key": "s-1/toolu_1",
    "questions": [{"question": "Which auth?", "header": "Auth", "multiSelect": false,
                   "options": [{"label": "JWT"}, {"label": "Sessions"}]}],
    "policy": {"deadlineSeconds": 300}
}))]
pub struct AskParams {
    /// Who asks.
    #[serde(deserialize_with = "strict::object")]
    pub asker: AskerJson,
    /// The asker's own name for the ask; asking again with it finds the same ask.
    #[schema(min_length = 1, max_length = 500)]
    pub key: Option<String>,
    /// `question` when absent.
    #[serde(default, deserialize_with = "strict::word")]
    pub kind: KindJson,
    /// The questions, in the form of the `AskUserQuestion` tool. Kept and echoed byte for byte.
    #[schema(value_type = Option<Vec<QuestionJson>>)]
    pub questions: Option<Box<RawValue>>,
    /// What came with the questions: an object of the agent's own, `{"source": "remember"}` for example.
    /// Kept and echoed byte for byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Box<RawValue>>,
    /// For an approval: `{tool, input, description, suggestions, plan}`.
    #[schema(value_type = Option<ApprovalJson>)]
    pub approval: Option<Box<RawValue>>,
    /// The rules the asker wishes for.
    #[serde(default, deserialize_with = "strict::optional_object")]
    pub policy: Option<PolicyJson>,
    /// Whether the agent shows a dialog of its own beside the ask, which may be answered first. Only
    /// then does a receipt with `took` end an open ask.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rival_dialog: bool,
}

impl AskParams {
    /// What the broker is asked.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with what is asked.
    pub fn into_new_ask(self, deliverer: Option<DelivererId>) -> Result<NewAsk, Violations> {
        let matter = match (self.kind, self.questions, self.approval) {
            (KindJson::Question, Some(questions), None) => {
                Matter::questions_with(questions, self.metadata)?
            }
            (KindJson::Approval, None, Some(_)) if self.metadata.is_some() => {
                let allowed = "null, or kind \"question\",";
                return Err(Violation::new("metadata", "with kind \"approval\"", allowed).into());
            }
            (KindJson::Approval, None, Some(approval)) => Matter::approval(approval)?,
            (KindJson::Question, _, Some(_)) => {
                let allowed = "null, or kind \"approval\",";
                return Err(Violation::new("approval", "with kind \"question\"", allowed).into());
            }
            (KindJson::Approval, Some(_), _) => {
                let allowed = "null, or kind \"question\",";
                return Err(Violation::new("questions", "with kind \"approval\"", allowed).into());
            }
            (KindJson::Question, None, None) => {
                return Err(Violation::new("questions", "missing", "a list of questions").into());
            }
            (KindJson::Approval, None, None) => {
                return Err(Violation::new("approval", "missing", "an object with tool").into());
            }
        };
        Ok(NewAsk {
            asker: self.asker.into(),
            key: self.key,
            matter,
            policy: self.policy.unwrap_or_default().into(),
            rival_dialog: self.rival_dialog,
            deliverer,
        })
    }
}

impl From<&NewAsk> for AskParams {
    fn from(new: &NewAsk) -> Self {
        let (kind, questions, approval) = parts(&new.matter);
        Self {
            asker: (&new.asker).into(),
            key: new.key.clone(),
            kind,
            questions,
            metadata: new.matter.metadata().map(ToOwned::to_owned),
            approval,
            policy: Some((&new.policy).into()),
            rival_dialog: new.rival_dialog,
        }
    }
}

/// An ask as it stands.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AskResponse {
    /// Its id.
    #[schema(value_type = String, format = Uuid)]
    #[cfg_attr(test, ts(type = "string"))]
    pub id: handraise_broker::AskId,
    /// `open`, `resolved`, `delivered`, `overruled` or `undelivered`.
    #[schema(value_type = StateJson)]
    #[cfg_attr(test, ts(as = "StateJson"))]
    pub state: String,
    /// When it was asked.
    #[schema(value_type = String, format = DateTime)]
    #[cfg_attr(test, ts(type = "string"))]
    pub asked_at: Timestamp,
    /// The last event about it.
    pub seq: u64,
    /// Who asks.
    pub asker: AskerJson,
    /// The asker's own name for it.
    pub key: Option<String>,
    /// The name of the agent's token that asked. Absent for asks of versions before owners were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub owner: Option<String>,
    /// What it is about.
    pub kind: KindJson,
    /// The questions, byte for byte as the agent sent them.
    #[schema(value_type = Option<Vec<QuestionJson>>)]
    #[cfg_attr(test, ts(as = "Option<Vec<QuestionJson>>"))]
    pub questions: Option<Box<RawValue>>,
    /// What came with the questions, byte for byte as the agent sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    #[cfg_attr(test, ts(optional, type = "Record<string, unknown>"))]
    pub metadata: Option<Box<RawValue>>,
    /// The approval, byte for byte as the agent sent it.
    #[schema(value_type = Option<ApprovalJson>)]
    #[cfg_attr(test, ts(as = "Option<ApprovalJson>"))]
    pub approval: Option<Box<RawValue>>,
    /// The rules it lives under.
    pub policy: PolicyJson,
    /// Whether the agent shows a dialog of its own beside it, as it said when it asked.
    #[serde(default)]
    pub rival_dialog: bool,
    /// When silence will be reported as silence.
    #[schema(value_type = Option<String>, format = DateTime)]
    #[cfg_attr(test, ts(as = "Option<String>"))]
    pub deadline_at: Option<Timestamp>,
    /// How it ended.
    #[schema(value_type = Option<ResolutionJson>)]
    #[cfg_attr(test, ts(as = "Option<ResolutionJson>"))]
    pub resolution: Option<Box<RawValue>>,
    /// What is known of the agent's side.
    pub delivery: Option<DeliveryJson>,
    /// In the answer to an ask: who brings the resolution to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, inline))]
    pub deliverer: Option<DelivererJson>,
}

#[expect(dead_code, reason = "stands for the state in the API description")]
#[derive(ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename_all = "lowercase"))]
#[schema(rename_all = "lowercase", as = State)]
pub(crate) enum StateJson {
    Open,
    Resolved,
    Delivered,
    Overruled,
    Undelivered,
}

/// Who brings the resolution to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum DelivererJson {
    /// Whoever asked.
    You,
    /// A process that asked the same before, and is still there.
    Another,
}

/// What is known of the agent's side.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DeliveryJson {
    /// `handed` or `seen`, if a receipt came.
    #[schema(value_type = Option<LevelJson>)]
    #[cfg_attr(test, ts(as = "Option<LevelJson>"))]
    pub level: Option<String>,
    /// What was handed over, what the model read, or why nobody knows.
    pub text: Option<String>,
    /// What the agent itself says it took, in the form of a resolution.
    #[schema(value_type = Option<EndingJson>)]
    #[cfg_attr(test, ts(as = "Option<EndingJson>"))]
    pub took: Option<Value>,
    /// That no person gave what the agent went on with.
    pub doubt: Option<DoubtJson>,
    /// Since when.
    #[schema(value_type = String, format = DateTime)]
    #[cfg_attr(test, ts(type = "string"))]
    pub at: Timestamp,
}

/// A page of asks.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AsksResponse {
    /// The asks.
    pub asks: Vec<AskResponse>,
    /// Pass it as `after` for the next page; null when this was the last. A page of large asks, or a search
    /// in many, may hold fewer than `limit`, or none, and not be the last.
    #[schema(value_type = Option<String>, format = Uuid)]
    #[cfg_attr(test, ts(as = "Option<String>"))]
    pub next: Option<handraise_broker::AskId>,
}

impl From<&Record> for AskResponse {
    fn from(record: &Record) -> Self {
        let (kind, questions, approval) = parts(record.matter());
        let delivery = match &record.phase {
            Phase::Open => None,
            Phase::Resolved { delivery, .. } => delivery_json(delivery),
        };
        Self {
            id: record.id,
            state: record.state().name().to_owned(),
            asked_at: record.asked_at,
            seq: record.seq,
            asker: record.asker().into(),
            key: record.opened.key.clone(),
            owner: record.opened.owner.clone(),
            kind,
            questions,
            metadata: record.matter().metadata().map(ToOwned::to_owned),
            approval,
            policy: record.policy().into(),
            rival_dialog: record.opened.rival_dialog,
            deadline_at: record.deadline_at,
            resolution: record.resolved().map(resolution_json),
            delivery,
            deliverer: None,
        }
    }
}

impl From<&Asked> for AskResponse {
    fn from(asked: &Asked) -> Self {
        let deliverer = if asked.yours { DelivererJson::You } else { DelivererJson::Another };
        Self { deliverer: Some(deliverer), ..Self::from(&*asked.record) }
    }
}

/// A resolution with who gave it and when.
#[must_use]
pub fn resolution_json(resolved: &Resolved) -> Box<RawValue> {
    // Every part of it has a JSON form.
    serde_json::value::to_raw_value(&ResolutionForm::from(resolved)).unwrap_or_default()
}

/// What [`resolution_json`] is made of.
#[derive(Serialize)]
pub(super) struct ResolutionForm<'a> {
    #[serde(flatten)]
    resolution: &'a Value,
    responder: Option<&'a Responder>,
    at: Timestamp,
}

impl<'a> From<&'a Resolved> for ResolutionForm<'a> {
    fn from(resolved: &'a Resolved) -> Self {
        let Resolved { resolution, responder, at, .. } = resolved;
        Self { resolution, responder: responder.as_ref(), at: *at }
    }
}

impl TryFrom<AskResponse> for Arc<Record> {
    type Error = Violation;

    /// Reads what another hub said: its word is taken for what was asked, but must make sense.
    fn try_from(json: AskResponse) -> Result<Self, Violation> {
        let matter = match (json.questions, json.approval) {
            (Some(as_sent), _) => Matter::Questions(Questions { as_sent, metadata: json.metadata }),
            (None, Some(raw)) => Matter::Approval(raw),
            (None, None) => return Err(Violation::new("questions", "missing", "questions")),
        };
        let state = State::ALL.into_iter().find(|state| state.name() == json.state);
        let state = state.ok_or_else(|| Violation::new("state", "unknown", "a known state"))?;
        let phase = match (state, json.resolution) {
            (State::Open, _) => Phase::Open,
            (_, None) => return Err(Violation::new("resolution", "missing", "a resolution")),
            (state, Some(resolution)) => Phase::Resolved {
                resolved: Arc::new(resolved(&resolution)?),
                delivery: delivery(state, json.delivery),
            },
        };
        let opened = Arc::new(Opened {
            asker: json.asker.into(),
            key: json.key,
            owner: json.owner,
            matter,
            policy: json.policy.into(),
            rival_dialog: json.rival_dialog,
            deadline_at: json.deadline_at,
        });
        let (asked_at, deadline_at) = (json.asked_at, json.deadline_at);
        let (id, seq, extensions) = (json.id, json.seq, vec![]);
        Ok(Self::new(Record { id, opened, asked_at, deadline_at, extensions, seq, phase }))
    }
}

fn resolved(json: &RawValue) -> Result<Resolved, Violation> {
    let wrong = |field: &str| Violation::new(format!("resolution.{field}"), "unreadable", "it");
    let mut json: Value = serde_json::from_str(json.get()).map_err(|_| wrong("kind"))?;
    let mut take = |field: &str| json.as_object_mut().and_then(|object| object.remove(field));
    let responder: Option<Responder> = match take("responder") {
        Some(responder) => serde_json::from_value(responder).map_err(|_| wrong("responder"))?,
        None => None,
    };
    let at =
        take("at").and_then(|at| serde_json::from_value(at).ok()).ok_or_else(|| wrong("at"))?;
    Ok(Resolved { resolution: json, responder, at, submit: None })
}

fn delivery_json(delivery: &Delivery) -> Option<DeliveryJson> {
    let level = |receipt: &Receipt| {
        serde_json::to_value(receipt.level).ok().and_then(|level| level.as_str().map(str::to_owned))
    };
    Some(match delivery {
        Delivery::Awaited => return None,
        Delivery::Delivered { receipt, at } | Delivery::Overruled { receipt, at } => {
            let Receipt { text, took, doubt, .. } = receipt.clone();
            let doubt = doubt.map(Into::into);
            DeliveryJson { level: level(receipt), text, took, doubt, at: *at }
        }
        Delivery::Undelivered { reason, at, handed } => {
            let doubt = handed.as_ref().and_then(|handed| handed.doubt.clone()).map(Into::into);
            DeliveryJson { level: None, text: Some(reason.clone()), took: None, doubt, at: *at }
        }
    })
}

fn delivery(state: State, json: Option<DeliveryJson>) -> Delivery {
    let Some(DeliveryJson { level, text, took, doubt, at }) = json else {
        return Delivery::Awaited;
    };
    let doubt = doubt.map(Doubt::from);
    let level = level.and_then(|level| serde_json::from_value(level.into()).ok());
    let receipt =
        level.map(|level| Receipt { level, text: text.clone(), took, doubt: doubt.clone() });
    match (state, receipt) {
        (State::Delivered, Some(receipt)) => Delivery::Delivered { receipt, at },
        (State::Overruled, Some(receipt)) => Delivery::Overruled { receipt, at },
        (State::Undelivered, _) => {
            // What was handed over is not told; what is known of it beside its text is.
            let handed = doubt.map(|doubt| Receipt::handed(None).doubted(doubt));
            Delivery::Undelivered { reason: text.unwrap_or_default(), at, handed }
        }
        (State::Open | State::Resolved | State::Delivered | State::Overruled, _) => {
            Delivery::Awaited
        }
    }
}

fn parts(matter: &Matter) -> (KindJson, Option<Box<RawValue>>, Option<Box<RawValue>>) {
    match matter {
        Matter::Questions(questions) => (KindJson::Question, Some(questions.as_sent.clone()), None),
        Matter::Approval(raw) => (KindJson::Approval, None, Some(raw.clone())),
    }
}
