//! `handraise restore`: a backup in the place of the database.
//!
//! All is prepared beside the database, which changes in one step at the end: whatever happens, there is
//! the old one or the new one, and the old one is kept.

mod draft;

use std::fs;
use std::path::Path;

use handraise_broker::Sound;
use handraise_client::Home;
use serde_json::json;

use crate::audit::good;
use crate::cli::RestoreArgs;
use crate::failure::{self, Exit, Failure};
use crate::home::data_option;
use crate::own_files::is_database;
use crate::serve::{Lock, database_file};
use crate::{inside_agent, output, service};
use draft::Draft;

pub(crate) use draft::{drafts, kept_aside};

pub(crate) fn run(home: &Home, args: &RestoreArgs) -> Result<Exit, Failure> {
    inside_agent::refuse("restore", home)?;
    if !args.from.is_file() {
        let error = anyhow::anyhow!("there is no backup at {}", args.from.display());
        return Err(Failure::new(Exit::BadInput, error));
    }
    let file = database_file(home, args.database.as_deref())?;
    // What a link leads to is replaced, not the link.
    let file = fs::canonicalize(&file).unwrap_or(file);
    refuse_itself(&args.from, &file)?;
    // Nobody starts a hub before this is done.
    let _home = Lock::of_home(home).map_err(|failure| failure.hint(stop_first(home, args)))?;
    let stop = "stop it first: what it keeps would be lost";
    let _database = Lock::of_database(&file).map_err(|failure| failure.hint(stop))?;
    let draft = Draft::beside(&file, &args.from)?;
    let (sound, revoked) = draft.fill(&args.from, &file, args.head)?;
    let before = draft.take_the_place_of(&file)?;
    let before = before.map(|path| path.display().to_string());
    if args.json {
        let Sound { head, pruned } = sound;
        output::print_json(&json!({
            "events": head.seq, "head": head.to_string(), "pruned": pruned, "revoked": revoked,
            "before": before,
        }))?;
        return Ok(Exit::Answered);
    }
    output::print(&good(&sound))?;
    if let Some(before) = before {
        output::print(&format!("  what was there before is {before}"))?;
    }
    match revoked {
        0 => {}
        1 => output::print("  1 token that was revoked since is revoked again")?,
        tokens => output::print(&format!("  {tokens} tokens revoked since are revoked again"))?,
    }
    let data = data_option(home);
    let start = match service::by_hand(home) {
        Some(service) => service.start,
        None => format!("handraise serve{data}"),
    };
    failure::say(&format!(
        "Start the hub with: {start}\n\
         See who may come in with: handraise device list{data}"
    ));
    Ok(Exit::Answered)
}

/// What to do about a hub that runs, in words that can be typed.
fn stop_first(home: &Home, args: &RestoreArgs) -> String {
    if let Some(service) = service::by_hand_if_it_runs(home) {
        return format!(
            "it runs as a service, and what it keeps would be lost; stop it first, and start it again \
             then:\n  {}\n  {}\n  {}",
            service.stop,
            command_line(home, args),
            service.start
        );
    }
    match home.hub() {
        Some(hub) => format!(
            "stop it first, what it keeps would be lost: Ctrl-C where it runs, or kill {}",
            hub.pid
        ),
        None => "stop it first: what it keeps would be lost".to_owned(),
    }
}

/// This command, to be typed again.
fn command_line(home: &Home, args: &RestoreArgs) -> String {
    let mut line = format!("handraise restore{}", data_option(home));
    let head = args.head.map(|head| head.to_string());
    for (option, value) in [("--head", &head), ("--database", &args.database)] {
        if let Some(value) = value {
            line.extend([" ", option, " ", &word(value)]);
        }
    }
    line + " " + &word(&args.from.to_string_lossy())
}

fn word(text: &str) -> String {
    shlex::try_quote(text).map_or_else(|_| text.to_owned(), Into::into)
}

/// A database is no backup of itself.
fn refuse_itself(from: &Path, file: &Path) -> Result<(), Failure> {
    if !is_database(file, from) {
        return Ok(());
    }
    let error = anyhow::anyhow!("{} is the database itself, no backup", from.display());
    Err(Failure::new(Exit::BadInput, error).hint("name a backup; nothing was changed"))
}
