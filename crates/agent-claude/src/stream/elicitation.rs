//! What an MCP server asks the user: a form becomes questions, and their answers the form's content; a
//! page to be opened, or a form without fields, becomes an approval.
//!
//! The schema is the server's, and may be anything. What cannot be put as questions is refused, with the
//! reason.

mod field;
mod form;

use handraise_broker::{Matter, Record};
use handraise_question::wording::api;
use handraise_question::{Approval, Decision, Resolution};
use serde_json::json;
use serde_json::value::to_raw_value;

pub use form::{Form, Problem};

use super::heard::{Elicitation, ElicitationMode};
use super::said::ElicitationReply;

/// What a server asks, understood.
#[derive(Debug, Clone)]
pub enum Elicited {
    /// A form with fields.
    Form(Form),
    /// Yes or no.
    Consent {
        /// What is asked, as the name of a tool.
        tool: String,
        /// What the server says.
        message: String,
        /// The page to be opened, if it is about one.
        url: Option<String>,
    },
}

impl Elicited {
    /// Understands what a server asks.
    ///
    /// # Errors
    ///
    /// Why nobody can be asked that.
    pub fn read(asked: &Elicitation) -> Result<Self, String> {
        let consent = |what: &str, url: Option<&String>| Self::Consent {
            tool: format!("mcp__{}: {what}", cut(&asked.server, MOST_SERVER)),
            message: asked.message.clone(),
            url: url.cloned(),
        };
        match &asked.mode {
            ElicitationMode::Url { url, .. } => Ok(consent("open a page", Some(url))),
            ElicitationMode::Form { schema, order } => {
                let form = Form::read(schema, order)?;
                Ok(form.map_or_else(|| consent("confirm", None), Self::Form))
            }
        }
    }

    /// What the hub is asked. What the server says besides belongs before a form's questions, as the
    /// asker's preamble. Asked again, each question tells what was wrong with the last answer.
    ///
    /// # Errors
    ///
    /// Why nobody can be asked that.
    pub fn matter(&self, problems: &[Problem]) -> Result<Matter, String> {
        let wrong = |violations| format!("the form cannot be asked about: {violations}");
        match self {
            Self::Form(form) => {
                let questions = to_raw_value(&form.questions(problems));
                Matter::questions(questions.map_err(|error| error.to_string())?).map_err(wrong)
            }
            Self::Consent { tool, message, url } => {
                let mut input = json!({"message": message});
                if let Some(url) = url {
                    input["url"] = url.as_str().into();
                }
                let approval = to_raw_value(&json!({"tool": tool, "input": input}));
                Matter::approval(approval.map_err(|error| error.to_string())?).map_err(wrong)
            }
        }
    }

    /// What the server is answered. Declining says no; what is neither yes nor no cancels.
    ///
    /// # Errors
    ///
    /// What is wrong with each answer that does not fit its field.
    pub fn reply(&self, record: &Record) -> Result<ElicitationReply, Vec<Problem>> {
        match self {
            Self::Form(form) => match record.resolution() {
                Ok(Some(Resolution::Answered(answers))) => form
                    .content(&answers.forms())
                    .map(|content| ElicitationReply::Accept { content: Some(content) }),
                Ok(resolution) => Ok(refused(resolution.as_ref())),
                Err(_) => Ok(ElicitationReply::Cancel),
            },
            Self::Consent { url, .. } => {
                let resolution = decision(record);
                Ok(match resolution {
                    Some(Resolution::Answered(Decision::Allow { .. })) => {
                        // A form is answered with a form, also an empty one.
                        let content = url.is_none().then(serde_json::Map::new);
                        ElicitationReply::Accept { content }
                    }
                    Some(Resolution::Answered(Decision::Deny { .. })) => ElicitationReply::Decline,
                    other => refused(other.as_ref()),
                })
            }
        }
    }
}

fn decision(record: &Record) -> Option<Resolution<Decision>> {
    let Matter::Approval(raw) = record.matter() else { return None };
    let approval = Approval::read(raw).ok()?;
    api::read_decision(&approval, &record.resolved()?.resolution).ok()
}

fn refused<A>(resolution: Option<&Resolution<A>>) -> ElicitationReply {
    match resolution {
        Some(Resolution::Declined { .. }) => ElicitationReply::Decline,
        // An answer does not come here: it was read before.
        Some(
            Resolution::Answered(_)
            | Resolution::Discuss { .. }
            | Resolution::NoAnswer { .. }
            | Resolution::Withdrawn { .. },
        )
        | None => ElicitationReply::Cancel,
    }
}

/// The name of a tool may have 200 characters.
const MOST_SERVER: usize = 150;

/// The beginning of a text, with a sign that there is more.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
#[path = "elicitation_tests.rs"]
mod tests;
