//! An ask of the hub, as the inbox shows it.

use handraise_broker::{AnswerIn, AskId, Delivery, Matter, Phase, Record};
use handraise_question::{Approval, Ask, Responder, Surface, Violations, mark_all_hidden};
use handraise_terminal::{Entry, EntryId, Kind, Opened, Standing};
use serde_json::Value;

use crate::answer::{decided_call, doubted, ended, taken};
use crate::approval;
use crate::looking::project;

/// More of a question than this fits no line.
const LONGEST_HEADLINE: usize = 400;

pub(super) fn id_of(id: AskId) -> EntryId {
    EntryId(*id.as_bytes())
}

pub(super) fn ask_of(id: EntryId) -> AskId {
    AskId::from_bytes(id.0)
}

pub(super) fn entry(record: &Record) -> Entry {
    let asker = record.asker();
    Entry {
        id: id_of(record.id),
        kind: match record.matter() {
            Matter::Questions(_) => Kind::Question,
            Matter::Approval(_) => Kind::Approval,
        },
        agent: asker.agent.clone(),
        project: project(record),
        title: asker.title.clone(),
        headline: headline(record),
        asked: record.asked_at.as_second(),
        deadline: record.deadline_at.map(jiff::Timestamp::as_second),
        standing: standing(record),
    }
}

fn standing(record: &Record) -> Standing {
    match (alarm(record), ending(record)) {
        (Some(lines), _) => Standing::Alarm(lines),
        (None, Some(lines)) => Standing::Ended(lines),
        (None, None) => Standing::Waits,
    }
}

/// What it asks, in a line. Read without being understood: there may be thousands.
pub(super) fn headline(record: &Record) -> String {
    let asked: Value = serde_json::from_str(record.matter().as_sent().get()).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().trim().to_owned();
    let line = match record.matter() {
        Matter::Questions(_) => {
            let first = &asked[0];
            let more = match asked.as_array().map_or(0, Vec::len) {
                0 | 1 => String::new(),
                several => format!(" (+{})", several - 1),
            };
            let header = text(&first["header"]);
            let apart = if header.is_empty() { "" } else { ": " };
            format!("{header}{apart}{}{more}", text(&first["question"]))
        }
        Matter::Approval(raw) if Approval::read(raw).is_ok_and(|approval| approval.is_plan()) => {
            format!("Plan: {}", text(&asked["plan"]))
        }
        Matter::Approval(_) => {
            let input = &asked["input"];
            let told = [&asked["description"], &input["command"], &input["file_path"]];
            let told = told.into_iter().find_map(Value::as_str).unwrap_or_default();
            let told = mark_all_hidden(told);
            let apart = if told.is_empty() { "" } else { ": " };
            format!("May it use {}{apart}{told}", text(&asked["tool"]))
        }
    };
    line.chars().take(LONGEST_HEADLINE).collect()
}

/// What a person should know of although it has ended.
pub(super) fn alarm(record: &Record) -> Option<Vec<String>> {
    let Phase::Resolved { delivery, .. } = &record.phase else { return None };
    let head = match (doubted(record), delivery) {
        (Some(doubted), _) => format!("⚠ The agent went on, but {doubted}"),
        (None, Delivery::Overruled { .. }) => "⚠ The agent took another answer:".to_owned(),
        (None, Delivery::Undelivered { reason, .. }) => {
            format!("⚠ Nobody can say that the agent has this answer: {reason}")
        }
        (None, Delivery::Awaited | Delivery::Delivered { .. }) => return None,
    };
    let took = match delivery {
        Delivery::Overruled { .. } => taken(record),
        Delivery::Awaited | Delivery::Delivered { .. } | Delivery::Undelivered { .. } => vec![],
    };
    let ending = ending(record).unwrap_or_default();
    Some([head].into_iter().chain(took).chain([String::new()]).chain(ending).collect())
}

/// How it ended, and who ended it.
pub(super) fn ending(record: &Record) -> Option<Vec<String>> {
    let resolved = record.resolved()?;
    let by = resolved.responder.as_ref().map(by).unwrap_or_default();
    let head = match resolved.kind() {
        "answered" => format!("● Answered{by}:"),
        "declined" => format!("● Declined{by}:"),
        "discuss" => format!("● To be discussed first{by}:"),
        "no_answer" => "● Nobody answered in time:".to_owned(),
        _ => "● Taken back by the agent:".to_owned(),
    };
    Some([head].into_iter().chain(ended(record)).chain(decided_call(record)).collect())
}

fn by(responder: &Responder) -> String {
    let person = responder.person.as_ref().map(|person| format!(" by {person}"));
    let place = match &responder.surface {
        Surface::Terminal => " in a terminal".to_owned(),
        Surface::Web => " in the browser".to_owned(),
        Surface::Dialog => " in the agent's own dialog, by the agent's word".to_owned(),
        Surface::Api => " over the API".to_owned(),
        Surface::Dialect(name) => format!(" in {name}"),
        Surface::Rule => " by a rule".to_owned(),
    };
    format!("{}{place}", person.unwrap_or_default())
}

/// All that is shown of an open ask.
pub(super) fn opened(record: &Record) -> Opened {
    let asker = record.asker();
    let place = [asker.directory.clone(), asker.host.as_ref().map(|host| format!("on {host}"))];
    let place: Vec<String> = place.into_iter().flatten().collect();
    let about = if place.is_empty() { vec![] } else { vec![place.join(" ")] };
    let ask = match (record.policy().answer_in, question(record)) {
        (AnswerIn::Dialog, _) => Err("Answer this in the agent's own terminal.".to_owned()),
        (AnswerIn::Anywhere, Ok(ask)) => Ok(ask),
        (AnswerIn::Anywhere, Err(problem)) => Err(format!("This cannot be read: {problem}")),
    };
    let guarded = match record.matter() {
        Matter::Approval(_) => ask.as_ref().map_or(0, approval::guarded),
        Matter::Questions(_) => 0,
    };
    Opened { ask, guarded, about, preamble: asker.preamble.clone() }
}

fn question(record: &Record) -> Result<Ask, Violations> {
    match record.matter() {
        Matter::Questions(_) => record.matter().ask(),
        Matter::Approval(raw) => approval::question(&Approval::read(raw)?),
    }
}
