//! Sessions that run without our hooks: their questions, brought to the hub and back.
//!
//! `files` hears from the kernel what changes among Claude Code's own files. `sessions` knows who
//! runs, `following` reads on what a session wrote down, `watching` is the one loop over all of them.
//! Each question has a task of its own (`attending`): it gives our hook a moment, asks the hub, waits,
//! types the answer into the session's pane (`bringing`), and tells the hub what was taken (`settling`). Whoever
//! answered, an answer that no person can have given is an alarm.
//!
//! What a session wrote down is the judge: that keys were pressed proves nothing.

mod asking;
mod attending;
mod bringing;
mod files;
mod following;
mod hands;
mod happening;
mod insisting;
mod lock;
mod notes;
mod outside;
mod panopticon;
mod sessions;
mod settling;
mod watching;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{DelivererId, Hub};
use tokio::time::timeout;

use crate::hook::Book;

pub use files::Unwatchable;
pub use happening::{Happening, What};

/// What to watch, and how.
#[derive(Debug)]
pub struct Settings {
    /// Claude Code's configuration directory.
    pub config: PathBuf,
    /// The hub's home: what is remembered from one watch to the next is kept there.
    pub home: PathBuf,
    /// The directories in which tmux keeps its sockets.
    pub sockets: Vec<PathBuf>,
    /// Where Panopticon keeps what it knows of its agents.
    pub panopticon: Option<PathBuf>,
    /// Only sessions that work here or below.
    pub workspace: Option<PathBuf>,
    /// The name of this machine.
    pub host: String,
    /// The name under which this process delivers.
    pub deliverer: DelivererId,
    /// Whether one look is enough.
    pub once: bool,
    /// What to do where another watch is at work already.
    pub beside_another: BesideAnother,
}

/// What a watch does where another one is at work already, be it for the same hub or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BesideAnother {
    /// It ends.
    End,
    /// It waits until the other has ended.
    Wait,
}

/// Why a watch ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum Ended {
    /// Nothing can be watched.
    #[error(transparent)]
    Unwatchable(#[from] Unwatchable),
    /// Another watch is at work: its process, where the system says so.
    #[error("these sessions are watched already{}", .0.map(|pid| format!(" (process {pid})")).unwrap_or_default())]
    Watched(Option<u32>),
}

/// Watches until `stop` comes, or after one look if that is enough. `tell` is told what happens.
///
/// # Errors
///
/// When the kernel does not say what changes, or another watch is at work and that is an end.
pub async fn watch(
    hub: Arc<dyn Hub>,
    settings: Settings,
    tell: impl Fn(Happening) + Send + Sync + 'static,
    stop: impl Future<Output = ()>,
) -> Result<(), Ended> {
    tokio::pin!(stop);
    let lock = tokio::select! {
        lock = lock(&settings, &tell) => lock?,
        () = &mut stop => return Ok(()),
    };
    let directory = Some(settings.config.clone());
    let (mut watching, files) = watching::Watching::begin(hub, settings, Box::new(tell))?;
    watching.tell(Happening { what: What::Began, directory, ..Happening::default() });
    let hands = watching.hands();
    let stopped = async {
        stop.await;
        // A dialog is not left half filled in, unless it takes too long.
        let _ = timeout(LAST_KEYS, hands.at_rest()).await;
    };
    let ended = tokio::select! {
        ended = watching.go_on(files) => ended,
        () = stopped => Ok(()),
    };
    // Whoever types for us has ended when another watch begins.
    drop(watching);
    drop(lock);
    Ok(ended?)
}

/// Makes sure that no other watch types into the same dialogs.
async fn lock(settings: &Settings, tell: &impl Fn(Happening)) -> Result<lock::Lock, Ended> {
    let (config, workspace) = (&settings.config, settings.workspace.as_deref());
    if !settings.once {
        // What is not there cannot be locked, and nobody runs there.
        files::until_there(config).await?;
    }
    let pid = match lock::Lock::try_take(config, workspace) {
        lock::Taken::Ours(lock) => return Ok(lock),
        lock::Taken::Anothers(pid) => pid,
    };
    match settings.beside_another {
        BesideAnother::End => Err(Ended::Watched(pid)),
        BesideAnother::Wait => {
            let directory = Some(config.clone());
            tell(Happening { what: What::Deferred, pid, directory, ..Happening::default() });
            let taken = lock::Lock::take(config, workspace).await;
            Ok(taken.map_err(|error| Unwatchable::Other(error.to_string()))?)
        }
    }
}

/// How long an answer that is being typed is waited for in the end.
const LAST_KEYS: Duration = Duration::from_secs(20);

/// What all tasks share.
struct Shared {
    hub: insisting::Insisting,
    settings: Settings,
    book: Book,
    notes: notes::Notes,
    tell: Arc<dyn Fn(Happening) + Send + Sync>,
    hands: Arc<hands::Hands>,
}
