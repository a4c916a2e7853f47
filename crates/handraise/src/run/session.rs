//! The session a run belongs to: a new one, or one that somebody else has opened.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use handraise_agent_claude::hook::Process;
use handraise_agent_claude::run;
use handraise_broker::{NewSession, Progress, Session, Sessions};
use handraise_client::{Home, RemoteHub};

use super::Again;
use crate::cli::{Answers, RunArgs};
use crate::config;
use crate::environment;
use crate::failure::{Exit, Failure};
use crate::home::failure as hub_failure;

const AGENT: &str = "claude-code";

pub(super) async fn open(
    home: &Home,
    hub: &RemoteHub,
    args: &RunArgs,
    config: &config::Run,
) -> Result<(Arc<Session>, Again), Failure> {
    let this = Process::this().into();
    if let Some(id) = args.session {
        let again = Again::of(home, id).ok_or_else(|| {
            let error = anyhow::anyhow!("it is not known how the session was run");
            Failure::new(Exit::BadInput, error)
        })?;
        let progress = Progress { runner: Some(this), ..Progress::default() };
        let told = hub.progress(id, progress).await.map_err(hub_failure)?;
        return Ok((Arc::new(told.session.clone()), again));
    }
    let again = again(args, config)?;
    let new = NewSession {
        agent: agent(args, &again),
        directory: again.directory.display().to_string(),
        host: Some(environment::host()),
        title: args.title.clone(),
        runner: Some(this),
    };
    let session = hub.open_session(new, None).await.map_err(hub_failure)?;
    if args.defer_after.is_some() {
        // Somebody else may have to take it up, days later.
        let kept = again.keep(home, session.id);
        kept.map_err(|error| Failure::unwritable(home.directory(), error))?;
    }
    Ok((session, again))
}

/// What the agent is called: a program that is not Claude Code by its file's name.
fn agent(args: &RunArgs, again: &Again) -> String {
    let program = again.command.first().map(Path::new).and_then(Path::file_name);
    match (args.answers, program) {
        (Answers::ToolResult, Some(program)) => program.to_string_lossy().into_owned(),
        (Answers::ToolResult, None) | (Answers::Control, _) => AGENT.into(),
    }
}

fn again(args: &RunArgs, config: &config::Run) -> Result<Again, Failure> {
    let usual: Vec<OsString> = config.command.iter().map(Into::into).collect();
    let command = if args.command.is_empty() { &usual } else { &args.command };
    let (program, arguments) = command
        .split_first()
        .ok_or_else(|| Failure::new(Exit::BadInput, anyhow::anyhow!("nothing to run")))?;
    if args.answers == Answers::Control {
        run::check(arguments).map_err(|error| {
            Failure::new(Exit::BadInput, error)
                .hint("Claude Code is run without a terminal, and speaks with Handraise")
        })?;
    }
    let program = find(program)?.display().to_string();
    Ok(Again {
        directory: environment::directory().unwrap_or_else(|| "/".into()).into(),
        command: std::iter::once(program).chain(arguments.iter().map(text)).collect(),
        options: options(args),
        environment: Some(environment::all()),
    })
}

/// The options that must hold again when somebody else takes the session up.
fn options(args: &RunArgs) -> Vec<String> {
    let seconds = |name: &str, time: Option<std::time::Duration>| {
        time.map(|time| format!("--{name}={}s", time.as_secs()))
    };
    let named = |name: &str, value: Option<&clap::builder::PossibleValue>| {
        value.map(|value| format!("--{name}={}", value.get_name()))
    };
    let possible = (
        args.approvals.as_ref().and_then(clap::ValueEnum::to_possible_value),
        args.on_deadline.as_ref().and_then(clap::ValueEnum::to_possible_value),
        args.preset.as_ref().and_then(clap::ValueEnum::to_possible_value),
    );
    let all = [
        named("approvals", possible.0.as_ref()),
        named("on-deadline", possible.1.as_ref()),
        named("preset", possible.2.as_ref()),
        seconds("defer-after", args.defer_after),
        seconds("timeout", args.timeout),
    ];
    all.into_iter().flatten().collect()
}

/// Where the program is: found before a session is opened for it, and absolute, so that the session can
/// be taken up from elsewhere.
fn find(program: &OsStr) -> Result<PathBuf, Failure> {
    let found = if Path::new(program).components().count() > 1 {
        std::path::absolute(program).ok().filter(|path| path.exists())
    } else {
        environment::found_by_shell(program)
    };
    let wrong = |why: &str| {
        let error = anyhow::anyhow!("{} {why}", program.display());
        Failure::new(Exit::BadInput, error)
            .hint("install it, or name another program: handraise run -- PROGRAM")
    };
    let path = found.ok_or_else(|| wrong("was not found"))?;
    let executable = rustix::fs::access(&path, rustix::fs::Access::EXEC_OK);
    if !path.is_file() || executable.is_err() {
        return Err(wrong("is not an executable file"));
    }
    Ok(path)
}

fn text(argument: &OsString) -> String {
    argument.to_string_lossy().into_owned()
}
