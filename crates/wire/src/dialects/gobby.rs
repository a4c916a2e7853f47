//! Gobby's dialect: a question is a tool call like any other, told by `tool_status`, and the front end's
//! card of that call is where it is answered. One WebSocket may be about all conversations.

use handraise_broker::Record;
use handraise_question::wording::{flat, refusal};
use handraise_question::{Violation, Violations};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::call::call_id;
use super::dialect::{fields, frame, object, text};
use super::{Asked, Dialect, Ended, Manners, Refusal, Refused, Said, Says, Scope, Status};

/// Gobby's dialect.
#[derive(Debug)]
pub struct Gobby;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Frame<'a> {
    ToolStatus {
        message_id: String,
        conversation_id: &'a str,
        tool_call_id: String,
        tool_name: &'static str,
        server_name: &'static str,
        #[serde(flatten)]
        progress: Progress<'a>,
    },
    Error {
        code: &'a str,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        conversation_id: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_call_id: Option<&'a str>,
    },
}

#[derive(Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
enum Progress<'a> {
    Calling { arguments: Arguments<'a> },
    Completed { result: Outcome },
    Error { error: String },
}

#[derive(Serialize)]
struct Arguments<'a> {
    questions: &'a RawValue,
}

#[derive(Serialize)]
struct Outcome {
    answers: Map<String, Value>,
}

fn tool_status(session: &str, ask: &Record, progress: Progress<'_>) -> String {
    frame(&Frame::ToolStatus {
        message_id: ask.id.to_string(),
        conversation_id: session,
        tool_call_id: call_id(ask),
        tool_name: "AskUserQuestion",
        // What Gobby calls tools that come with the agent.
        server_name: "builtin",
        progress,
    })
}

impl Dialect for Gobby {
    fn name(&self) -> &'static str {
        "gobby"
    }

    fn manners(&self) -> Manners {
        Manners { scope: Scope::Any, newest_only: false, one_by_one: false, missed_when_gone: true }
    }

    fn id(&self, ask: &Record) -> String {
        call_id(ask)
    }

    fn status(&self, _: &Status<'_>) -> Option<String> {
        None
    }

    fn asked(&self, asked: &Asked<'_>) -> String {
        let arguments = Arguments { questions: asked.ask.matter().as_sent() };
        tool_status(asked.session, asked.ask, Progress::Calling { arguments })
    }

    fn ended(&self, ended: &Ended<'_>) -> Option<String> {
        let outcome = ended.ask.matter().ask().and_then(|ask| {
            let resolution = ended.ask.resolution()?;
            Ok(resolution.map(|resolution| {
                let answers = refusal::answers_or_words(&resolution);
                answers.map(|answers| flat::map(&ask, answers))
            }))
        });
        let progress = match outcome {
            Ok(Some(Ok(answers))) => Progress::Completed { result: Outcome { answers } },
            Ok(Some(Err(error))) => Progress::Error { error },
            Ok(None) | Err(_) => Progress::Error { error: ended.by_whom() },
        };
        Some(tool_status(ended.session, ended.ask, progress))
    }

    fn amiss(&self, ended: &Ended<'_>, words: &str) -> String {
        tool_status(ended.session, ended.ask, Progress::Error { error: words.to_owned() })
    }

    fn refused(&self, refused: &Refused<'_>) -> Option<String> {
        let (code, message) = match refused.why {
            // On purpose: the document has them ignored.
            Refusal::Late | Refusal::Unknown => return None,
            Refusal::Taken => ("session_taken", "another connection has taken this session over"),
            Refusal::Other { code, message } => (code.as_str(), message.as_str()),
        };
        let (conversation_id, tool_call_id) = (refused.session, refused.ask);
        Some(frame(&Frame::Error { code, message, conversation_id, tool_call_id }))
    }

    fn read(&self, message: &str) -> Result<Said, Violations> {
        let message = object(message)?;
        if text(&message, "type")? != "ask_user_response" {
            let allowed = "ask_user_response";
            return Err(Violation::new("type", "another", allowed).into());
        }
        Ok(Said::Response {
            session: Some(text(&message, "conversation_id")?),
            ask: text(&message, "tool_call_id")?,
            says: Says::Answers(fields(&message, "answers")?.clone()),
        })
    }
}

#[cfg(test)]
#[path = "gobby_tests.rs"]
mod tests;
