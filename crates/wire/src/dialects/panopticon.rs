//! Panopticon's dialect: its page looks every few seconds which questions an agent waits with, and sends
//! the answers to all of them as one list of labels.

mod assigning;

pub use assigning::assign;

use handraise_broker::Record;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::call::call_id;

/// What `GET /api/agents/:id/pending-questions` answers.
#[derive(Debug, Serialize)]
pub struct PendingResponse<'a> {
    /// Whether there is any.
    pub pending: bool,
    /// What waits, in the order in which it was asked.
    pub questions: Vec<PendingQuestion<'a>>,
}

/// One call of the question tool that waits for its answers.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingQuestion<'a> {
    /// The tool call.
    pub tool_id: String,
    /// The agent's session; empty when it names none.
    pub session_id: &'a str,
    /// When it was asked, to the millisecond.
    pub timestamp: String,
    /// The questions, byte for byte as the agent sent them.
    pub questions: &'a RawValue,
}

impl<'a> PendingResponse<'a> {
    /// Tells of these asks, in their order.
    pub fn new(asks: impl IntoIterator<Item = &'a Record>) -> Self {
        let questions: Vec<_> = asks.into_iter().map(PendingQuestion::from).collect();
        Self { pending: !questions.is_empty(), questions }
    }
}

impl<'a> From<&'a Record> for PendingQuestion<'a> {
    fn from(record: &'a Record) -> Self {
        Self {
            tool_id: call_id(record),
            session_id: record.asker().session.as_deref().unwrap_or_default(),
            timestamp: format!("{:.3}", record.asked_at),
            questions: record.matter().as_sent(),
        }
    }
}

/// What `POST /api/agents/:id/answer-question` takes.
#[derive(Debug, Deserialize)]
pub struct AnswerParams {
    /// The labels chosen for every question, one question after the other.
    pub answers: Vec<String>,
}

/// What it answers when all of it was taken.
#[derive(Debug, Serialize)]
pub struct AnswerResponse {
    success: bool,
}

impl AnswerResponse {
    /// The agent has it.
    pub const TAKEN: Self = Self { success: true };
}

/// What it answers when it was not.
#[derive(Debug, Serialize)]
pub struct FailureResponse {
    error: &'static str,
    /// Why, in words. Panopticon's own server does not say.
    reason: String,
}

impl FailureResponse {
    /// Says why.
    #[must_use]
    pub fn because(reason: impl Into<String>) -> Self {
        Self { error: "Failed to send answer", reason: reason.into() }
    }
}

#[cfg(test)]
#[path = "panopticon_tests.rs"]
mod tests;
