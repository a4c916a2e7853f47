//! Asking at the hub, and at this terminal as well if there is one: the first answer counts.

use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{AskId, Away, CLI, Hub, HubError, NewAsk, Receipt, Record, until_resolved};
use handraise_client::{Home, RemoteHub};
use handraise_question::Ask;
use handraise_terminal::{Desk, Outcome, Remote};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{Ending, Put, Replying, at_terminal, elsewhere_lines, reply_of};
use crate::failure::{self, Exit, Failure};
use crate::home::{agent_name, data_option, failure as hub_failure};
use crate::looking::short;
use crate::{autostart, runtime};

/// How long a hub may take to be there again when it was there just now.
const A_RESTART: Duration = Duration::from_secs(10);
/// How long a word of courtesy is tried.
const A_MOMENT: Duration = Duration::from_secs(2);

/// The hub, as a place to ask at.
pub(crate) struct AtHub {
    home: Home,
    hub: RemoteHub,
    runtime: Runtime,
}

impl AtHub {
    /// The running hub of a home; one that is to be started when it is needed is started.
    pub(crate) fn open(home: &Home) -> Result<Self, Failure> {
        autostart::ensure(home)?;
        let runtime = runtime::background().map_err(|error| Failure::new(Exit::Internal, error))?;
        let hub = RemoteHub::agent(home.clone(), agent_name(None, CLI)?);
        Ok(Self { home: home.clone(), hub, runtime })
    }

    /// Asks, and waits for the end: at the hub, and at the desk while it waits there.
    ///
    /// An ask that is interrupted here stays at the hub until [`AtHub::withdraw`].
    pub(crate) fn put(
        &self,
        ask: &Ask,
        new: NewAsk,
        desk: Option<&mut Desk>,
        wait: Option<Duration>,
    ) -> Result<Put, Failure> {
        let (desk, asked) = match desk {
            None => {
                // It was there just now. Should it go away in the middle of this, nobody knows whether
                // it has the question: asked again when it is back, it is one question either way.
                let asking = self.hub.clone().patient(A_RESTART);
                (None, self.runtime.block_on(asking.ask(new)).map_err(hub_failure)?)
            }
            // A hub that hangs or refuses must not keep the question from whoever sits here.
            Some(desk) => {
                let asking = async { timeout(A_MOMENT, self.hub.ask(new)).await };
                match self.runtime.block_on(asking) {
                    Ok(Ok(asked)) => (Some(desk), asked),
                    Ok(Err(error)) => return here_alone(desk, ask, wait, &error.to_string()),
                    Err(_) => return here_alone(desk, ask, wait, "the hub does not answer"),
                }
            }
        };
        if !asked.yours {
            let error = anyhow::anyhow!("another process waits for the answer to the same ask");
            return Err(Failure::new(Exit::Withdrawn, error).hint("use another --key"));
        }
        let id = asked.record.id;
        match desk {
            // Asked before, and ended meanwhile.
            Some(_) if asked.record.resolved().is_some() => ended(asked.record),
            None => self.alone(id),
            Some(desk) => self.beside(desk, ask, wait, id),
        }
    }

    /// Waits for an answer from elsewhere.
    fn alone(&self, id: AskId) -> Result<Put, Failure> {
        failure::say(&format!(
            "Waiting for an answer. To give it: handraise answer{} {} …",
            data_option(&self.home),
            short(id)
        ));
        self.runtime.block_on(async {
            let internal = |error| Failure::new(Exit::Internal, error);
            let mut terminate = signal(SignalKind::terminate()).map_err(internal)?;
            let mut hang_up = signal(SignalKind::hangup()).map_err(internal)?;
            let signalled =
                |kind: SignalKind| Ok(Put::Signalled { signal: kind.as_raw_value(), id: Some(id) });
            tokio::select! {
                end = until_resolved(&self.hub, id, None, notice) => match end {
                    Ok(record) => ended(record),
                    Err(error) => Err(hub_failure(error)),
                },
                _ = tokio::signal::ctrl_c() => Ok(Put::Interrupted { id: Some(id) }),
                _ = terminate.recv() => signalled(SignalKind::terminate()),
                _ = hang_up.recv() => signalled(SignalKind::hangup()),
            }
        })
    }

    /// Asks at this terminal while it waits at the hub.
    fn beside(
        &self,
        desk: &mut Desk,
        ask: &Ask,
        wait: Option<Duration>,
        id: AskId,
    ) -> Result<Put, Failure> {
        let asking = desk.ask(ask.clone(), wait);
        let elsewhere = self.watch(id, asking.remote());
        let replying = Replying::new(&self.home, self.runtime.handle().clone(), id);
        let drafts = replying.keep_drafts();
        let asking = asking.on_draft(move |unsent| {
            // Nobody keeps drafts once the ask has ended.
            let _ = drafts.send(unsent.answers.clone());
        });
        let outcome = asking.outcome().map_err(super::terminal_failure)?;
        let reply = match outcome {
            Outcome::Interrupted => return Ok(Put::Interrupted { id: Some(id) }),
            Outcome::Signalled(signal) => return Ok(Put::Signalled { signal, id: Some(id) }),
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
        ended(record)
    }

    /// Closes the prompt when the answer comes from elsewhere.
    fn watch(&self, id: AskId, remote: Remote) -> JoinHandle<Result<Arc<Record>, HubError>> {
        let hub = self.hub.clone();
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
    pub(crate) fn handed(&self, id: AskId, text: String) {
        let receipt = Receipt::handed(Some(text));
        let hub = self.hub.clone().patient(A_MOMENT);
        if let Err(error) = self.runtime.block_on(hub.receipt(id, receipt)) {
            failure::say(&format!(
                "warning: the hub does not know that the answer arrived: {error}"
            ));
        }
    }

    /// Takes an ask back.
    pub(crate) fn withdraw(&self, id: AskId, reason: &str) {
        let hub = self.hub.clone().patient(A_MOMENT);
        if let Err(error) = self.runtime.block_on(hub.withdraw(id, Some(reason.into()))) {
            failure::say(&format!("warning: the ask still waits at the hub: {error}"));
        }
    }
}

/// Without the hub: at this terminal, which is there.
fn here_alone(
    desk: &mut Desk,
    ask: &Ask,
    wait: Option<Duration>,
    why: &str,
) -> Result<Put, Failure> {
    failure::say(&format!("warning: asking at this terminal only: {why}"));
    at_terminal::put(desk, ask, wait)
}

fn ended(record: Arc<Record>) -> Result<Put, Failure> {
    let record = record.for_waiting_program();
    Ok(Put::Ended { ending: Ending::of(&record)?, id: Some(record.id) })
}

fn notice(away: Away) {
    failure::say(match away {
        Away::Gone => "The hub is away; waiting for it to come back. The question is kept.",
        Away::Back => "The hub is back.",
    });
}
