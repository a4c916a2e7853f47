//! What comes back from the tools: text for the model, and the same as structured content.

use std::time::Duration;

use handraise_broker::{AskId, HubError, Record, Rejection};
use handraise_question::wording::refusal;
use handraise_question::{Answer, Answers, Ask, OwnWords, Question, Resolution, Violations};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// A preview longer than this is not repeated: the model wrote it itself.
const LONGEST_PREVIEW: usize = 2000;

/// How an ask ended, and the text that says so.
pub(crate) fn resolved(record: &Record) -> (CallToolResult, String) {
    let ended = record.matter().ask().and_then(|ask| Ok((record.resolution()?, ask)));
    let (text, structured) = match ended {
        Ok((Some(resolution), ask)) => wording(&ask, &resolution),
        Ok((None, _)) | Err(_) => return (unreadable(), String::new()),
    };
    (result(text.clone(), structured), text)
}

fn wording(ask: &Ask, resolution: &Resolution) -> (String, Value) {
    let words = refusal::answers_or_words(resolution);
    let mut content = match resolution {
        Resolution::Answered(answers) => {
            json!({"status": "answered", "answers": structured(ask, answers)})
        }
        Resolution::Declined { reason } => {
            json!({"status": "declined", "reason": reason.as_ref().map(OwnWords::as_str)})
        }
        Resolution::Discuss { words } => json!({"status": "discuss", "words": words.as_str()}),
        Resolution::NoAnswer { after_seconds } => {
            json!({"status": "no_answer", "afterSeconds": after_seconds})
        }
        Resolution::Withdrawn { reason } => {
            json!({"status": "withdrawn", "reason": reason.as_ref().map(OwnWords::as_str)})
        }
    };
    match words {
        Ok(answers) => (prose(ask, answers), content),
        // Codex gives its model nothing but this where there is both (measured).
        Err(words) => {
            content["message"] = json!(words);
            (words, content)
        }
    }
}

fn structured(ask: &Ask, answers: &Answers) -> Vec<Value> {
    let pairs = ask.questions().iter().zip(answers.forms());
    pairs
        .map(|(question, form)| {
            json!({
                "question": question.text(), "selected": form.selected, "words": form.words,
                "notes": form.notes, "leftOpen": form.left_open,
            })
        })
        .collect()
}

/// Every question, with exactly what was chosen, written and noted.
fn prose(ask: &Ask, answers: &Answers) -> String {
    let mut out = vec!["The person answered.\n".to_owned()];
    for (i, (question, answer)) in ask.questions().iter().zip(answers.as_slice()).enumerate() {
        out.push(format!("\n{}. Question:{}", i + 1, quoted(question.text())));
        match answer {
            Answer::Chosen(chosen) => {
                for label in chosen.labels() {
                    out.push(format!("   Chosen:{}", quoted(label)));
                    out.extend(preview(question, label));
                }
                out.extend(said("In their own words", chosen.words()));
            }
            Answer::LeftOpen { .. } => {
                let open = "   Left open on purpose: no option was chosen; do not assume one.\n";
                out.push(open.to_owned());
            }
        }
        out.extend(said("Their note", answer.notes()));
    }
    out.concat()
}

fn said(name: &str, text: Option<&str>) -> Option<String> {
    text.map(|text| format!("   {name}:{}", quoted(text)))
}

fn preview(question: &Question, label: &str) -> Option<String> {
    let preview = question.choice(label)?.preview();
    said("Its preview", preview.filter(|preview| preview.len() <= LONGEST_PREVIEW))
}

/// A text byte for byte: on the same line, or between two fences that it does not hold itself, so that
/// no line of it passes for one of ours.
fn quoted(text: &str) -> String {
    if !text.contains(['\n', '\r']) && !text.is_empty() {
        return format!(" {text}\n");
    }
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("\n{fence}\n{text}\n{fence}\n")
}

/// Nobody has answered yet.
pub(crate) fn pending(id: AskId, waited: Duration) -> CallToolResult {
    let seconds = waited.as_secs();
    let text = format!(
        "Nobody has answered yet. The question stays open, and the person can still answer it.\n\
         Ticket: {id}\n\
         Call wait_answer with this ticket to go on waiting, at once or after work that does not \
         depend on the answer. Do not choose for the person, and do not ask the same again."
    );
    let next = "Call wait_answer with this ticket. Do not choose for the person.";
    let structured = json!({
        "status": "pending", "ticket": id.to_string(), "waitedSeconds": seconds, "next": next,
    });
    result(text, structured)
}

/// What was sent does not fit; nothing was asked.
pub(crate) fn misfit(violations: &Violations) -> CallToolResult {
    mend("Nothing was asked, because the input does not fit.", violations)
}

/// What was sent holds no ticket; a question may well be open.
pub(crate) fn no_ticket(violations: &Violations) -> CallToolResult {
    mend("No answer was looked for, because the input does not fit.", violations)
}

fn mend(what: &str, violations: &Violations) -> CallToolResult {
    let list: Vec<_> = violations.as_slice().iter().map(|wrong| format!("- {wrong}")).collect();
    failure(format!("{what} Mend this and call again:\n{}", list.join("\n")))
}

/// The hub did not take the question.
pub(crate) fn not_asked(error: &HubError, serve: &str) -> CallToolResult {
    let start = match error {
        HubError::Unreachable(_) | HubError::Closed => {
            format!(" The person can start a hub with: {serve}")
        }
        HubError::Rejected(_) | HubError::Store(_) | HubError::Denied(_) => String::new(),
    };
    failure(format!(
        "The person cannot be asked now: {error}. Nobody chose anything. Do not \
         choose for the person: say what you need to know, and go on only with work \
         that does not depend on it.{start}"
    ))
}

/// A ticket that leads nowhere, or an ask that was lost.
pub(crate) fn no_answer_to_get(error: &HubError, serve: &str, ask_name: &str) -> CallToolResult {
    match error {
        HubError::Rejected(Rejection::NoSuchAsk(_)) => no_such_ticket(ask_name),
        HubError::Rejected(Rejection::AnotherDelivers) => failure(
            "Another process waits for the answer to this ticket. Nobody chose anything here."
                .into(),
        ),
        HubError::Rejected(_)
        | HubError::Store(_)
        | HubError::Denied(_)
        | HubError::Unreachable(_)
        | HubError::Closed => failure(format!(
            "It is not known now whether the person has answered: {error}. This is neither a choice \
             nor consent. The ticket stays good; call wait_answer with it again later. If there is no \
             hub, the person can start it with: {serve}"
        )),
    }
}

/// Nobody knows this ticket, or it is somebody else's.
pub(crate) fn no_such_ticket(ask_name: &str) -> CallToolResult {
    failure(format!(
        "There is no question with this ticket. Use a ticket that {ask_name} returned to you, exactly \
         as it stands there. Nobody chose anything."
    ))
}

/// The process ends while the question is open.
pub(crate) fn ending() -> CallToolResult {
    failure(
        "This server is ending, and the question was withdrawn. No option was chosen; do not assume \
         one."
            .into(),
    )
}

/// The client took the call back; nobody reads this.
pub(crate) fn cancelled() -> CallToolResult {
    failure("The call was cancelled, and the question withdrawn. No option was chosen.".into())
}

fn unreadable() -> CallToolResult {
    failure("The hub's answer cannot be read. No option was chosen; do not assume one.".into())
}

fn failure(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn result(text: String, structured: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    result
}
