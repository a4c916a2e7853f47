//! What Claude Code's hooks run.
//!
//! | event | what is done |
//! |---|---|
//! | `PreToolUse` | notes the call: only here its id is told before it is asked about |
//! | `PermissionRequest` | asks the hub, waits beside the dialog, prints the answer |
//! | `PostToolUse` | tells the hub what the dialog took |
//! | `PostToolBatch` | tells the hub what the model read |
//! | `Stop`, `SessionEnd`, `SessionStart`, `Notification` | settle what was left behind |
//!
//! A hook never stands in the way: whatever goes wrong, it ends silently, and the dialog works as
//! always. Claude Code is the judge of what counts; a process that ended proves nothing.

mod asking;
mod book;
mod input;
pub(crate) mod matter;
pub(crate) mod output;
pub(crate) mod process;
mod settling;
pub(crate) mod taken;

use std::path::Path;
use std::time::Duration;

use handraise_broker::{DelivererId, Hub};
use tokio::time::timeout;

pub(crate) use asking::{AGENT, cut};
pub use book::Book;
pub(crate) use book::hash;
pub use input::{Input, Name};
pub use matter::Switches;
pub(crate) use matter::{PLAN, QUESTION};
pub use output::{Output, Permission};
pub use process::Process;

/// How long it may take to settle what others left behind: Claude Code waits meanwhile.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a hook needs beside its input.
pub struct Surroundings<'a> {
    /// The hub.
    pub hub: &'a dyn Hub,
    /// The name under which this process delivers.
    pub deliverer: DelivererId,
    /// The calls that are under way.
    pub book: &'a Book,
    /// What to ask about.
    pub switches: Switches,
    /// The process of Claude Code.
    pub claude: Option<Process>,
    /// The directory of Claude Code's own files.
    pub config: Option<&'a Path>,
    /// Whether Claude Code has a dialog of its own: a program that runs it may have none.
    pub has_dialog: bool,
    /// The name of this machine.
    pub host: String,
}

/// Whether an event is about something that the hub is asked: then it is worth starting one.
#[must_use]
pub fn asks(input: &Input, switches: Switches, has_dialog: bool) -> bool {
    matches!(input.name, Name::PreToolUse | Name::PermissionRequest)
        && asking::is_wanted(input, switches, has_dialog)
}

/// Does what an event calls for; what Claude Code is to read goes to `output`.
///
/// # Errors
///
/// Why nothing came of it, for whoever looks into it later; Claude Code is not told.
pub async fn run(input: &Input, around: &Surroundings<'_>, output: Output) -> Result<(), String> {
    match input.name {
        Name::PreToolUse => {
            around.book.note(input, around.claude.as_ref());
            Ok(())
        }
        Name::PermissionRequest => asking::ask(input, around, output).await,
        Name::PostToolUse => taken::taken(input, around, output).await,
        Name::PostToolBatch => taken::read_by_the_model(input, around, output).await,
        Name::Stop => settling::turn_ended(input, around).await,
        Name::SessionEnd => settling::session_ended(input, around).await,
        Name::SessionStart | Name::Notification => {
            let settled = timeout(PATIENCE, settle_the_dead(around.hub, around.book)).await;
            settled.map(|_| ()).map_err(|_| "the hub is too slow".into())
        }
        Name::Other => Ok(()),
    }
}

pub(crate) use settling::own_first;
pub use settling::settle_the_dead;
