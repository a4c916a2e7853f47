//! A person's word on an ask, from this terminal to the hub.

use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{AskId, Hub, HubError, Power, Record, Rejection, Reply};
use handraise_client::{Home, RemoteHub};
use handraise_question::{AnswerForm, OwnWords, Resolution, Surface};
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::answer::{decided_call, ended};
use crate::failure::{self, Failure};
use crate::home::failure as hub_failure;
use crate::typed::Typed;

/// How long to wait for a hub that is away when something must reach it.
pub(crate) const AS_LONG_AS_IT_TAKES: Duration = Duration::from_hours(24 * 366);

/// Somebody at this terminal, with an ask before them.
pub(crate) struct Replying {
    hub: RemoteHub,
    runtime: Handle,
    id: AskId,
}

impl Replying {
    pub(crate) fn new(home: &Home, runtime: Handle, id: AskId) -> Self {
        let hub = RemoteHub::new(home.clone(), Power::Person, Surface::Terminal);
        Self { hub, runtime, id }
    }

    /// Keeps what is typed here at the hub: so that it is not lost, and the deadline waits.
    pub(crate) fn keep_drafts(&self) -> watch::Sender<Vec<AnswerForm>> {
        let (drafts, mut changes) = watch::channel(vec![]);
        let mut typed = Typed::new(self.hub.clone(), self.id);
        self.runtime.spawn(async move {
            while changes.changed().await.is_ok() {
                let answers: Vec<AnswerForm> = changes.borrow_and_update().clone();
                typed.keep(&answers).await;
            }
        });
        drafts
    }

    /// Sends what was answered here. If somebody was faster, theirs stands.
    pub(crate) fn send(&self, reply: Reply) -> Result<Arc<Record>, Failure> {
        let key = Some(self.hub.deliverer().as_str().to_owned());
        let first = self.runtime.block_on(self.hub.reply(self.id, reply.clone(), key.clone()));
        let sent = match first {
            Err(HubError::Unreachable(_)) => {
                failure::say(
                    "The hub is away. Your answer is kept and sent when it is back; Ctrl-C gives up.",
                );
                let hub = self.hub.clone().patient(AS_LONG_AS_IT_TAKES);
                self.runtime.block_on(hub.reply(self.id, reply, key))
            }
            sent => sent,
        };
        match sent {
            Ok(record) => Ok(record),
            Err(HubError::Rejected(Rejection::AlreadyResolved(record))) => {
                failure::say("Somebody else was first; this is what counts:");
                for line in elsewhere_lines(&record) {
                    failure::say(&line);
                }
                Ok(Arc::from(record))
            }
            Err(error) => Err(hub_failure(error)),
        }
    }
}

/// What a resolution given at this terminal says to the hub; silence says nothing.
pub(crate) fn reply_of(resolution: Resolution) -> Option<Reply> {
    match resolution {
        Resolution::Answered(answers) => Some(Reply::Answer(answers.forms())),
        Resolution::Declined { reason } => Some(Reply::Decline(reason.map(OwnWords::into_string))),
        Resolution::Discuss { words } => Some(Reply::Discuss(words.into_string())),
        Resolution::NoAnswer { .. } | Resolution::Withdrawn { .. } => None,
    }
}

/// What is left of a prompt that was overtaken.
pub(crate) fn elsewhere_lines(record: &Record) -> Vec<String> {
    let Some(resolved) = record.resolved() else { return vec![] };
    let by = resolved.responder.as_ref().and_then(|responder| responder.person.as_deref());
    let head = match (resolved.kind(), by) {
        _ if resolved.is_claimed_by_agent() => {
            "● Ended in the agent's own dialog, by the agent's word".to_owned()
        }
        ("answered", Some(person)) => format!("● Answered elsewhere by {person}"),
        ("declined", Some(person)) => format!("● Declined elsewhere by {person}"),
        ("discuss", Some(person)) => format!("● {person} wants to talk first"),
        _ => "● Ended elsewhere".to_owned(),
    };
    std::iter::once(head).chain(ended(record)).chain(decided_call(record)).collect()
}
