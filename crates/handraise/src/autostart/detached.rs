//! A program that has nothing to do with the process that started it.

use std::fs;
use std::process::{Command, Stdio};

use rustix::process::setsid;

use crate::cli::DetachedArgs;
use crate::failure::{Exit, Failure};
use crate::output;

/// Starts the program in a session of its own and ends at once, so that nobody is its parent: an agent
/// that ends, with all its children, does not take it along, and is not found above it either.
pub(crate) fn run(args: &DetachedArgs) -> Result<Exit, Failure> {
    let Some((program, arguments)) = args.command.split_first() else {
        return Err(Failure::new(Exit::BadInput, anyhow::anyhow!("nothing to run")));
    };
    // Whoever leads a group already has nobody to leave.
    let _ = setsid();
    close_what_was_left_open();
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
    match command.spawn() {
        // By this, whoever waits for it can tell that it has given up.
        Ok(started) => {
            output::print(&started.id().to_string())?;
            Ok(Exit::Answered)
        }
        Err(error) => {
            let problem = format!("{} cannot be run", program.display());
            Err(Failure::new(Exit::Internal, anyhow::Error::new(error).context(problem)))
        }
    }
}

/// Closes every file that was open when this process began. Nothing here has opened one yet; whoever
/// waits for the other end of a pipe would wait for as long as the hub runs.
fn close_what_was_left_open() {
    let open = fs::read_dir("/dev/fd").into_iter().flatten().flatten();
    let open: Vec<i32> =
        open.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        // The one that listed them is closed already.
        let _ = nix::unistd::close(descriptor);
    }
}
