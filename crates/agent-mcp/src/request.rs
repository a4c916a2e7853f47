//! What a model sends to the tools, read so that it can mend its mistakes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use handraise_broker::{AskId, Matter};
use handraise_question::{Ask, Limits, Reading, Violation, Violations, count_characters};
use serde_json::value::RawValue;

/// The arguments of a call, byte for byte as the client sent them.
#[derive(Debug, Clone)]
pub(crate) struct Arguments(pub(crate) Box<RawValue>);

/// What `ask_user` was called with.
#[derive(Debug, Clone)]
pub(crate) struct AskUser {
    pub(crate) matter: Matter,
    pub(crate) why: Option<String>,
    pub(crate) title: Option<String>,
}

type Fields<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

const LONGEST_WHY: usize = 100_000;
const LONGEST_TITLE: usize = 1000;

impl AskUser {
    /// Reads the arguments; every mistake is named at once.
    pub(crate) fn read(arguments: &RawValue) -> Result<Self, Violations> {
        let mut wrong = vec![];
        let ask = Ask::read(arguments.get().as_bytes(), &Limits::WIDE);
        let matter = match ask.and_then(|Reading { ask, .. }| {
            let metadata = ask.metadata().map(ToOwned::to_owned);
            Matter::questions_of_call(ask.as_sent().to_owned(), metadata)
        }) {
            Ok(matter) => Some(matter),
            Err(violations) => {
                wrong.extend_from_slice(violations.as_slice());
                None
            }
        };
        // Whatever is no object was found wrong above.
        let fields: Fields<'_> = serde_json::from_str(arguments.get()).unwrap_or_default();
        let why = text(&fields, "why", LONGEST_WHY, &mut wrong);
        let title = text(&fields, "title", LONGEST_TITLE, &mut wrong);
        let nothing = || Violation::new("questions", "missing", "a list of questions");
        let matter = Violations::none_or(wrong, || matter)?.ok_or_else(nothing)?;
        Ok(Self { matter, why, title })
    }
}

/// Reads the ticket `wait_answer` was called with.
pub(crate) fn ticket(arguments: &RawValue, ask_name: &str) -> Result<AskId, Violations> {
    let wanted = format!("the ticket that {ask_name} returned");
    let fields: Option<Fields<'_>> = serde_json::from_str(arguments.get()).ok();
    let Some(fields) = fields else {
        return Err(Violation::new("input", "no object", "an object with a ticket").into());
    };
    let Some(ticket) = fields.get("ticket") else {
        return Err(Violation::new("ticket", "missing", wanted).into());
    };
    let ticket: Option<String> = serde_json::from_str(ticket.get()).ok();
    let ticket = ticket.and_then(|ticket| ticket.trim().parse().ok());
    ticket.ok_or_else(|| Violation::new("ticket", "something else", wanted).into())
}

/// An optional text beside the questions.
fn text(
    fields: &Fields<'_>,
    name: &str,
    most: usize,
    wrong: &mut Vec<Violation>,
) -> Option<String> {
    let value = fields.get(name)?.get();
    if value == "null" {
        return None;
    }
    let Ok(text) = serde_json::from_str::<String>(value) else {
        wrong.push(Violation::new(name, "no text", "a text"));
        return None;
    };
    let characters = count_characters(&text);
    if characters > most {
        let found = format!("{characters} characters");
        wrong.push(Violation::new(name, found, format!("{most} or fewer")));
    }
    Some(text).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
