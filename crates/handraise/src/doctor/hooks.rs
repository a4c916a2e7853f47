//! The hooks in Claude Code's settings.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use handraise_agent_claude::hook::Book;
use handraise_agent_claude::settings::{self, Entry, WANTED, Wanted};
use handraise_client::Home;

use super::finding::Finding;
use crate::cli::{Agent, SettingsArgs};
use crate::connect::file::SettingsFile;
use crate::connect::record::Record;
use crate::connect::{hook_command, options, ours, place};
use crate::failure::Failure;

const HOOKS: &str = "hooks";
const PROGRAM: &str = "program";

/// What the hooks run, by event.
pub(super) type Commands = HashMap<String, String>;

pub(super) struct Hooks {
    pub(super) findings: Vec<Finding>,
    /// Where all of them are there.
    pub(super) commands: Option<Commands>,
}

pub(super) fn look(home: &Home, which: &SettingsArgs) -> Result<Hooks, Failure> {
    let file = SettingsFile::read(&place::settings_file(home, Agent::Claude, which)?)?;
    let ours = ours(Record::of(home, file.target()).as_ref());
    let name = file.name();
    let entries = match settings::entries(file.text().unwrap_or_default(), &ours) {
        Ok(entries) => entries,
        Err(error) => {
            let finding = Finding::wrong(HOOKS, format!("{name} cannot be used: {error}"));
            return Ok(Hooks { findings: vec![finding], commands: None });
        }
    };
    let connect = format!("handraise connect claude{}", options(home, which, &file));
    let fits = |entry: &Entry, wanted: &Wanted| {
        entry.event == wanted.event && wanted.fits(entry.matcher.as_deref())
    };
    let missing: Vec<_> = WANTED
        .iter()
        .filter(|wanted| !entries.iter().any(|entry| fits(entry, wanted)))
        .map(|wanted| wanted.event)
        .collect();
    if !missing.is_empty() {
        let found = if entries.is_empty() {
            format!("none in {name}")
        } else {
            format!("{name} lacks {}, or for the wrong tools", missing.join(", "))
        };
        let finding = Finding::wrong(HOOKS, found).hint(format!("write them with: {connect}"));
        return Ok(Hooks { findings: vec![finding], commands: None });
    }
    if settings::all_off(file.text().unwrap_or_default()).is_ok_and(|off| off) {
        let finding = Finding::wrong(HOOKS, format!("{name} switches all hooks off"))
            .hint("remove `disableAllHooks` from it");
        return Ok(Hooks { findings: vec![finding], commands: None });
    }
    let wanted = hook_command(home)?;
    let as_written = settings::connect(file.text().unwrap_or_default(), &ours, &wanted);
    let up_to_date = as_written.is_ok_and(|text| Some(text.as_str()) == file.text());
    let found = format!("{} in {name}", entries.len());
    let hooks = if up_to_date {
        Finding::well(HOOKS, found)
    } else {
        let found = format!("{found}, not as this program would write them");
        Finding::unsure(HOOKS, found).hint(format!("bring them up to date with: {connect}"))
    };
    let program = program(&entries, &connect);
    let commands = entries.into_iter().map(|entry| (entry.event, entry.command)).collect();
    Ok(Hooks { findings: vec![hooks, program], commands: Some(commands) })
}

/// The program that the hooks run, which may have been moved since.
fn program(entries: &[Entry], connect: &str) -> Finding {
    let mut programs: Vec<_> =
        entries.iter().filter_map(|entry| settings::program_of(&entry.command)).collect();
    programs.sort();
    programs.dedup();
    let cannot_run = |program: &&String| {
        let found = Path::new(program).metadata();
        !found.is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0)
    };
    match programs.iter().find(cannot_run) {
        Some(gone) => Finding::wrong(PROGRAM, format!("the hooks run {gone}: no such program"))
            .hint(format!("write them anew with: {connect}")),
        None => Finding::well(PROGRAM, programs.join(", ")),
    }
}

/// The last time a hook could not do its work.
pub(super) fn last_trouble(home: &Home) -> Option<Finding> {
    let trouble = Book::new(home.directory()).trouble()?;
    Some(Finding::unsure("last trouble", trouble.trim_end()))
}
