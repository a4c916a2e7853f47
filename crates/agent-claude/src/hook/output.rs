//! What Claude Code reads from a hook.

use std::io::{self, Write};

use handraise_broker::{Matter, OnDeadline, Record, State};
use handraise_question::wording::{api, claude, refusal};
use handraise_question::{Approval, Decision};
use serde_json::{Value, json};

/// Where to write what Claude Code is to read: standard output, in all but tests.
pub type Output = Box<dyn Write + Send>;

/// Writes one line of JSON.
pub(super) fn say(mut output: Output, value: &Value) -> io::Result<()> {
    writeln!(output, "{value}")?;
    output.flush()
}

/// The answer to a `PermissionRequest`; nothing for an ask that was taken back.
pub(super) fn decision(record: &Record) -> Option<Value> {
    let decision = permission(record)?;
    Some(json!({"hookSpecificOutput": {
        "hookEventName": "PermissionRequest", "decision": decision}}))
}

/// Allow or deny, in Claude Code's own form; nothing for an ask that is open or was taken back.
pub(crate) fn permission(record: &Record) -> Option<Value> {
    let resolved = record.resolved().filter(|resolved| !resolved.is_withdrawn())?;
    let mut decision = match record.matter() {
        Matter::Questions(_) => {
            let ask = record.matter().ask().ok()?;
            serde_json::to_value(claude::permission(&ask, &record.resolution().ok()??)).ok()?
        }
        Matter::Approval(raw) => {
            let approval = Approval::read(raw).ok()?;
            let resolution = api::read_decision(&approval, &resolved.resolution).ok()?;
            match refusal::allowed_or_words(&resolution) {
                Ok(decision) => allowed(&approval, decision),
                Err(words) => json!({"behavior": "deny", "message": words}),
            }
        }
    };
    if resolved.kind() == "no_answer" && record.policy().on_deadline == OnDeadline::Interrupt {
        decision["interrupt"] = true.into();
    }
    Some(decision)
}

/// The words the model reads word by word, if the resolution is a denial.
pub(crate) fn words(record: &Record) -> Option<String> {
    permission(record)?["message"].as_str().map(str::to_owned)
}

/// A word to the agent that came with an approval: Claude Code has no place for it in its dialog's
/// answer, so it follows behind the result.
pub(crate) fn remark(record: &Record) -> Option<String> {
    let resolved = record.resolved().filter(|_| record.state() == State::Delivered)?;
    let Matter::Approval(raw) = record.matter() else { return None };
    let approval = Approval::read(raw).ok()?;
    let resolution = api::read_decision(&approval, &resolved.resolution).ok()?;
    let Ok(Decision::Allow { message: Some(message), .. }) = refusal::allowed_or_words(&resolution)
    else {
        return None;
    };
    Some(format!("The person allowed {} and says: {}", approval.tool(), message.as_str()))
}

fn allowed(approval: &Approval, decision: &Decision) -> Value {
    // A plan is not taken for approved unless the input comes back (measured), edited or not.
    let mut allow = json!({"behavior": "allow", "updatedInput": approval.input()});
    if let Decision::Allow { input, remember, .. } = decision {
        if let Some(input) = input {
            allow["updatedInput"] = input.clone();
        }
        if *remember {
            allow["updatedPermissions"] = approval.suggestions();
        }
    }
    allow
}
