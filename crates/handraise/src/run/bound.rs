//! A program that ends when the process that started it does, however that ends.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::cli::BoundArgs;
use crate::failure::{Exit, Failure};

/// Becomes the program. Without this, a Claude Code whose runner was killed would go on by itself, and
/// nobody could stop it.
pub(crate) fn run(args: &BoundArgs) -> Result<Exit, Failure> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};

        let bound = set_parent_process_death_signal(Some(Signal::TERM));
        bound.map_err(|error| Failure::new(Exit::Internal, error))?;
        // It may have been killed before that.
        if getppid().map(Pid::as_raw_nonzero).map(i32::from) != Some(args.parent) {
            return Ok(Exit::Interrupted);
        }
    }
    let Some((program, arguments)) = args.command.split_first() else {
        return Err(Failure::new(Exit::BadInput, anyhow::anyhow!("nothing to run")));
    };
    let error = Command::new(program).args(arguments).exec();
    let problem = format!("{} cannot be run", program.display());
    Err(Failure::new(Exit::Internal, anyhow::Error::new(error).context(problem)))
}

/// What stands before a program that is to be bound to this process.
pub(super) fn prefix(this_program: OsString) -> Vec<OsString> {
    vec![this_program, "bound".into(), std::process::id().to_string().into(), "--".into()]
}
