//! prime-agent's dialect: one WebSocket to a session, of which only the newest counts. A question is an
//! event of its own, and `session_status` says whether one waits.

use handraise_broker::Record;
use handraise_question::{Violation, Violations};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::dialect::{fields, frame, kind, object, text};
use super::{Asked, Dialect, Ended, Manners, Refusal, Refused, Said, Says, Scope, Status};

const TIMED_OUT: &str = "User response timed out";
const CANCELLED: &str = "Cancelled by the user";

/// prime-agent's dialect.
#[derive(Debug)]
pub struct PrimeAgent;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Frame<'a> {
    AskUserQuestion {
        question_id: String,
        questions: &'a RawValue,
        timeout_seconds: Option<u64>,
    },
    AskUserTimeout {
        question_id: String,
        error: String,
    },
    SessionStatus {
        session_id: &'a str,
        is_processing: bool,
        waiting_for_user: bool,
        pending_question_id: Option<&'a str>,
    },
    Error {
        error: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        question_id: Option<&'a str>,
    },
}

impl Dialect for PrimeAgent {
    fn name(&self) -> &'static str {
        "prime-agent"
    }

    fn manners(&self) -> Manners {
        Manners {
            scope: Scope::Session,
            newest_only: true,
            one_by_one: true,
            missed_when_gone: false,
        }
    }

    fn id(&self, ask: &Record) -> String {
        ask.id.to_string()
    }

    fn status(&self, status: &Status<'_>) -> Option<String> {
        Some(frame(&Frame::SessionStatus {
            session_id: status.session,
            is_processing: status.is_working && status.waiting.is_none(),
            waiting_for_user: status.waiting.is_some(),
            pending_question_id: status.waiting,
        }))
    }

    fn asked(&self, asked: &Asked<'_>) -> String {
        frame(&Frame::AskUserQuestion {
            question_id: self.id(asked.ask),
            questions: asked.ask.matter().as_sent(),
            timeout_seconds: asked.seconds_left,
        })
    }

    /// The document has one event for a question that is over without an answer from here.
    fn ended(&self, ended: &Ended<'_>) -> Option<String> {
        let error = match (ended.resolved.kind(), ended.is_from(self)) {
            ("answered", true) => return None,
            ("declined", true) => CANCELLED.to_owned(),
            ("no_answer", _) => TIMED_OUT.to_owned(),
            _ => ended.by_whom(),
        };
        Some(frame(&Frame::AskUserTimeout { question_id: self.id(ended.ask), error }))
    }

    fn amiss(&self, ended: &Ended<'_>, words: &str) -> String {
        let question_id = self.id(ended.ask);
        let error = "not_delivered";
        frame(&Frame::Error { error, message: Some(words), question_id: Some(&question_id) })
    }

    fn refused(&self, refused: &Refused<'_>) -> Option<String> {
        let (error, message) = match refused.why {
            // On purpose: the document has them ignored.
            Refusal::Late => return None,
            Refusal::Taken => ("session_taken", None),
            Refusal::Unknown => {
                ("unknown_question", Some("data.question_id: no question of this session"))
            }
            Refusal::Other { code, message } => (code.as_str(), Some(message.as_str())),
        };
        let question_id = refused.ask.filter(|_| message.is_some());
        Some(frame(&Frame::Error { error, message, question_id }))
    }

    fn read(&self, message: &str) -> Result<Said, Violations> {
        let message = object(message)?;
        let kind_of_message = text(&message, "type")?;
        let data = fields(&message, "data");
        match kind_of_message.as_str() {
            "ask_user_response" => {
                let data = data?;
                let ask = text(data, "data.question_id")?;
                let is_cancelled = match data.get("cancelled") {
                    None | Some(Value::Null) => false,
                    Some(Value::Bool(cancelled)) => *cancelled,
                    Some(other) => {
                        let allowed = "true or false";
                        return Err(Violation::new("data.cancelled", kind(other), allowed).into());
                    }
                };
                let says = if is_cancelled {
                    Says::Cancelled
                } else {
                    Says::Answers(fields(data, "data.answers")?.clone())
                };
                Ok(Said::Response { session: None, ask, says })
            }
            // The document speaks of chat and does not say how it is sent.
            "user_message" => Ok(Said::Words(text(data?, "data.content")?)),
            _ => {
                let allowed = "ask_user_response or user_message";
                Err(Violation::new("type", "another", allowed).into())
            }
        }
    }
}

#[cfg(test)]
#[path = "prime_agent_tests.rs"]
mod tests;
