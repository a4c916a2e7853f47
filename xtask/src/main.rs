//! Chores of this repository, in Rust so that a clone needs nothing but cargo.

mod agents;
mod bench;
mod ci;
mod clients;
mod desktop;
mod dev;
mod inbox;
mod mcp_clients;
mod npm;
mod python;
mod schemathesis;
mod screenshots;
mod svg;
mod test;
mod tools;
mod torture;
mod upgrade;
mod web;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Chores of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run every test, installing what they need
    Test,
    /// Lints, documentation, generated files, then every test
    Ci,
    /// Measure against the named baseline
    Bench {
        #[command(subcommand)]
        what: Bench,
    },
    /// Kill a hub again and again while many ask and answer, and see whether it all adds up; then read
    /// broken transcripts
    Torture(torture::TortureArgs),
    /// Build an older revision, and see its hooks and its database go on with today's hub
    Upgrade {
        /// Which one [default: the last release]
        revision: Option<String>,
    },
    /// Draw the pictures in the documentation anew, and every page and state of the dashboard
    Screenshots,
    /// A hub of your own and the dashboard, which follows every change of its sources
    Dev,
}

#[derive(Subcommand)]
enum Bench {
    /// Time to the first picture of the prompt, against Node's @inquirer/prompts
    Prompt,
    /// Start to end of the process that Claude Code's hooks run, against a Node process that does nothing
    Hook,
    /// Throughput, round trip and memory of the hub, against SQLite itself and a Python server
    Hub {
        /// Only these parts; all of them when none is named
        parts: Vec<bench::Part>,
    },
    /// A long transcript searched for questions, against the Panopticon document's scanner and ripgrep
    Scan,
    /// Size of the dashboard, ask to painted card, and 1,000 asks, against a bare page
    Web,
}

fn main() -> ExitCode {
    let done: Result<()> = match Cli::parse().task {
        Task::Test => test::run(),
        Task::Ci => ci::run(),
        Task::Bench { what: Bench::Prompt } => bench::prompt(),
        Task::Bench { what: Bench::Hook } => bench::hook(),
        Task::Bench { what: Bench::Hub { parts } } => bench::hub(&parts),
        Task::Bench { what: Bench::Scan } => bench::scan(),
        Task::Bench { what: Bench::Web } => bench::web(),
        Task::Torture(args) => torture::torture(&args),
        Task::Upgrade { revision } => upgrade::run(revision.as_deref()),
        Task::Screenshots => screenshots::draw(),
        Task::Dev => dev::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
