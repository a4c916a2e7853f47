//! `handraise run`: Claude Code without a terminal of its own, under the hub.

mod again;
mod bound;
mod session;

use std::future::pending;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use handraise_agent_claude::run::{self, End, Settings};
use handraise_agent_claude::stream::Program;
use handraise_broker::{
    DelivererId, HubError, OnDeadline, OnDisconnect, Policy, Power, RUN, Session, Sessions,
};
use handraise_client::{Home, RemoteHub};
use handraise_question::Surface;
use handraise_terminal::Desk;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::ask::manner;
use crate::chat::{self, Departure};
use crate::cli::{Answers, Approvals, Preset, RunArgs};
use crate::config::Config;
use crate::failure::{self, Exit, Failure};
use crate::home::{data_option, failure as hub_failure};
use crate::looking::short;
use crate::{autostart, environment, inside_agent, runtime};
pub(crate) use again::Again;
pub(crate) use bound::run as bound;

/// A hub that is away is waited for: what was asked is there when it is back.
const AS_LONG_AS_IT_TAKES: Duration = Duration::from_hours(24 * 366);

pub(crate) fn run(home: &Home, args: &RunArgs) -> Result<Exit, Failure> {
    autostart::ensure(home)?;
    if args.message.is_some() {
        inside_agent::refuse("run --message", home)?;
    }
    let config = Config::read(home)?;
    check_answers(args)?;
    let internal = |error| Failure::new(Exit::Internal, error);
    let runtime = runtime::parallel().map_err(internal)?;
    let hub = RemoteHub::agent(home.clone(), RUN);
    let (session, again) = runtime.block_on(session::open(home, &hub, args, &config.run))?;
    if let Some(text) = &args.message {
        // A script's words are not proven to come from a terminal.
        let is_typed = std::io::stdin().is_terminal();
        let surface = if is_typed { Surface::Terminal } else { Surface::Api };
        let person = RemoteHub::new(home.clone(), Power::Person, surface);
        let said = person.say(session.id, text.clone(), None);
        runtime.block_on(said).map_err(hub_failure)?;
    }
    if args.approvals.or(config.run.approvals).is_none() && args.preset == Some(Preset::Gobby) {
        failure::say(
            "--preset gobby allows every tool and plan without asking you; only questions are asked. \
             To be asked: --approvals ask.",
        );
    }
    let settings = settings(&session, again, args, &config, hub.deliverer().clone())?;
    let hub = Arc::new(hub.patient(AS_LONG_AS_IT_TAKES));
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let running =
        runtime.spawn(async move { run::run(hub, settings, stopped.cancelled_owned()).await });
    let ended = match desk(args) {
        Some(desk) => {
            failure::say(
                "Leaving ends the session. To come and go: --detached, and then handraise chat.",
            );
            let departure = chat::attend(home, session.id, desk, runtime.handle());
            // Whoever leaves takes the session along; one that was put off waits for its answer.
            stop.cancel();
            let ended = runtime.block_on(running);
            if let Departure::Signalled(signal) = departure? {
                if matches!(ended, Ok(Ok(End::Ended))) {
                    // It may hold keys.
                    Again::forget(home, session.id);
                }
                handraise_terminal::end_by(signal);
            }
            ended
        }
        None => runtime.block_on(detached(home, &session, args, running, &stop)),
    };
    let ended = ended.map_err(|error| internal(std::io::Error::other(error)))?;
    match ended.map_err(hub_failure)? {
        End::Ended => Again::forget(home, session.id),
        End::Deferred => {
            let data = data_option(home);
            failure::say(&format!(
                "Its question waits at the hub: the session goes on when it is answered (handraise list{data})."
            ));
        }
        End::Failed(why) => {
            Again::forget(home, session.id);
            return Err(Failure::new(Exit::Internal, anyhow::anyhow!(why)).hint(
                "the program must speak stream-JSON, as Claude Code does: try it by itself first",
            ));
        }
    }
    Ok(Exit::Answered)
}

/// The terminal to chat at, if there is one and a person before it.
fn desk(args: &RunArgs) -> Option<Desk> {
    let wanted = !args.detached && inside_agent::sign().is_none();
    if wanted { Desk::open(manner(args.plain, args.theme)).ok() } else { None }
}

/// What is run, until it has ended.
type Running = JoinHandle<Result<End, HubError>>;

/// Runs it without a terminal, until a person ends it at the hub or a signal comes.
async fn detached(
    home: &Home,
    session: &Session,
    args: &RunArgs,
    mut running: Running,
    stop: &CancellationToken,
) -> Result<Result<End, HubError>, JoinError> {
    if args.session.is_none() {
        let (data, id) = (data_option(home), short(session.id));
        failure::say(&format!(
            "Session {id} runs. Talk to it in the dashboard (handraise link{data}), or with \
             handraise chat{data} {id}. Ctrl-C ends it."
        ));
    }
    let mut terminate = signal(SignalKind::terminate()).ok();
    let mut hang_up = signal(SignalKind::hangup()).ok();
    tokio::select! {
        ended = &mut running => return ended,
        _ = tokio::signal::ctrl_c() => {}
        () = received(&mut terminate) => {}
        () = received(&mut hang_up) => {}
    }
    stop.cancel();
    running.await
}

async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => pending().await,
    }
}

fn settings(
    session: &Session,
    again: Again,
    args: &RunArgs,
    config: &Config,
    deliverer: DelivererId,
) -> Result<Settings, Failure> {
    let (program, arguments) = again
        .command
        .split_first()
        .ok_or_else(|| Failure::new(Exit::BadInput, anyhow::anyhow!("nothing to run")))?;
    let this = environment::this_program().map_err(|error| Failure::new(Exit::Internal, error))?;
    let program = Program {
        program: program.into(),
        arguments: arguments.iter().map(Into::into).collect(),
        directory: again.directory,
        launcher: bound::prefix(this.into()),
        ..Program::default()
    };
    let approvals = match approvals(args, config) {
        Approvals::Ask => run::Approvals::Ask,
        Approvals::All => run::Approvals::All,
    };
    Ok(Settings {
        session: session.id,
        program,
        answers: match args.answers {
            Answers::Control => run::Answers::Control,
            Answers::ToolResult => run::Answers::ToolResult { agent: session.agent.clone() },
        },
        approvals,
        policy: policy(args),
        unanswered: unanswered(args.preset),
        starts_at_once: args.session.is_none(),
        defer_after: args.defer_after,
        host: environment::host(),
        deliverer,
    })
}

/// A `tool_result` can neither put a question off nor end the turn.
fn check_answers(args: &RunArgs) -> Result<(), Failure> {
    let unfit = if args.answers == Answers::Control {
        None
    } else if args.defer_after.is_some() {
        Some("--defer-after")
    } else if policy(args).on_deadline == OnDeadline::Interrupt {
        Some("to end the turn at a deadline")
    } else {
        None
    };
    let Some(unfit) = unfit else { return Ok(()) };
    let error = anyhow::anyhow!("{unfit} is not possible with --answers tool_result");
    Err(Failure::new(Exit::BadInput, error).hint("leave it out, or add --on-deadline tell"))
}

/// The command line outranks the configuration, and both outrank a preset.
fn approvals(args: &RunArgs, config: &Config) -> Approvals {
    let preset = match args.preset {
        // Gobby's page shows questions only; its document approves every other tool.
        Some(Preset::Gobby) => Approvals::All,
        Some(Preset::PrimeAgent) | None => Approvals::Ask,
    };
    args.approvals.or(config.run.approvals).unwrap_or(preset)
}

fn policy(args: &RunArgs) -> Policy {
    let preset = match args.preset {
        None => Policy::default(),
        Some(Preset::Gobby) => Policy {
            deadline_seconds: Some(300),
            on_disconnect: OnDisconnect::Decline,
            pause_while_typing: false,
            ..Policy::default()
        },
        Some(Preset::PrimeAgent) => Policy {
            deadline_seconds: Some(55),
            on_deadline: OnDeadline::Interrupt,
            pause_while_typing: false,
            ..Policy::default()
        },
    };
    let on_deadline = match args.on_deadline {
        None => preset.on_deadline,
        Some(crate::cli::OnDeadline::Tell) => OnDeadline::Tell,
        Some(crate::cli::OnDeadline::Interrupt) => OnDeadline::Interrupt,
    };
    let deadline_seconds = args.timeout.map(|wait| wait.as_secs()).or(preset.deadline_seconds);
    Policy { deadline_seconds, on_deadline, ..preset }
}

/// A preset keeps its document's own text.
fn unanswered(preset: Option<Preset>) -> Option<String> {
    match preset {
        Some(Preset::PrimeAgent) => Some("User response timeout".into()),
        Some(Preset::Gobby) | None => None,
    }
}
