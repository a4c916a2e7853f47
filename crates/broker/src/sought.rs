//! What somebody looks for in the asks themselves.

use handraise_question::Surface;
use serde_json::Value;

use crate::{Delivery, Matter, Phase, Record};

/// What an ask has to hold; all of it, as far as something is sought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sought {
    /// Part of the directory its agent works in, in capitals or not.
    pub project: Option<String>,
    /// Who ended it, exactly.
    pub person: Option<String>,
    /// Where it was ended.
    pub surface: Option<Surface>,
    /// Part of anything a person reads in it, in capitals or not.
    pub text: Option<String>,
}

impl Sought {
    /// Whether an ask holds it.
    #[must_use]
    pub fn is_in(&self, record: &Record) -> bool {
        let responder = record.resolved().and_then(|resolved| resolved.responder.as_ref());
        let directory = record.asker().directory.as_deref();
        let is_project = |part: &String| directory.is_some_and(|all| holds(all, &lower(part)));
        let is_person =
            |name: &String| responder.is_some_and(|who| who.person.as_ref() == Some(name));
        let is_surface = |place: &Surface| responder.is_some_and(|who| who.surface == *place);
        self.project.as_ref().is_none_or(is_project)
            && self.person.as_ref().is_none_or(is_person)
            && self.surface.as_ref().is_none_or(is_surface)
            && self.text.as_ref().is_none_or(|part| is_read_in(record, &lower(part)))
    }

    /// Whether nothing is sought, so that every ask will do.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

fn is_read_in(record: &Record, part: &str) -> bool {
    let asker = record.asker();
    let about = [&asker.title, &asker.branch, &asker.directory, &asker.preamble];
    about.into_iter().flatten().any(|text| holds(text, part))
        || is_asked(record.matter(), part)
        || is_answered(record, part)
}

fn is_asked(matter: &Matter, part: &str) -> bool {
    let Ok(asked) = serde_json::from_str(matter.as_sent().get()) else { return false };
    // Pages and drawings are made of signs that nobody reads, and suggestions are for machines.
    let aside = match matter {
        Matter::Questions(_) => "preview",
        Matter::Approval(_) => "suggestions",
    };
    is_said(&asked, &[aside], part)
}

fn is_answered(record: &Record, part: &str) -> bool {
    let Phase::Resolved { resolved, delivery } = &record.phase else { return false };
    let took = match delivery {
        Delivery::Overruled { receipt, .. } => receipt.took.as_ref(),
        Delivery::Awaited | Delivery::Delivered { .. } | Delivery::Undelivered { .. } => None,
    };
    let ends = [Some(&resolved.resolution), took];
    ends.into_iter().flatten().any(|end| is_said(end, &["kind", "decision"], part))
}

/// Whether a text in the values of this JSON holds the part; names of fields are nobody's words.
fn is_said(value: &Value, aside: &[&str], part: &str) -> bool {
    match value {
        Value::String(text) => holds(text, part),
        Value::Array(items) => items.iter().any(|item| is_said(item, aside, part)),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| !aside.contains(&name.as_str()) && is_said(value, aside, part)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn holds(text: &str, part: &str) -> bool {
    lower(text).contains(part)
}

fn lower(text: &str) -> String {
    text.to_lowercase()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use handraise_question::Responder;
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::{AskId, Asker, Attempt, Entry, Opened, Policy, Reply};

    fn open(matter: Matter) -> Record {
        let asker = Asker {
            agent: "claude-code".into(),
            directory: Some("/home/dev/Shop".into()),
            branch: Some("fix/login".into()),
            title: Some("Straße".into()),
            preamble: Some("I looked at the schema.".into()),
            ..Asker::default()
        };
        let policy = Policy::default();
        let opened = Opened {
            asker,
            key: None,
            owner: None,
            matter,
            policy,
            rival_dialog: false,
            deadline_at: None,
        };
        let now = Timestamp::UNIX_EPOCH;
        Record::open(AskId::new(now, [1; 10]), Arc::new(opened), 1, now)
    }

    fn questions() -> Record {
        let questions = json!([{"question": "Welche Größe?", "header": "Maß", "options": [
            {"label": "JWT", "description": "signed", "preview": "<div>"}, {"label": "Ключ"}]}]);
        open(Matter::questions(serde_json::value::to_raw_value(&questions).unwrap()).unwrap())
    }

    fn approval() -> Record {
        let call = json!({"tool": "Bash", "input": {"command": "make clean"}, "plan": "First, tidy",
                          "suggestions": [{"type": "addRules"}]});
        open(Matter::approval(serde_json::value::to_raw_value(&call).unwrap()).unwrap())
    }

    fn ended(mut record: Record, reply: Reply) -> Record {
        let responder = Responder {
            person: Some("ann".into()),
            device: None,
            surface: Surface::Web,
            proof: None,
        };
        let at = Timestamp::UNIX_EPOCH;
        let events = record.reply(Attempt { reply, responder, key: None }, at).unwrap();
        for event in events {
            record.apply(&Entry { seq: 2, at, ask: Some(record.id), event });
        }
        record
    }

    fn answered() -> Record {
        let answers = json!([{"words": "a ticket", "notes": "until Friday"}]);
        ended(questions(), Reply::Answer(serde_json::from_value(answers).unwrap()))
    }

    fn text(text: &str) -> Sought {
        Sought { text: Some(text.into()), ..Sought::default() }
    }

    #[test]
    fn whatever_a_person_reads_is_found_in_capitals_or_not() {
        let decline = ended(questions(), Reply::Decline(Some("Too early".into())));
        let discuss = ended(approval(), Reply::Discuss("Why now?".into()));
        for (record, parts) in [
            (questions(), &["GRÖSSE", "größe", "maß", "jwt", "SIGNED", "ключ"][..]),
            (questions(), &["shop", "FIX/LOGIN", "straße", "the schema"]),
            (approval(), &["bash", "MAKE CLEAN", "tidy"]),
            (answered(), &["Ticket", "friday"]),
            (decline, &["too EARLY"]),
            (discuss, &["why now"]),
        ] {
            for part in parts {
                // Two letters in capitals for one that has none are not the same text.
                assert_eq!(text(part).is_in(&record), *part != "GRÖSSE", "{part}");
            }
        }
    }

    #[test]
    fn names_of_fields_and_what_nobody_reads_are_not_found() {
        for part in ["multiSelect", "options", "label", "div", "addRules", "selected", "leftOpen"] {
            for record in [questions(), approval(), answered()] {
                assert!(!text(part).is_in(&record), "{part}");
            }
        }
        assert!(!text("answered").is_in(&answered()));
    }

    #[test]
    fn all_of_what_is_sought_must_be_there() {
        let project = |part: &str| Sought { project: Some(part.into()), ..text("größe") };
        assert!(project("DEV/shop").is_in(&questions()));
        assert!(!project("store").is_in(&questions()));
        let by = |person: &str, surface| Sought {
            person: Some(person.into()),
            surface: Some(surface),
            ..Sought::default()
        };
        assert!(by("ann", Surface::Web).is_in(&answered()));
        assert!(!by("Ann", Surface::Web).is_in(&answered()), "a person is named exactly");
        assert!(!by("ann", Surface::Terminal).is_in(&answered()));
        assert!(!by("ann", Surface::Web).is_in(&questions()), "nobody has answered");
        assert!(Sought::default().is_nothing() && Sought::default().is_in(&approval()));
    }
}
