//! From a request to an ask, and from what came of a call to a receipt: the same for Claude Code's
//! requests as for its hooks.

use handraise_broker::{Matter, Receipt, Record};
use serde_json::value::RawValue;

use super::heard::{CanUseTool, User};
use crate::hook::matter::Call;
use crate::hook::{Permission, output, taken};
use crate::transcript::Outcome;

/// What the hub is asked about a call, byte for byte as Claude Code has it. A plan is in the request only
/// if the model has written it to the file it was told to; what it gave as argument is left out
/// (measured), so whoever has seen the call may give it here.
///
/// # Errors
///
/// Why nobody can be asked about it.
pub fn matter(request: &CanUseTool, plan: Option<&str>) -> Result<Matter, String> {
    let call = Call {
        tool: &request.tool_name,
        input: &request.input,
        suggestions: request.permission_suggestions.as_deref(),
        description: request.description.as_deref(),
        plan,
    };
    call.matter()
}

/// What the hub is asked about the input of a question, byte for byte as the agent has it.
///
/// # Errors
///
/// Why nobody can be asked.
pub fn questions(input: &RawValue) -> Result<Matter, String> {
    let tool = crate::hook::QUESTION;
    Call { tool, input, suggestions: None, description: None, plan: None }.matter()
}

/// Allow or deny, in Claude Code's own form; nothing for an ask that is open or was taken back.
#[must_use]
pub fn permission(record: &Record) -> Option<Permission> {
    output::permission(record)
}

/// The words the model reads word by word, if the resolution is a denial.
#[must_use]
pub fn words(record: &Record) -> Option<String> {
    output::words(record)
}

/// A word to the agent that came with an approval: Claude Code has no place for it in the answer, so it
/// must follow in another way.
#[must_use]
pub fn remark(record: &Record) -> Option<String> {
    output::remark(record)
}

/// What the model read of a call, and what Claude Code took; `None` when the message does not speak of
/// that call. `ours` are the words of a denial of ours: read word by word they tell nothing new.
#[must_use]
pub fn receipt(
    matter: &Matter,
    tool_use_id: &str,
    ours: Option<&str>,
    message: &User,
) -> Option<Receipt> {
    let result = message.results.iter().find(|result| result.tool_use_id == tool_use_id)?;
    let text: String = result.text.chars().take(taken::LONGEST).collect();
    let outcome = Outcome {
        text: result.text.clone(),
        result: message.tool_use_result.clone(),
        denied: result.not_made.is_some(),
        rejected: result.not_made.as_deref() == Some("user-rejected"),
        ..Outcome::default()
    };
    let took = match ours {
        Some(ours) if ours == text => None,
        _ => taken::by_outcome(matter, &outcome),
    };
    Some(Receipt { took, ..Receipt::seen(Some(text)) })
}

#[cfg(test)]
#[path = "settled_tests.rs"]
mod tests;
