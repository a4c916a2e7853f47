//! What the model reads about an ask that has ended.

use handraise_broker::{Matter, Record};
use handraise_question::wording::{api, claude, refusal};
use handraise_question::{Approval, Decision, Question, Resolution};
use serde_json::json;

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
