//! `handraise watch`: sessions that run without hooks.

mod line;
mod status;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use handraise_agent_claude::transcript::workspace_of;
use handraise_agent_claude::watch::{self, BesideAnother, Ended, Settings, What};
use handraise_broker::{CLAUDE_CODE, DelivererId};
use handraise_client::Home;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::WatchArgs;
use crate::failure::{self, Exit, Failure};
use crate::{environment, home, output, runtime};

pub(crate) use status::describe;

pub(crate) fn run(home: &Home, args: &WatchArgs) -> Result<Exit, Failure> {
    let hub = home::hub_of_agent(home, CLAUDE_CODE)?;
    let config = config_directory(args.claude.as_deref())?;
    let workspace = args.agent.as_deref().map(workspace).transpose()?;
    let deliverer = hub.deliverer().clone();
    let settings = settings(home, config.clone(), workspace, deliverer, BesideAnother::End);
    let settings = Settings { once: args.once, ..settings };
    let (json, once) = (args.json, args.once);
    let watched = config.display().to_string();
    let tell = move |happening: watch::Happening| {
        if happening.what == What::Began && !json {
            if !once {
                failure::say(&format!("Watching the sessions of {watched}. Ctrl-C ends it."));
            }
            return;
        }
        let now = environment::time();
        // Whoever has seen enough may close the pipe.
        let _ = if json {
            output::print(&line::json(&happening, now).to_string())
        } else {
            output::show(&line::text(&happening, now))
        };
    };
    let runtime = runtime::parallel().map_err(|error| Failure::new(Exit::Internal, error))?;
    let ended = runtime.block_on(watch::watch(Arc::new(hub), settings, tell, stopped()));
    // What is being read this very moment is not waited for.
    runtime.shutdown_background();
    match ended {
        Ok(()) => {}
        Err(Ended::Watched(pid)) => {
            failure::say(&watched_already(home, &config, pid));
            return Ok(Exit::Answered);
        }
        Err(error @ Ended::Unwatchable(_)) => return Err(Failure::new(Exit::Internal, error)),
    }
    if !args.json {
        failure::say("What is open stays at the hub: the next watch takes it up.");
    }
    Ok(Exit::Answered)
}

/// What a watch is to know, be it a process of its own or a part of the hub.
pub(crate) fn settings(
    home: &Home,
    config: PathBuf,
    workspace: Option<PathBuf>,
    deliverer: DelivererId,
    beside_another: BesideAnother,
) -> Settings {
    Settings {
        config,
        home: home.directory().to_owned(),
        sockets: vec![environment::tmux_directory()],
        panopticon: environment::panopticon_agents(),
        workspace,
        host: environment::host(),
        deliverer,
        once: false,
        beside_another,
    }
}

/// That there is nothing left to do.
fn watched_already(home: &Home, config: &Path, pid: Option<u32>) -> String {
    let who = match pid {
        Some(pid) if home.hub().is_some_and(|hub| hub.pid == pid) => {
            format!("The hub (process {pid})")
        }
        Some(pid) => format!("Process {pid}"),
        None => "Another process".to_owned(),
    };
    format!(
        "{who} watches the sessions of {} already. Nothing is left to do here.",
        config.display()
    )
}

/// Claude Code's configuration directory.
pub(crate) fn config_directory(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let config = given.map(Path::to_owned).or_else(environment::claude_directory);
    let config = config.ok_or_else(|| {
        let error = anyhow::anyhow!("no home directory is known");
        Failure::new(Exit::BadInput, error).hint("name one with --claude DIR")
    })?;
    Ok(std::path::absolute(&config).unwrap_or(config))
}

/// The directory a Panopticon agent works in.
fn workspace(agent: &str) -> Result<PathBuf, Failure> {
    let agents = environment::panopticon_agents();
    let found = agents.as_deref().and_then(|agents| workspace_of(agents, agent));
    found.ok_or_else(|| {
        let agents = agents.unwrap_or_default();
        let error = anyhow::anyhow!("no agent {agent} with a workspace in {}", agents.display());
        Failure::new(Exit::BadInput, error)
    })
}

/// Waits for whatever ends it.
async fn stopped() {
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut signals: Vec<_> = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    std::future::poll_fn(|context| {
        let any = signals.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
        if any { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}
