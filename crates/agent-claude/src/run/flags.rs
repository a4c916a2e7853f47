//! The arguments with which Claude Code speaks JSON, and those that would get in their way.

use std::ffi::OsString;

/// What makes Claude Code speak JSON in both directions, ask us before it acts, and repeat what it has
/// taken up.
const OURS: [&str; 10] = [
    "--print",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages",
    "--replay-user-messages",
    "--permission-prompt-tool",
    "stdio",
];

/// Arguments that only make sense for whoever speaks with Claude Code directly.
const NOT_YOURS: [&str; 8] = [
    "-p",
    "--print",
    "--input-format",
    "--output-format",
    "--permission-prompt-tool",
    "--permission-prompts",
    "--include-partial-messages",
    "--replay-user-messages",
];

/// Arguments that choose an earlier session: only the first start may.
const OF_THE_FIRST_START: [&str; 5] = ["-c", "--continue", "-r", "--resume", "--session-id"];

/// Arguments with which Claude Code does something else, and ends.
const NO_SESSION: [&str; 4] = ["-h", "--help", "-v", "--version"];

/// An argument that does not belong there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Handraise needs it for itself.
    #[error("{0} is for Handraise to set: leave it out")]
    Reserved(String),
    /// There would be no session.
    #[error("with {0} there is no session to run: call it directly")]
    NoSession(String),
    /// Claude Code would not read it.
    #[error("Claude Code does not read words there: say them with --message")]
    Words,
}

/// Looks through a person's own arguments.
///
/// # Errors
///
/// The first one that does not belong there.
pub fn check(arguments: &[OsString]) -> Result<(), Unfit> {
    let name = |argument: &OsString| {
        let argument = argument.to_string_lossy();
        argument.split('=').next().unwrap_or_default().to_owned()
    };
    let names: Vec<_> = arguments.iter().map(name).collect();
    let find = |unfit: &[&str]| names.iter().find(|name| unfit.contains(&name.as_str())).cloned();
    if let Some(name) = find(&NOT_YOURS) {
        return Err(Unfit::Reserved(name));
    }
    if let Some(name) = find(&NO_SESSION) {
        return Err(Unfit::NoSession(name));
    }
    // Behind a flag it may be the flag's value.
    let is_flag = |name: Option<&String>| name.is_some_and(|name| name.starts_with('-'));
    let before_last = names.len().checked_sub(2).and_then(|place| names.get(place));
    if !names.is_empty() && !is_flag(names.last()) && !is_flag(before_last) {
        return Err(Unfit::Words);
    }
    Ok(())
}

/// All arguments of one start.
pub(super) fn all(persons: &[OsString], resume: Option<&str>) -> Vec<OsString> {
    let mut all: Vec<OsString> = OURS.map(OsString::from).into();
    match resume {
        None => all.extend_from_slice(persons),
        Some(session) => {
            all.extend(without_session(persons));
            all.extend(["--resume".into(), session.into()]);
        }
    }
    all
}

/// A person's arguments but those that choose a session: by now it is known which one it is.
fn without_session(arguments: &[OsString]) -> Vec<OsString> {
    let mut kept = vec![];
    let mut rest = arguments.iter().peekable();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        if !OF_THE_FIRST_START.contains(&text.split('=').next().unwrap_or_default()) {
            kept.push(argument.clone());
            continue;
        }
        let takes_value = !matches!(&*text, "-c" | "--continue") && !text.contains('=');
        let next = rest.peek().map(|next| next.to_string_lossy());
        if takes_value && next.is_some_and(|next| !next.starts_with('-')) {
            rest.next();
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn os(arguments: &[&str]) -> Vec<OsString> {
        arguments.iter().map(OsString::from).collect()
    }

    #[test]
    fn what_does_not_belong_there_is_refused_however_it_is_written() {
        let reserved = |name: &str| Err(Unfit::Reserved(name.into()));
        let format = os(&["--model", "opus", "--output-format=text"]);
        assert_eq!(check(&format), reserved("--output-format"));
        assert_eq!(check(&os(&["-p"])), reserved("-p"));
        assert_eq!(check(&os(&["--version"])), Err(Unfit::NoSession("--version".into())));
        assert_eq!(check(&os(&["fix the bug"])), Err(Unfit::Words));
        assert_eq!(check(&os(&["--model", "opus", "fix the bug"])), Err(Unfit::Words));
        assert_eq!(check(&os(&["--model", "opus", "--add-dir", "/tmp"])), Ok(()));
        assert_eq!(check(&[]), Ok(()));
    }

    #[test]
    fn a_session_that_is_known_is_resumed_and_no_other() {
        let persons = os(&["--resume", "old", "--model", "opus", "-c", "--session-id=x"]);
        let resumed = all(&persons, Some("new"));
        assert_eq!(resumed[OURS.len()..], os(&["--model", "opus", "--resume", "new"]));
        assert_eq!(all(&persons, None)[OURS.len()..], persons);
        let picker = all(&os(&["--resume", "--model", "opus"]), Some("new"));
        assert_eq!(picker[OURS.len()..], os(&["--model", "opus", "--resume", "new"]));
    }
}
