//! `handraise connect`: an agent's settings get our hooks, or lose them again.
//!
//! What changes in the text is decided by `handraise-agent-claude`; here are the file, the record of
//! what was there before, and the person who is shown the difference and asked.

mod command;
mod consent;
pub(crate) mod file;
pub(crate) mod place;
pub(crate) mod record;

use std::path::Path;

use handraise_agent_claude::settings::{self, Ours, SettingsError, WANTED};
use handraise_client::Home;

use crate::cli::{Agent, ConnectArgs, SettingsArgs};
use crate::failure::{Exit, Failure};
use crate::{home, output};

pub(crate) use command::hook_command;
use file::SettingsFile;
use record::Record;

pub(crate) fn run(home: &Home, args: &ConnectArgs) -> Result<Exit, Failure> {
    let Agent::Claude = args.agent;
    let file = SettingsFile::read(&place::settings_file(&args.which)?)?;
    let record = Record::of(home, file.target());
    if args.undo {
        undo(home, args, &file, record.as_ref())
    } else {
        connect(home, args, &file, record.as_ref())
    }
}

fn connect(
    home: &Home,
    args: &ConnectArgs,
    file: &SettingsFile,
    record: Option<&Record>,
) -> Result<Exit, Failure> {
    let command = hook_command(home)?;
    let ours = ours(record);
    let text = file.text().unwrap_or_default();
    let with = settings::connect(text, &ours, &command).map_err(|error| bad(file, error))?;
    if file.text().is_some() && with == text {
        output::show(&format!("{} is connected already.", file.name()))?;
        return Ok(Exit::Answered);
    }
    file.check_writable()?;
    consent::show(file, Some(&with))?;
    if !consent::given(args.yes)? {
        return not_changed();
    }
    let next = record_of_change(file, record, &ours, &command, &with)?;
    let _alone = Record::lock(home, file, record)?;
    // Kept first: an interruption in between leaves a record without hooks, which says nothing.
    next.keep(home)?;
    if let Err(failure) = file.replace(&with) {
        match record {
            Some(record) => record.keep(home)?,
            None => Record::forget(home, file.target())?,
        }
        return Err(failure);
    }
    output::show(&connected(home, args, file))?;
    Ok(Exit::Answered)
}

/// What a later undo has to know.
///
/// What it goes back to never holds hooks of ours, however often the settings were connected and
/// edited in between.
fn record_of_change(
    file: &SettingsFile,
    record: Option<&Record>,
    ours: &Ours,
    command: &str,
    with: &str,
) -> Result<Record, Failure> {
    let unchanged = record.filter(|record| file.text().is_some_and(|text| record.wrote(text)));
    let (before, made) = match (unchanged, file.text()) {
        (Some(record), _) => (record.before.clone(), record.directories.clone()),
        (None, None) => (None, file.missing_directories()),
        (None, Some(text)) => {
            let old = record.and_then(|record| record.before.as_deref());
            let without =
                settings::disconnect(text, ours, old).map_err(|error| bad(file, error))?;
            (Some(without), vec![])
        }
    };
    Ok(Record::new(file.target(), before, made, command, with))
}

fn undo(
    home: &Home,
    args: &ConnectArgs,
    file: &SettingsFile,
    record: Option<&Record>,
) -> Result<Exit, Failure> {
    let text = file.text().unwrap_or_default();
    let unchanged = record.filter(|record| file.text().is_some() && record.wrote(text));
    let without = if let Some(record) = unchanged {
        record.before.clone()
    } else {
        let old = record.and_then(|record| record.before.as_deref());
        let without = settings::disconnect(text, &ours(record), old);
        let without = without.map_err(|error| bad(file, error))?;
        if without == text {
            Record::forget(home, file.target())?;
            output::show(&format!("{} is not connected.", file.name()))?;
            return Ok(Exit::Answered);
        }
        Some(without)
    };
    file.check_writable()?;
    consent::show(file, without.as_deref())?;
    if !consent::given(args.yes)? {
        return not_changed();
    }
    let _alone = Record::lock(home, file, record)?;
    match &without {
        Some(text) => file.replace(text)?,
        None => file.remove(unchanged.map_or(&[], |record| &record.directories))?,
    }
    Record::forget(home, file.target())?;
    let name = file.name();
    output::show(&match (&without, unchanged) {
        (None, _) => format!("Removed {name}: it was not there before."),
        (Some(_), Some(_)) => format!("{name} is what it was before, byte for byte."),
        (Some(_), None) => {
            format!("Took the hooks out of {name}; everything else in it stays as it is.")
        }
    })?;
    Ok(Exit::Answered)
}

/// Hooks of ours, also those under the name that the program had when they were written.
pub(crate) fn ours(record: Option<&Record>) -> Ours {
    record.map_or_else(Ours::default, |record| Ours::default().and(&record.command))
}

fn not_changed() -> Result<Exit, Failure> {
    output::show("Nothing was changed.")?;
    Ok(Exit::Declined)
}

/// What was done, what comes next, and the way back.
fn connected(home: &Home, args: &ConnectArgs, file: &SettingsFile) -> String {
    let data = home::data_option(home);
    let hub = match home.hub() {
        Some(_) => String::new(),
        None => format!("No hub is running yet; start one with: handraise serve{data}\n"),
    };
    let options = options(home, &args.which, file);
    format!(
        "Wrote {} hooks to {}.\n\
         Claude Code sessions that start from now on raise their hand.\n\
         {hub}\
         Undo it with: handraise connect claude --undo{options}",
        WANTED.len(),
        file.name()
    )
}

/// What names these settings and this home on a command line.
pub(crate) fn options(home: &Home, which: &SettingsArgs, file: &SettingsFile) -> String {
    let settings = if which.project {
        " --project".to_owned()
    } else if which.settings.is_some() {
        format!(" --settings {}", quoted(file.named()))
    } else {
        String::new()
    };
    format!("{settings}{}", home::data_option(home))
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    shlex::try_quote(&text).map_or_else(|_| text.clone(), Into::into)
}

/// Settings that we do not dare to change.
fn bad(file: &SettingsFile, error: SettingsError) -> Failure {
    let error = anyhow::Error::new(error).context(format!("cannot change {}", file.name()));
    let hint = "correct it, then run this again; nothing was changed";
    Failure::new(Exit::BadInput, error).hint(hint)
}
