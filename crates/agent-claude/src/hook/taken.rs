//! What Claude Code took, and what the model read of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use handraise_broker::{AskId, Hub, HubError, Matter, Receipt, Record, Rejection};
use handraise_question::wording::claude;
use handraise_question::{Answers, Resolution, wording::api};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::Surroundings;
use super::book::{Entry, content};
use super::input::{Input, ToolCall, text};
use super::output::{self, Output};
use super::settling::ask_of;
use crate::transcript::{Outcome, Transcript};

/// How long the hub may take: Claude Code's turn waits meanwhile.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long it may take until it is written down what came of a call.
const WRITTEN_DOWN: Duration = Duration::from_millis(500);
const TURN: Duration = Duration::from_millis(10);
/// More than this of what a model read tells nobody anything.
pub(crate) const LONGEST: usize = 200_000;

/// What the model reads when somebody chose to talk about the questions.
const CLARIFY: &str = "The user wants to clarify these questions";
/// What the model reads when somebody refused.
pub(crate) const REFUSED: &str = "The user doesn't want to proceed with this tool use.";

/// Claude Code has made a call: with the dialog's answer or with ours. It tells which.
pub(super) async fn taken(
    input: &Input,
    around: &Surroundings<'_>,
    output: Output,
) -> Result<(), String> {
    let session = around.book.session(&input.session_id);
    let call = input.tool_use_id.as_deref().unwrap_or_default();
    let content = input.tool_input.as_deref().map(content);
    let Some(mut entry) = session.find(call, content.as_deref()) else { return Ok(()) };
    if entry.call.tool_use_id.is_none() {
        entry.call.tool_use_id = input.tool_use_id.clone();
    }
    if input.tool_response.get("afkTimeoutMs").is_some() {
        let alarm =
            "Handraise: Claude Code stopped waiting for your answer and goes on without it.";
        output::say(output, &json!({"systemMessage": alarm})).map_err(|error| error.to_string())?;
    }
    let told = async {
        let Some(id) = ask_of(around.hub, &entry).await? else { return Ok(None) };
        let record = around.hub.get(id).await?;
        Ok::<_, HubError>(Some((id, by_response(record.matter(), &input.tool_response))))
    };
    let found = timeout(PATIENCE, told).await.map_err(|_| "the hub is too slow")?;
    let Some((id, took)) = found.map_err(|error| error.to_string())? else { return Ok(()) };
    entry.call.took.clone_from(&took);
    entry.keep();
    let receipt = Receipt { took, ..Receipt::handed(None) };
    let told = timeout(PATIENCE, tell(around.hub, id, receipt)).await;
    told.map_err(|_| "the hub is too slow")?.map_err(|error| error.to_string())
}

/// All calls of a turn are made, and this is what the model reads of each.
pub(super) async fn read_by_the_model(
    input: &Input,
    around: &Surroundings<'_>,
    output: Output,
) -> Result<(), String> {
    let session = around.book.session(&input.session_id);
    let mut remarks = vec![];
    for call in &input.tool_calls {
        session.forget_note(&call.id);
        let content = call.input.as_deref().map(content);
        let Some(entry) = session.find(&call.id, content.as_deref()) else { continue };
        let told = timeout(PATIENCE, tell_what_was_read(call, &entry, around.hub)).await;
        let told = told.map_err(|_| "the hub is too slow")?.map_err(|error| error.to_string())?;
        remarks.extend(told.as_deref().and_then(output::remark));
        entry.remove();
    }
    if remarks.is_empty() {
        return Ok(());
    }
    let context = json!({"hookSpecificOutput": {
        "hookEventName": "PostToolBatch", "additionalContext": remarks.join("\n")}});
    output::say(output, &context).map_err(|error| error.to_string())
}

/// The ask as it stands when the hub knows what the model read.
async fn tell_what_was_read(
    call: &ToolCall,
    entry: &Entry,
    hub: &dyn Hub,
) -> Result<Option<Arc<Record>>, HubError> {
    let Some(id) = ask_of(hub, entry).await? else { return Ok(None) };
    let record = hub.get(id).await?;
    let text = text(&call.response).map(|text| text.chars().take(LONGEST).collect::<String>());
    // A denial of ours is compared word by word; of anything else the text tells what was taken.
    let ours = text.is_some() && output::words(&record) == text;
    let took = match (&entry.call.took, record.matter()) {
        (Some(took), _) => Some(took.clone()),
        (None, _) if ours => None,
        (None, Matter::Questions(_)) => {
            by_text(record.matter(), text.as_deref().unwrap_or_default())
        }
        // What a tool gave back does not tell whether it was allowed.
        (None, Matter::Approval(_)) => {
            let outcome = written(entry, &call.id).await;
            outcome.and_then(|outcome| by_outcome(record.matter(), &outcome))
        }
    };
    tell(hub, id, Receipt { took, ..Receipt::seen(text) }).await?;
    hub.get(id).await.map(Some)
}

/// What came of a call, as soon as it is written down.
async fn written(entry: &Entry, call: &str) -> Option<Outcome> {
    let transcript = Transcript::new(entry.call.transcript.as_deref()?);
    let start = Instant::now();
    loop {
        let outcome = transcript.outcome(call);
        if outcome.is_some() || start.elapsed() >= WRITTEN_DOWN {
            return outcome;
        }
        sleep(TURN).await;
    }
}

/// Tells the hub. What Claude Code took may be nothing that is understood here, or that the hub could
/// keep, and an ask without a dialog beside it is ended by no receipt: then the hub only hears that the
/// ask is over; and if nobody gave the answer, that, in any case.
pub(crate) async fn tell(hub: &dyn Hub, id: AskId, receipt: Receipt) -> Result<(), HubError> {
    let in_doubt = receipt.doubt.is_some().then(|| {
        let took = Some(silence());
        Receipt { took, ..receipt.clone() }
    });
    let reason = match hub.receipt(id, receipt).await {
        Err(HubError::Rejected(Rejection::Invalid(violations))) => {
            format!("Claude Code took what cannot be kept: {violations}")
        }
        Err(HubError::Rejected(Rejection::StillOpen)) => {
            "Claude Code went on without an answer from here".to_owned()
        }
        told => return told.map(|_| ()),
    };
    let Some(in_doubt) = in_doubt else {
        return hub.withdraw(id, Some(reason)).await.map(|_| ());
    };
    match hub.receipt(id, in_doubt.clone()).await {
        Err(HubError::Rejected(Rejection::StillOpen)) => {
            hub.withdraw(id, Some(reason)).await?;
            hub.receipt(id, in_doubt).await.map(|_| ())
        }
        told => told.map(|_| ()),
    }
}

/// Nobody answered: all that is sure where no person can have.
fn silence() -> Value {
    json!({"kind": "no_answer", "afterSeconds": 0})
}

/// What a call was made with, as `PostToolUse` tells it.
fn by_response(matter: &Matter, response: &Value) -> Option<Value> {
    match matter {
        Matter::Questions(_) => by_answers(matter, response),
        Matter::Approval(_) => Some(allowed()),
    }
}

/// What came of a call, as the transcript tells it. It does not always say that a person refused.
pub(crate) fn by_outcome(matter: &Matter, outcome: &Outcome) -> Option<Value> {
    let declined = || outcome.rejected.then(|| json!({"kind": "declined"}));
    let read = || by_text(matter, &outcome.text);
    match matter {
        Matter::Questions(_) => by_answers(matter, &outcome.result).or_else(read).or_else(declined),
        // Denied by a rule or a hook: then the words tell whether it was ours.
        Matter::Approval(_) if outcome.denied && !outcome.rejected => None,
        Matter::Approval(_) => read(),
    }
}

fn by_answers(matter: &Matter, response: &Value) -> Option<Value> {
    let answers = response.get("answers")?;
    let nothing = |answer: &Value| answer.as_str().is_some_and(str::is_empty);
    if answers.as_object().is_none_or(|answers| answers.values().all(nothing)) {
        let waited = response["afkTimeoutMs"].as_u64();
        return Some(match waited {
            Some(waited) => json!({"kind": "no_answer", "afterSeconds": waited / 1000}),
            None => json!({"kind": "declined", "reason": "Nothing was answered in the dialog"}),
        });
    }
    let ask = matter.ask().ok()?;
    let answers = claude::taken(&ask, answers, &response["annotations"]).ok()?;
    Some(api::bare(&Resolution::<Answers>::Answered(answers)))
}

/// What the model reads, where it tells what Claude Code took.
fn by_text(matter: &Matter, text: &str) -> Option<Value> {
    match matter {
        Matter::Questions(_) if text.contains(CLARIFY) => {
            Some(json!({"kind": "discuss", "words": "Chat about this"}))
        }
        Matter::Questions(_) => text.starts_with(REFUSED).then(|| json!({"kind": "declined"})),
        Matter::Approval(_) if text.starts_with(REFUSED) => {
            Some(json!({"kind": "answered", "decision": "deny"}))
        }
        Matter::Approval(_) => Some(allowed()),
    }
}

fn allowed() -> Value {
    json!({"kind": "answered", "decision": "allow"})
}
