//! What Claude Code reads from a hook.

use std::io::{self, Write};

use handraise_broker::{Matter, OnDeadline, Record, State};
use handraise_question::wording::{api, claude, refusal};
use handraise_question::{Approval, Decision};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// Where to write what Claude Code is to read: standard output, in all but tests.
pub type Output = Box<dyn Write + Send>;

/// Writes one line of JSON.
pub(super) fn say(mut output: Output, value: &impl Serialize) -> io::Result<()> {
    writeln!(output, "{}", serde_json::to_string(value)?)?;
    output.flush()
}

/// Allow or deny, in Claude Code's own form.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "behavior", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Permission {
    /// The call may be made.
    Allow {
        /// With this input: byte for byte what the agent sent, unless a person changed it.
        updated_input: Box<RawValue>,
        /// What is to be remembered.
        #[serde(skip_serializing_if = "Option::is_none")]
        updated_permissions: Option<Box<RawValue>>,
    },
    /// It may not.
    Deny {
        /// What the model reads instead.
        message: String,
        /// Whether this ends the turn.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        interrupt: bool,
    },
}

/// The answer to a `PermissionRequest`; nothing for an ask that was taken back.
pub(super) fn decision(record: &Record) -> Option<impl Serialize> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct HookOutput {
        hook_specific_output: Specific,
    }
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Specific {
        hook_event_name: &'static str,
        decision: Permission,
    }
    let decision = permission(record)?;
    let hook_specific_output = Specific { hook_event_name: "PermissionRequest", decision };
    Some(HookOutput { hook_specific_output })
}

/// Allow or deny; nothing for an ask that is open or was taken back.
pub(crate) fn permission(record: &Record) -> Option<Permission> {
    let resolved = record.resolved().filter(|resolved| !resolved.is_withdrawn())?;
    let interrupt =
        resolved.kind() == "no_answer" && record.policy().on_deadline == OnDeadline::Interrupt;
    Some(match record.matter() {
        Matter::Questions(_) => {
            let ask = record.matter().ask().ok()?;
            match claude::permission(&ask, &record.resolution().ok()??) {
                claude::Permission::Allow { updated_input } => Permission::Allow {
                    updated_input: to_raw_value(&updated_input).ok()?,
                    updated_permissions: None,
                },
                claude::Permission::Deny { message } => Permission::Deny { message, interrupt },
            }
        }
        Matter::Approval(raw) => {
            let approval = Approval::read(raw).ok()?;
            let resolution = api::read_decision(&approval, &resolved.resolution).ok()?;
            match refusal::allowed_or_words(&resolution) {
                Ok(decision) => allowed(&approval, decision)?,
                Err(message) => Permission::Deny { message, interrupt },
            }
        }
    })
}

/// The words the model reads word by word, if the resolution is a denial.
pub(crate) fn words(record: &Record) -> Option<String> {
    match permission(record)? {
        Permission::Deny { message, .. } => Some(message),
        Permission::Allow { .. } => None,
    }
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

fn allowed(approval: &Approval, decision: &Decision) -> Option<Permission> {
    let Decision::Allow { input, remember, .. } = decision else { return None };
    // A plan is not taken for approved unless the input comes back (measured), edited or not.
    let updated_input = match input {
        Some(input) => to_raw_value(input).ok()?,
        None => approval.input_as_sent(),
    };
    let updated_permissions = remember.then(|| approval.suggestions_as_sent());
    Some(Permission::Allow { updated_input, updated_permissions })
}
