//! Which home a command works with.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use handraise_broker::{HubError, Power, is_agent_name};
use handraise_client::{Home, RemoteHub};
use handraise_question::Surface;

use crate::environment;
use crate::failure::{Exit, Failure};
use crate::inside_agent::command_line;

/// `--data`, else `$HANDRAISE_HOME`, else the platform's data directory.
pub(crate) fn home(data: Option<&Path>) -> Result<Home, Failure> {
    let directory = data.map(Path::to_owned).or_else(environment::home).ok_or_else(|| {
        let error = anyhow::anyhow!("no home directory is known");
        Failure::new(Exit::BadInput, error).hint("name one with --data DIR")
    })?;
    // Clients and hub may be started in different places.
    let directory = std::path::absolute(&directory).unwrap_or(directory);
    Ok(Home::new(directory))
}

/// The running hub of a home, as a person sees it.
pub(crate) fn hub(home: &Home, surface: Surface) -> Result<RemoteHub, Failure> {
    if home.hub().is_none() {
        return Err(no_hub(home));
    }
    Ok(RemoteHub::new(home.clone(), Power::Person, surface))
}

/// The running hub of a home, as the agent of this name sees it.
pub(crate) fn hub_of_agent(home: &Home, name: &'static str) -> Result<RemoteHub, Failure> {
    if home.hub().is_none() {
        return Err(no_hub(home));
    }
    Ok(RemoteHub::agent(home.clone(), name))
}

/// The name of the agent whose token a program of the user's own uses: the one that was given, else
/// `$HANDRAISE_AGENT`, else the usual one.
pub(crate) fn agent_name(
    given: Option<&str>,
    usual: &'static str,
) -> Result<Cow<'static, str>, Failure> {
    let Some(name) = given.map(str::to_owned).or_else(environment::agent) else {
        return Ok(Cow::Borrowed(usual));
    };
    if is_agent_name(&name) {
        return Ok(Cow::Owned(name));
    }
    let error = anyhow::anyhow!("{name:?} cannot be the name of an agent");
    Err(Failure::new(Exit::BadInput, error).hint(
        "in --agent or HANDRAISE_AGENT, give a name that was made with: handraise device add --agent NAME",
    ))
}

/// What names this home on a command line; nothing where it is the usual one.
pub(crate) fn data_option(home: &Home) -> String {
    if environment::home().as_deref() == Some(home.directory()) {
        return String::new();
    }
    let directory = home.directory().to_string_lossy();
    let word = shlex::try_quote(&directory).unwrap_or_else(|_| directory.clone());
    format!(" --data {word}")
}

/// The database to read: the one that is named, else the home's.
pub(crate) fn log_file(home: &Home, named: Option<&Path>) -> Result<PathBuf, Failure> {
    let file = named.map_or_else(|| home.database(), Path::to_owned);
    if named.is_none() {
        refuse_elsewhere(home, "--file FILE")?;
    }
    if file.exists() {
        return Ok(file);
    }
    // A backup, most likely.
    if named.is_none() && home.directory().is_file() {
        let file = home.directory().display();
        let error = anyhow::anyhow!("{file} is a file, and --data names a directory");
        return Err(Failure::new(Exit::BadInput, error)
            .hint(format!("to read a backup, name it with --file {file}")));
    }
    let error = anyhow::anyhow!("there is no log at {}", file.display());
    Err(Failure::new(Exit::BadInput, error)
        .hint("name its home with --data DIR, or the database with --file FILE"))
}

/// Refuses to take the database in a home for the hub's, where that keeps another one.
pub(crate) fn refuse_elsewhere(home: &Home, option: &str) -> Result<(), Failure> {
    match home.hub() {
        Some(hub) if keeps_elsewhere(hub.pid) => {
            let error = anyhow::anyhow!(
                "the hub of {} keeps its database elsewhere (process {})",
                home.directory().display(),
                hub.pid
            );
            Err(Failure::new(Exit::BadInput, error).hint(format!("name it with {option}")))
        }
        Some(_) | None => Ok(()),
    }
}

/// Whether a hub was told to keep its database outside of its home.
pub(crate) fn keeps_elsewhere(hub: u32) -> bool {
    command_line(hub).iter().any(|word| word.starts_with("--database"))
}

/// There is no hub.
pub(crate) fn no_hub(home: &Home) -> Failure {
    let error = anyhow::anyhow!("no hub is running for {}", home.directory().display());
    let hint = format!("start one with: handraise serve{}", data_option(home));
    Failure::new(Exit::NowhereToAsk, error).hint(hint)
}

/// What a hub's refusal means to the caller of a command.
pub(crate) fn failure(error: HubError) -> Failure {
    use handraise_broker::Rejection;
    let exit = match &error {
        HubError::Rejected(Rejection::AlreadyResolved(_)) => Exit::Withdrawn,
        HubError::Rejected(Rejection::Invalid(violations)) => {
            return Failure::bad_input("the answer", violations);
        }
        HubError::Rejected(_) | HubError::Denied(_) => Exit::BadInput,
        HubError::Store(_) => Exit::Internal,
        HubError::Unreachable(_) | HubError::Closed => Exit::NowhereToAsk,
    };
    Failure::new(exit, error)
}
