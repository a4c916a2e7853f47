//! `handraise`: carries a coding agent's questions to a person and the person's answer back.
//!
//! The binary is the edge: here arguments, environment and clock are read and concrete types meet.

mod ask;
mod cli;
mod environment;
mod failure;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use cli::{Cli, Command};
use failure::{Exit, Failure};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Command::Ask(args) => ask::run(&args),
        Command::Completions { shell } => completions(shell),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report(),
    }
}

fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    // Into memory first: the generator panics when its output goes away.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "handraise", &mut script);
    ask::print(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Exit::Answered)
}
