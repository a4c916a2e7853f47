//! What people and the model read about an ask that has ended.

use handraise_broker::{Matter, Record};
use handraise_question::wording::{api, claude, confirmation, refusal};
use handraise_question::{Approval, Decision, OwnWords, Question, Resolution};
use serde_json::json;

/// What the person answered, as a line of the conversation. Holds agent text.
pub(super) fn answer(record: &Record) -> String {
    match record.matter() {
        Matter::Questions(_) => match (record.matter().ask(), record.resolution()) {
            (Ok(ask), Ok(Some(resolution))) => confirmation::lines(&ask, &resolution).join("\n"),
            _ => String::new(),
        },
        Matter::Approval(_) => match decision(record) {
            Some((approval, Resolution::Answered(decision))) => decided(&approval, &decision),
            Some((_, Resolution::Declined { reason })) => {
                with_reason("✘ Declined", reason.as_ref().map(OwnWords::as_str))
            }
            Some((_, Resolution::Discuss { words })) => {
                with_reason("✘ To discuss first", Some(words.as_str()))
            }
            Some((_, Resolution::NoAnswer { after_seconds })) => {
                format!("✘ No answer within {after_seconds} s: not allowed")
            }
            Some((_, Resolution::Withdrawn { .. })) | None => "✘ Withdrawn by the agent".into(),
        },
    }
}

fn decided(approval: &Approval, decision: &Decision) -> String {
    let tool = approval.tool();
    match decision {
        Decision::Allow { input, remember, message } => {
            let edited = if input.is_some() { ", as edited" } else { "" };
            let remembered = if *remember { ", and remembered" } else { "" };
            let head = format!("✔ Allowed {tool}{edited}{remembered}");
            with_reason(&head, message.as_ref().map(OwnWords::as_str))
        }
        Decision::Deny { message } => {
            let head = format!("✘ Not allowed: {tool}");
            with_reason(&head, message.as_ref().map(OwnWords::as_str))
        }
    }
}

fn with_reason(head: &str, reason: Option<&str>) -> String {
    reason.map_or_else(|| head.to_owned(), |reason| format!("{head}: {reason}"))
}

/// What the model must be told first of an answer it never got.
pub(super) fn missed(record: &Record) -> Option<String> {
    match record.matter() {
        Matter::Questions(_) => {
            let ask = record.matter().ask().ok()?;
            match record.resolution().ok()?? {
                Resolution::Withdrawn { .. } => None,
                Resolution::Answered(answers) => {
                    let input = json!(claude::updated_input(&ask, &answers));
                    let texts = ask.questions().iter().map(Question::text);
                    let each = texts.map(|text| {
                        let answer = input["answers"][text].as_str();
                        let answer = answer.map_or("(no option selected)".into(), |answer| {
                            format!("\"{answer}\"")
                        });
                        let notes = input["annotations"][text]["notes"].as_str();
                        let notes = notes.map(|notes| format!(" notes: {notes}"));
                        format!("\"{text}\"={answer}{}", notes.unwrap_or_default())
                    });
                    let each: Vec<_> = each.collect();
                    Some(format!(
                        "You were cut off before you could read what the person had answered: {}.",
                        each.join(", ")
                    ))
                }
                other @ (Resolution::Declined { .. }
                | Resolution::Discuss { .. }
                | Resolution::NoAnswer { .. }) => refusal::answers_or_words(&other).err(),
            }
        }
        Matter::Approval(_) => {
            let (approval, resolution) = decision(record)?;
            match refusal::allowed_or_words(&resolution) {
                _ if matches!(resolution, Resolution::Withdrawn { .. }) => None,
                Ok(_) => Some(format!(
                    "You were cut off before you could read that the person had allowed {}. Whether it \
                     was done is not known.",
                    approval.tool()
                )),
                Err(words) => Some(words),
            }
        }
    }
}

fn decision(record: &Record) -> Option<(Approval, Resolution<Decision>)> {
    let Matter::Approval(raw) = record.matter() else { return None };
    let approval = Approval::read(raw).ok()?;
    let resolution = api::read_decision(&approval, &record.resolved()?.resolution).ok()?;
    Some((approval, resolution))
}
