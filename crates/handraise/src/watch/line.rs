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
    let mut line = format!("{}  {:<10}", when(at), word(*what));
    let project = directory.as_deref().and_then(Path::file_name);
    if let Some(project) = project.or(directory.as_deref().map(Path::as_os_str)) {
        line += &format!("  {}", table::short(&project.to_string_lossy()));
    }
    match what {
        What::Found | What::Gone => {
            let session = session.as_deref().unwrap_or("–");
            line += &format!("  session {}", table::short(session));
            if let Some(pid) = pid {
                line += &format!(", process {pid}");
            }
        }
        What::Asked
        | What::LeftAlone
        | What::NotAsked
        | What::Answered
        | What::Typed
        | What::Stopped
        | What::Delivered
        | What::Settled
        | What::Withdrawn
        | What::Alarm
        | What::HubAway
        | What::HubBack => {}
    }
    if let Some(ask) = ask {
        line += &format!("  {}", short(ask));
    }
    if let Some(question) = question {
        line += &format!("  {}", table::short(question));
    }
    if let Some(why) = why {
        line += &format!("  {}", table::one_line(why));
    }
    line
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
        What::Found => "found",
        What::Gone => "gone",
        What::Asked => "asked",
        What::LeftAlone => "left alone",
        What::NotAsked => "not asked",
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
