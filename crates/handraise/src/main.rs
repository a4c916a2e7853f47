//! `handraise`: carries a coding agent's questions to a person and the person's answer back.
//!
//! The binary is the edge: here arguments, environment and clock are read and concrete types meet.

mod answer;
mod approval;
mod ask;
mod audit;
mod autostart;
mod backup;
mod chat;
mod check;
mod cli;
mod config;
mod connect;
mod demo;
mod devices;
mod doctor;
mod duration;
mod environment;
mod export;
mod failure;
mod following;
mod half_done;
mod home;
mod hook;
mod inbox;
mod inside_agent;
mod interview;
mod looking;
mod markdown;
mod mcp;
mod output;
mod own_files;
mod reach;
mod restore;
mod room;
mod run;
mod runtime;
mod serve;
mod service;
mod source;
mod table;
mod true_name;
mod typed;
mod watch;
mod who;
mod whole_file;

use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use cli::{AuditCommand, Cli, Command, DeviceCommand, Hooked};
use failure::{Exit, Failure};

/// The system's allocator keeps what a burst of asks took, also when it is free again; this one gives it
/// back.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let Cli { data, command } = Cli::parse();
    match run(data.as_deref(), command) {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report(),
    }
}

fn run(data: Option<&Path>, command: Command) -> Result<Exit, Failure> {
    let home = || home::home(data);
    match command {
        Command::Demo(args) => demo::run(&args, data),
        Command::Ask(args) => ask::run(&args, home),
        Command::Serve(args) => serve::run(&home()?, &args),
        Command::Service(command) => service::run(&home()?, &command),
        Command::Chat(args) => chat::run(&home()?, &args),
        Command::Inbox(args) => inbox::run(&home()?, &args),
        Command::List(args) => looking::list(&home()?, args),
        Command::Answer(args) => answer::answer(&home()?, &args),
        Command::Decline(args) => answer::decline(&home()?, &args),
        Command::Discuss(args) => answer::discuss(&home()?, &args),
        Command::Extend(args) => answer::extend(&home()?, &args),
        Command::History(args) => looking::history(&home()?, &args),
        Command::Export(args) => export::run(&home()?, &args),
        Command::Check(args) => check::run(&args),
        Command::Status(args) => looking::status(&home()?, args),
        Command::Link(args) => devices::link(&home()?, args),
        Command::Device(DeviceCommand::List(args)) => devices::list(&home()?, args),
        Command::Device(DeviceCommand::Add(args)) => devices::add(&home()?, &args),
        Command::Device(DeviceCommand::Revoke { id, json }) => devices::revoke(&home()?, &id, json),
        Command::Audit(AuditCommand::Verify(args)) => audit::verify(&home()?, &args),
        Command::Backup(args) => backup::run(&home()?, &args),
        Command::Restore(args) => restore::run(&home()?, &args),
        Command::Connect(args) => connect::run(&home()?, &args),
        Command::Hook { agent: Hooked::Claude } => Ok(hook::claude(home().ok())),
        Command::Doctor(args) => doctor::run(&home()?, &args),
        Command::Interview(args) => interview::run(&home()?, &args),
        Command::Bound(args) => run::bound(&args),
        Command::Detached(args) => autostart::detached(&args),
        Command::Run(args) => run::run(&home()?, &args),
        Command::Watch(args) => watch::run(&home()?, &args),
        Command::Mcp(args) => mcp::run(&home()?, &args),
        Command::Completions { shell } => completions(shell),
    }
}

fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    // Into memory first: the generator panics when its output goes away.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "handraise", &mut script);
    output::print(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Exit::Answered)
}
