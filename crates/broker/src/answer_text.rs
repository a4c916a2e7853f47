//! What a conversation says of an ask that has ended.

use handraise_question::wording::{api, confirmation};
use handraise_question::{Approval, Decision, OwnWords, Resolution};

use crate::{Matter, Record};

impl Record {
    /// How the ask ended, in the lines of a conversation; empty while it is open. Holds agent text.
    #[must_use]
    pub fn answer_text(&self) -> String {
        match self.matter() {
            Matter::Questions(_) => match (self.matter().ask(), self.resolution()) {
                (Ok(ask), Ok(Some(resolution))) => {
                    confirmation::lines(&ask, &resolution).join("\n")
                }
                _ => String::new(),
            },
            Matter::Approval(raw) => {
                let Some(resolved) = self.resolved() else { return String::new() };
                let Ok(approval) = Approval::read(raw) else { return String::new() };
                let resolution = api::read_decision(&approval, &resolved.resolution);
                resolution.map_or_else(|_| String::new(), |end| describe(&approval, &end))
            }
        }
    }
}

fn describe(approval: &Approval, resolution: &Resolution<Decision>) -> String {
    match resolution {
        Resolution::Answered(decision) => describe_decision(approval, decision),
        Resolution::Declined { reason } => with_reason("✘ Declined", reason.as_ref()),
        Resolution::Discuss { words } => with_reason("✘ To discuss first", Some(words)),
        Resolution::NoAnswer { after_seconds } => {
            format!("✘ No answer within {after_seconds} s: not allowed")
        }
        Resolution::Withdrawn { .. } => "✘ Withdrawn by the agent".into(),
    }
}

fn describe_decision(approval: &Approval, decision: &Decision) -> String {
    let tool = approval.tool();
    match decision {
        Decision::Allow { input, remember, message } => {
            let edited = if input.is_some() { ", as edited" } else { "" };
            let remembered = if *remember { ", and remembered" } else { "" };
            let head = format!("✔ Allowed {tool}{edited}{remembered}");
            with_reason(&head, message.as_ref())
        }
        Decision::Deny { message } => {
            with_reason(&format!("✘ Not allowed: {tool}"), message.as_ref())
        }
    }
}

fn with_reason(head: &str, reason: Option<&OwnWords>) -> String {
    reason.map_or_else(|| head.to_owned(), |reason| format!("{head}: {}", reason.as_str()))
}
