//! One line for each thing that happens.

use std::path::Path;

use handraise_agent_claude::watch::{Happening, What};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::looking::{short, when};
use crate::table;

/// For a person.
pub(super) fn text(happening: &Happening, at: Timestamp) -> String {
    let Happening { what, session, pid, directory, ask, question, why } = happening;
    let directory = directory.as_deref();
    let project = directory.and_then(Path::file_name).or(directory.map(Path::as_os_str));
    let process = || {
        let session = table::short(session.as_deref().unwrap_or("–"));
        let process = pid.map(|pid| format!(", process {pid}")).unwrap_or_default();
        format!("session {session}{process}")
    };
    let parts = [
        Some(when(at)),
        Some(format!("{:<10}", word(*what))),
        project.map(|project| table::short(&project.to_string_lossy())),
        matches!(what, What::Found | What::Gone).then(process),
        ask.map(short),
        question.as_deref().map(table::short),
        why.as_deref().map(table::one_line),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

/// For a program.
pub(super) fn json(happening: &Happening, at: Timestamp) -> Value {
    let Happening { what, session, pid, directory, ask, question, why } = happening;
    let directory = directory.as_ref().map(|directory| directory.to_string_lossy());
    json!({
        "at": at,
        "event": what.name(),
        "session": session,
        "pid": pid,
        "directory": directory,
        "ask": ask,
        "question": question,
        "why": why,
    })
}

fn word(what: What) -> &'static str {
    match what {
        What::Deferred => "deferred",
        What::Began => "began",
        What::Found => "found",
        What::Gone => "gone",
        What::Asked => "asked",
        What::LeftAlone => "left alone",
        What::NotAsked => "not asked",
        What::NotNoted => "not noted",
        What::Answered => "answered",
        What::Typed => "typed",
        What::Stopped => "NOT TYPED",
        What::Delivered => "delivered",
        What::Settled => "settled",
        What::Withdrawn => "withdrawn",
        What::Alarm => "ALARM",
        What::HubAway => "hub away",
        What::HubBack => "hub back",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_wrote_stays_on_its_line_and_steers_nothing() {
        let happening = Happening {
            what: What::Alarm,
            session: Some("s".into()),
            directory: Some("/w/shop\n".into()),
            question: Some("Which?\n2026-11-16  typed\u{1b}[2J".into()),
            why: Some("It was\nquick.".into()),
            ..Happening::default()
        };
        let line = text(&happening, Timestamp::UNIX_EPOCH);
        assert_eq!(line.lines().count(), 1, "{line}");
        assert!(!line.contains('\u{1b}'), "{line}");
        assert!(line.contains("  ALARM       shop  Which? 2026-11-16 typed"), "{line}");
        assert!(line.ends_with("  It was quick."), "{line}");
        assert_eq!(
            json(&happening, Timestamp::UNIX_EPOCH)["question"],
            happening.question.unwrap()
        );
    }
}
