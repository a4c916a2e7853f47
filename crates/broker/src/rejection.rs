//! Why a request was refused.

use handraise_question::Violations;

use crate::{AskId, Draft, Power, Record, StoreError};

/// Why a request was refused. Every variant is the caller's to handle.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Rejection {
    /// There is no such ask, or it was dropped with old ones.
    #[error("there is no ask {0}")]
    NoSuchAsk(AskId),
    /// There is no such session.
    #[error("there is no such session")]
    NoSuchSession,
    /// It is over: nobody would hear it.
    #[error("the session has ended")]
    SessionEnded,
    /// There is no such device.
    #[error("there is no such device")]
    NoSuchDevice,
    /// Somebody else was first; the first resolution stands.
    #[error("{}", already(.0))]
    AlreadyResolved(Box<Record>),
    /// The same key was used for something else.
    #[error("the key was used before, for something else")]
    KeyReused,
    /// What was sent does not fit.
    #[error("{0}")]
    Invalid(#[from] Violations),
    /// The token has not the power for it.
    #[error("{}", needs(*.0))]
    NotAllowed(Power),
    /// It was opened with another agent's token.
    #[error("this was opened with another agent's token; only that one may do this")]
    NotYours,
    /// Another agent goes by this name.
    #[error("there is an agent called {0} already")]
    NameTaken(String),
    /// The token was good when the request came, and was revoked since.
    #[error("this token was revoked")]
    Revoked,
    /// Another process brings this ask's resolution to its agent.
    #[error("another process delivers this ask")]
    AnotherDelivers,
    /// Nothing can bring an answer to this agent: only its own dialog takes one.
    #[error("this session cannot be answered from here: answer in its own terminal")]
    OnlyInDialog,
    /// A newer draft is kept already.
    #[error("a newer draft is kept already (version {})", .0.version)]
    OlderDraft(Box<Draft>),
    /// A receipt for something that was not resolved yet.
    #[error("the ask is still open")]
    StillOpen,
    /// More time for an ask that waits for ever anyway.
    #[error("the ask has no deadline")]
    NoDeadline,
    /// More sessions go on than the hub will hold.
    #[error("{0} sessions go on, which is as many as this hub holds: end one in the dashboard")]
    TooManySessions(usize),
    /// More sessions of one agent go on than the hub will hold.
    #[error(
        "{0} sessions of this agent's token go on, which is as many as one agent may have: \
         end one in the dashboard"
    )]
    TooManySessionsOfOne(usize),
    /// More asks are open than the hub will hold.
    #[error("{0} asks are open, which is as many as this hub holds")]
    TooManyOpen(usize),
}

/// Why a hub did not do what it was asked to.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HubError {
    /// It will not.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// It cannot store anything right now; nothing was changed.
    #[error("the hub cannot store anything right now")]
    Store(#[from] StoreError),
    /// It does not let the caller in.
    #[error("the hub does not let us in: {0}")]
    Denied(String),
    /// It cannot be reached, or gave an answer that makes no sense.
    #[error("the hub cannot be reached: {0}")]
    Unreachable(String),
    /// It is shutting down.
    #[error("the hub is shutting down")]
    Closed,
}

impl From<Violations> for HubError {
    fn from(violations: Violations) -> Self {
        Self::Rejected(violations.into())
    }
}

fn already(record: &Record) -> String {
    let Some(resolved) = record.resolved() else { return "it is already resolved".into() };
    let by = resolved.responder.as_ref().and_then(|responder| responder.person.as_deref());
    let at = resolved.at;
    match (resolved.kind(), by) {
        ("no_answer", _) => format!("the deadline passed at {at}"),
        ("withdrawn", _) => format!("withdrawn by the agent at {at}"),
        ("discuss", Some(person)) => format!("{person} wanted to talk first, at {at}"),
        (kind, None) if resolved.is_claimed_by_agent() => {
            format!("already {kind} in the agent's own dialog, by the agent's word, at {at}")
        }
        ("discuss", None) => format!("somebody wanted to talk first, at {at}"),
        (kind, Some(person)) => format!("already {kind} by {person} at {at}"),
        (kind, None) => format!("already {kind} at {at}"),
    }
}

fn needs(power: Power) -> &'static str {
    match power {
        Power::Agent => "only an agent's token may do this",
        Power::Person => "only a person's token may do this; an agent cannot answer",
    }
}
