//! `handraise hook claude`: what Claude Code's hooks run.
//!
//! It runs at every turn of every session, so it does no more than it must: without a hub it ends at
//! once, and a call is noted without one. Nothing that goes wrong here is Claude Code's trouble.

mod event;

use std::io;

use handraise_agent_claude::hook::{self, Book, Input, Name, Process, Surroundings, Switches};
use handraise_broker::CLAUDE_CODE;
use handraise_client::{Home, RemoteHub};

use crate::config::Config;
use crate::failure::Exit;
use crate::{autostart, environment, runtime};

/// Set by whoever brings the answers to Claude Code in another way: one deliverer for each ask.
const OWNER: &str = "HANDRAISE_OWNER";

pub(crate) fn claude(home: Option<Home>) -> Exit {
    if let Some(home) = home
        && !environment::is_set(OWNER)
    {
        let book = Book::new(home.directory());
        if let Err(trouble) = run(&home, &book) {
            book.keep_trouble(&format!("{:.0}: {trouble}\n", environment::time()));
        }
    }
    // Any other code means something to Claude Code.
    Exit::Answered
}

fn run(home: &Home, book: &Book) -> Result<(), String> {
    let running = home.hub().is_some();
    // Without a hub, most are done here: nothing else is read, and Claude Code does not wait.
    if !running && !Config::read(home).is_ok_and(|config| config.hub.autostart) {
        return Ok(());
    }
    let event =
        event::read(io::stdin()).map_err(|error| format!("the event cannot be read: {error}"))?;
    let input =
        Input::read(&event).map_err(|error| format!("the event makes no sense: {error}"))?;
    let claude = environment::claude_process().map(Process::with);
    let has_dialog = !environment::is_run_by_a_program();
    let wanted = !running && hook::asks(&input, switches(home), has_dialog);
    if input.name == Name::PreToolUse {
        book.note(&input, claude.as_ref());
        // It comes up while Claude Code draws its dialog.
        if wanted {
            autostart::begin(home, &autostart::program()?)?;
        }
        return Ok(());
    }
    if wanted {
        autostart::start(home, &autostart::program()?)?;
    } else if !running {
        return Ok(());
    }
    let hub = RemoteHub::agent(home.clone(), CLAUDE_CODE);
    let config = environment::claude_directory();
    let around = Surroundings {
        deliverer: hub.deliverer().clone(),
        hub: &hub,
        book,
        switches: switches(home),
        claude,
        config: config.as_deref(),
        has_dialog,
        host: environment::host(),
    };
    let runtime = runtime::single().map_err(|error| error.to_string())?;
    runtime.block_on(hook::run(&input, &around, Box::new(io::stdout())))
}

/// What the configuration says; one that makes no sense is for `handraise serve` to complain about.
fn switches(home: &Home) -> Switches {
    Config::read(home).map(|config| config.claude.into()).unwrap_or_default()
}
