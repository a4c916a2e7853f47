//! Asking at the hub, and at this terminal as well if there is one: the first answer counts.

use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{
    AskId, Asker, Away, Hub, HubError, Matter, NewAsk, Policy, Power, Receipt, Record,
    until_resolved,
};
use handraise_client::{Home, RemoteHub};
use handraise_question::{Ask, Surface};
use handraise_terminal::{Desk, Outcome, Remote};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{Ending, Replying, elsewhere_lines, reply_of};
use crate::cli::AskArgs;
use crate::failure::{self, Exit, Failure};
use crate::home::{data_option, failure as hub_failure, no_hub};
use crate::looking::short;
use crate::{environment, runtime};

/// How long a hub may take to be there again when it was there just now.
const A_RESTART: Duration = Duration::from_secs(10);
/// How long a word of courtesy is tried.
const A_MOMENT: Duration = Duration::from_secs(2);

pub(super) fn ask(
    home: &Home,
    ask: &Ask,
    args: &AskArgs,
    desk: Option<Desk>,
) -> Result<Exit, Failure> {
    if home.hub().is_none() {
        return Err(no_hub(home));
    }
    let runtime = runtime::background().map_err(|error| Failure::new(Exit::Internal, error))?;
    let hub = RemoteHub::new(home.clone(), Power::Agent, Surface::Api);
    let new = new_ask(ask, args);
    let (desk, asked) = match desk {
        None => {
            // It was there just now. Should it go away in the middle of this, nobody knows whether it
            // has the question: asked again when it is back, it is one question either way.
            let asking = hub.clone().patient(A_RESTART);
            (None, runtime.block_on(asking.ask(new)).map_err(hub_failure)?)
        }
        // A hub that hangs or refuses must not keep the question from whoever sits here.
        Some(desk) => match runtime.block_on(async { timeout(A_MOMENT, hub.ask(new)).await }) {
            Ok(Ok(asked)) => (Some(desk), asked),
            Ok(Err(error)) => return here_alone(desk, ask, args, &error.to_string()),
            Err(_) => return here_alone(desk, ask, args, "the hub does not answer"),
        },
    };
    let id = asked.record.id;
    if !asked.yours {
        let error = anyhow::anyhow!("another process waits for the answer to the same ask");
        return Err(Failure::new(Exit::Withdrawn, error).hint("use another --key"));
    }
    let waiting = Waiting { home, hub, runtime, id };
    let end = match desk {
        None => waiting.alone()?,
        Some(desk) => waiting.beside(desk, ask, args)?,
    };
    match end {
        End::Resolved(record) => {
            let ending = Ending::of(&record)?;
            let text = ending.print(ask, args.format)?;
            waiting.handed(text);
            Ok(Exit::from(&ending.resolution))
        }
        End::Interrupted => {
            waiting.withdraw("interrupted where it was asked");
            Ok(Exit::Interrupted)
        }
        End::Signalled(signal) => {
            waiting.withdraw("ended where it was asked");
            handraise_terminal::end_by(signal)
        }
    }
}

/// Without the hub: at this terminal, which is there.
fn here_alone(desk: Desk, ask: &Ask, args: &AskArgs, why: &str) -> Result<Exit, Failure> {
    failure::say(&format!("warning: asking at this terminal only: {why}"));
    super::at_terminal::ask_at(desk, ask, args)
}

fn new_ask(ask: &Ask, args: &AskArgs) -> NewAsk {
    NewAsk {
        asker: Asker {
            agent: args.agent.clone(),
            directory: environment::directory(),
            host: Some(environment::host()),
            title: args.title.clone(),
            ..Asker::default()
        },
        key: args.key.clone(),
        matter: Matter::Questions(ask.as_sent().to_owned()),
        policy: Policy {
            deadline_seconds: args.timeout.map(|wait| wait.as_secs()),
            ..Policy::default()
        },
        deliverer: None,
    }
}

enum End {
    Resolved(Arc<Record>),
    Interrupted,
    Signalled(i32),
}

/// An ask that waits at the hub.
struct Waiting<'a> {
    home: &'a Home,
    hub: RemoteHub,
    runtime: Runtime,
    id: AskId,
}

impl Waiting<'_> {
    /// Waits for an answer from elsewhere.
    fn alone(&self) -> Result<End, Failure> {
        failure::say(&format!(
            "Waiting for an answer. To give it: handraise answer{} {} …",
            data_option(self.home),
            short(self.id)
        ));
        self.runtime.block_on(async {
            let internal = |error| Failure::new(Exit::Internal, error);
            let mut terminate = signal(SignalKind::terminate()).map_err(internal)?;
            let mut hang_up = signal(SignalKind::hangup()).map_err(internal)?;
            tokio::select! {
                end = until_resolved(&self.hub, self.id, None, notice) => {
                    end.map(End::Resolved).map_err(hub_failure)
                }
                _ = tokio::signal::ctrl_c() => Ok(End::Interrupted),
                _ = terminate.recv() => Ok(End::Signalled(SignalKind::terminate().as_raw_value())),
                _ = hang_up.recv() => Ok(End::Signalled(SignalKind::hangup().as_raw_value())),
            }
        })
    }

    /// Asks at this terminal while it waits at the hub.
    fn beside(&self, mut desk: Desk, ask: &Ask, args: &AskArgs) -> Result<End, Failure> {
        let asking = desk.ask(ask.clone(), args.timeout);
        let elsewhere = self.watch(asking.remote());
        let replying = Replying::new(self.home, self.runtime.handle().clone(), self.id);
        let drafts = replying.keep_drafts();
        let asking = asking.on_draft(move |unsent| {
            // Nobody keeps drafts once the ask has ended.
            let _ = drafts.send(unsent.answers.clone());
        });
        let outcome = asking.outcome().map_err(super::terminal_failure)?;
        let reply = match outcome {
            Outcome::Interrupted => return Ok(End::Interrupted),
            Outcome::Signalled(signal) => return Ok(End::Signalled(signal)),
            Outcome::Closed(_) => None,
            Outcome::Resolved(resolution) => reply_of(resolution),
        };
        let record = if let Some(reply) = reply {
            let record = replying.send(reply)?;
            elsewhere.abort();
            record
        } else {
            // Closed, or silence: the hub has the last word.
            let end = self.runtime.block_on(elsewhere);
            end.map_err(|error| Failure::new(Exit::Internal, error))?.map_err(hub_failure)?
        };
        Ok(End::Resolved(record))
    }

    /// Closes the prompt when the answer comes from elsewhere.
    fn watch(&self, remote: Remote) -> JoinHandle<Result<Arc<Record>, HubError>> {
        let (hub, id) = (self.hub.clone(), self.id);
        self.runtime.spawn(async move {
            let end = until_resolved(&hub, id, None, |_| {}).await;
            remote.close(match &end {
                Ok(record) => elsewhere_lines(record),
                Err(error) => vec![format!("✘ The hub gave the question up: {error}")],
            });
            end
        })
    }

    /// Tells the hub that the asker has its answer.
    fn handed(&self, text: String) {
        let receipt = Receipt::handed(Some(text));
        let hub = self.hub.clone().patient(A_MOMENT);
        if let Err(error) = self.runtime.block_on(hub.receipt(self.id, receipt)) {
            failure::say(&format!(
                "warning: the hub does not know that the answer arrived: {error}"
            ));
        }
    }

    fn withdraw(&self, reason: &str) {
        let hub = self.hub.clone().patient(A_MOMENT);
        if let Err(error) = self.runtime.block_on(hub.withdraw(self.id, Some(reason.into()))) {
            failure::say(&format!("warning: the ask still waits at the hub: {error}"));
        }
    }
}

fn notice(away: Away) {
    failure::say(match away {
        Away::Gone => "The hub is away; waiting for it to come back. The question is kept.",
        Away::Back => "The hub is back.",
    });
}
