//! The hub's own watch of Claude Code's sessions.
//!
//! It works on a thread of its own, so that a large transcript holds up no request, and whatever goes wrong
//! there stays there.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use handraise_agent_claude::watch::{self, BesideAnother, Happening, What};
use handraise_broker::{Broker, CLAUDE_CODE, DelivererId, Hub, Presence, RealWorld, World};
use handraise_client::Home;
use handraise_wire::v1::{WatchJson, WatchStateJson};
use tokio::sync::{oneshot, watch as state};
use tokio_util::sync::CancellationToken;

use crate::config;
use crate::runtime;
use crate::watch::{config_directory, settings};

/// How long a watch that has failed is left alone.
const RETRY_DELAY: Duration = Duration::from_mins(1);

/// How the watch is, for whoever asks the hub.
type Status = Arc<state::Sender<WatchJson>>;

/// Watches until the hub stops.
pub(super) async fn keep(
    home: Home,
    broker: Broker,
    config: config::Watch,
    status: Status,
    stopping: CancellationToken,
) {
    while !stopping.is_cancelled() {
        let ended = attempt(&home, &broker, &config, &status, &stopping).await;
        let Err(reason) = ended else { break };
        tracing::error!(reason, "sessions are not watched");
        status.send_modify(|now| {
            *now = WatchJson {
                state: WatchStateJson::Failed,
                reason: Some(reason),
                directory: now.directory.take(),
                sessions: 0,
            };
        });
        tokio::select! {
            () = tokio::time::sleep(RETRY_DELAY) => {}
            () = stopping.cancelled() => {}
        }
    }
}

/// Watches until the hub stops, or until something goes wrong.
async fn attempt(
    home: &Home,
    broker: &Broker,
    config: &config::Watch,
    status: &Status,
    stopping: &CancellationToken,
) -> Result<(), String> {
    let directory =
        config_directory(config.claude.as_deref()).map_err(|error| error.to_string())?;
    let reason = if directory.is_dir() { "it begins" } else { "there is no such directory" };
    status.send_replace(waiting(&directory, reason));
    let (hub, deliverer, presence) = hub_of(broker);
    let settings = settings(home, directory, None, deliverer, BesideAnother::Wait);
    let (done, ended) = oneshot::channel();
    let (status, stopping) = (Arc::clone(status), stopping.clone());
    let work = move || {
        let told = Arc::clone(&status);
        let tell = move |happening: Happening| {
            log(&happening);
            told.send_modify(|now| note(now, &happening));
        };
        let watched = runtime::single().map_err(|error| error.to_string()).and_then(|runtime| {
            let watching = watch::watch(hub, settings, tell, stopping.cancelled_owned());
            let ended = runtime.block_on(watching).map_err(|error| error.to_string());
            // What is being read this very moment is not waited for.
            runtime.shutdown_background();
            ended
        });
        drop(presence);
        // The hub may have lost its patience.
        let _ = done.send(watched);
    };
    let thread = std::thread::Builder::new().name("watch".into()).spawn(work);
    thread.map_err(|error| error.to_string())?;
    ended.await.unwrap_or_else(|_| Err("it broke off: its log has more".to_owned()))
}

/// The hub as its watch sees it: from within, with an agent's power and no more, like the hooks. As long as
/// the presence lives, nobody else brings what it has asked.
fn hub_of(broker: &Broker) -> (Arc<dyn Hub>, DelivererId, Presence) {
    let deliverer = DelivererId::random(RealWorld.random());
    let presence = broker.arrive(CLAUDE_CODE, deliverer.clone());
    (Arc::new(broker.agent_seat(CLAUDE_CODE)), deliverer, presence)
}

fn waiting(directory: &std::path::Path, reason: impl Into<String>) -> WatchJson {
    WatchJson {
        state: WatchStateJson::Waiting,
        directory: Some(directory.display().to_string()),
        sessions: 0,
        reason: Some(reason.into()),
    }
}

/// Keeps count of what happens.
fn note(now: &mut WatchJson, happening: &Happening) {
    match happening.what {
        What::Deferred => {
            let other = happening.pid.map(|pid| format!(": process {pid}")).unwrap_or_default();
            now.reason = Some(format!("another watch is at work there{other}"));
        }
        What::Began => {
            now.state = WatchStateJson::Watching;
            now.reason = None;
        }
        What::Found => now.sessions += 1,
        What::Gone => now.sessions = now.sessions.saturating_sub(1),
        What::Asked
        | What::NotNoted
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
}

/// Says what happens, without what was asked: a log is read by others.
fn log(happening: &Happening) {
    let Happening { what, session, pid, directory: _, ask, question: _, why } = happening;
    let (event, ask) = (what.name(), ask.map(|ask| ask.to_string()));
    match what {
        What::Stopped | What::NotAsked | What::NotNoted | What::Alarm | What::Deferred => {
            tracing::warn!(event, session, pid, ask, why = ?why, "watch");
        }
        What::Began
        | What::Found
        | What::Gone
        | What::Asked
        | What::LeftAlone
        | What::Answered
        | What::Typed
        | What::Delivered
        | What::Settled
        | What::Withdrawn
        | What::HubAway
        | What::HubBack => tracing::info!(event, session, pid, ask, why = ?why, "watch"),
    }
}

/// Which directory is watched.
pub(super) fn directory(config: &config::Watch) -> Option<PathBuf> {
    config_directory(config.claude.as_deref()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_follows_what_happens() {
        let happening = |what, pid| Happening { what, pid, ..Happening::default() };
        let mut now = waiting(std::path::Path::new("/c"), "it begins");
        note(&mut now, &happening(What::Deferred, Some(7)));
        assert_eq!(now.reason.as_deref(), Some("another watch is at work there: process 7"));
        assert_eq!(now.state, WatchStateJson::Waiting);
        note(&mut now, &happening(What::Began, None));
        for what in [What::Found, What::Found, What::Gone, What::Asked] {
            note(&mut now, &happening(what, Some(1)));
        }
        let directory = Some("/c".to_owned());
        let state = WatchStateJson::Watching;
        assert_eq!(now, WatchJson { state, directory, sessions: 1, reason: None });
    }
}
