//! `handraise connect`: an agent's settings get our hooks or our server, or lose them again.
//!
//! What changes in the text is decided by `handraise-agent-claude` and `handraise-agent-mcp`; here are
//! the file, the record of what was there before, and the person who is shown the difference and asked.

mod command;
mod consent;
pub(crate) mod file;
pub(crate) mod part;
pub(crate) mod place;
pub(crate) mod record;

use std::ffi::OsStr;
use std::path::Path;

use handraise_agent_claude::settings::{Ours, SettingsError};
use handraise_agent_mcp::clients::Client;
use handraise_client::Home;

use crate::cli::{Agent, ConnectArgs, SettingsArgs};
use crate::failure::{Exit, Failure};
use crate::{environment, home, output};

pub(crate) use command::{hook_command, program};
use file::SettingsFile;
use part::Part;
use record::Record;

pub(crate) fn run(home: &Home, args: &ConnectArgs) -> Result<Exit, Failure> {
    let file = SettingsFile::read(&place::settings_file(home, args.agent, &args.which)?)?;
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
    let part = Part::of(args.agent, record);
    let command = part.command(home)?;
    let text = file.text().unwrap_or_default();
    let with = part.connect(text, &command).map_err(|error| bad(file, error))?;
    if file.text().is_some() && with == text {
        output::show(&format!("{} is connected already.", file.name()))?;
        return Ok(Exit::Answered);
    }
    file.check_writable()?;
    consent::show(file, Some(&with))?;
    if let Part::Server(client, _) = part {
        output::show(&unasked(args.agent, client))?;
    }
    if !consent::given(args.yes)? {
        return not_changed();
    }
    let next = record_of_change(file, record, &part, &command, &with)?;
    let _alone = Record::lock(home, file, record)?;
    // Kept first: an interruption in between leaves a record of nothing, which says nothing.
    next.keep(home)?;
    if let Err(failure) = file.replace(&with) {
        match record {
            Some(record) => record.keep(home)?,
            None => Record::forget(home, file.target())?,
        }
        return Err(failure);
    }
    output::show(&connected(home, args, file, &part))?;
    Ok(Exit::Answered)
}

/// What a later undo has to know.
///
/// What it goes back to never holds anything that we wrote, however often the settings were connected and
/// edited in between. A server of ours that somebody has written by hand is theirs.
fn record_of_change(
    file: &SettingsFile,
    record: Option<&Record>,
    part: &Part,
    command: &str,
    with: &str,
) -> Result<Record, Failure> {
    let unchanged = record.filter(|record| file.text().is_some_and(|text| record.wrote(text)));
    let (before, made) = match (unchanged, file.text()) {
        (Some(record), _) => (record.before.clone(), record.directories.clone()),
        (None, None) => (None, file.missing_directories()),
        (None, Some(text)) if part.may_be_hand_written() && !written_by_us(record, text) => {
            (Some(text.to_owned()), vec![])
        }
        (None, Some(text)) => {
            let old = record.and_then(|record| record.before.as_deref());
            let without = part.disconnect(text, old).map_err(|error| bad(file, error))?;
            (Some(without), vec![])
        }
    };
    Ok(Record::new(file.target(), before, made, command, with))
}

/// Whether something of ours in `text` may be our own writing: not where we never wrote it, or where it is
/// what it was before we did.
fn written_by_us(record: Option<&Record>, text: &str) -> bool {
    record.is_some_and(|record| record.before.as_deref() != Some(text))
}

fn undo(
    home: &Home,
    args: &ConnectArgs,
    file: &SettingsFile,
    record: Option<&Record>,
) -> Result<Exit, Failure> {
    let part = Part::of(args.agent, record);
    let text = file.text().unwrap_or_default();
    let unchanged = record.filter(|record| file.text().is_some() && record.wrote(text));
    let without = if let Some(record) = unchanged {
        record.before.clone()
    } else {
        let old = record.and_then(|record| record.before.as_deref());
        let without = part.disconnect(text, old).map_err(|error| bad(file, error))?;
        // Also where somebody has put it back already: what is ours in it is theirs then.
        if without == text || old == Some(text) {
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
            let part = part.short_name();
            format!("Took the {part} out of {name}; everything else in it stays as it is.")
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
fn connected(home: &Home, args: &ConnectArgs, file: &SettingsFile, part: &Part) -> String {
    let data = home::data_option(home);
    let hub = match home.hub() {
        Some(_) => String::new(),
        None => format!("No hub is running yet; start one with: handraise serve{data}\n"),
    };
    let options = options(home, &args.which, file);
    let (agent, command) = (args.agent.name(), args.agent.command());
    let absent = match environment::found_by_shell(OsStr::new(command)) {
        // Hooks wait for whatever Claude Code comes, and its `doctor` says more.
        _ if args.agent == Agent::Claude => String::new(),
        Some(_) => String::new(),
        None => format!("There is no `{command}` on the PATH yet; this waits for it.\n"),
    };
    format!(
        "Wrote {} to {}.\n\
         {agent} sessions that start from now on raise their hand.\n\
         {absent}{hub}\
         Undo it with: handraise connect {command} --undo{options}",
        part.name(),
        file.name()
    )
}

/// What an agent does with our tools from now on; it goes with the difference.
fn unasked(agent: Agent, client: Client) -> String {
    let (agent, [ask, wait]) = (agent.name(), client.tools());
    format!(
        "{agent} will use {ask} and {wait} without asking you first; what else it may do does not change."
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
    let hint = match error.downcast_ref() {
        Some(SettingsError::Taken { .. }) => "rename or remove it",
        _ => "correct it",
    };
    let hint = format!("{hint}, then run this again; nothing was changed");
    Failure::new(Exit::BadInput, error).hint(hint)
}
