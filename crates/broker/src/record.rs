//! An ask as it stands, made of its events.

use std::collections::HashMap;
use std::sync::Arc;

use handraise_question::wording::api;
use handraise_question::{Answers, OwnWords, Resolution, Surface, Violations};
use jiff::Timestamp;

use crate::{
    AskId, Asker, Doubt, Entry, Event, Level, Matter, Opened, Policy, Receipt, Resolved, Seq, Span,
    StoreError, StoredEntry, Submit,
};

/// Why a program that waits gets no answer from an end that an agent claims.
const ENDED_ELSEWHERE: &str = "it ended outside the hub";

/// One ask, from the moment it was stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its id.
    pub id: AskId,
    /// What was asked, by whom and under which rules.
    pub opened: Arc<Opened>,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// The deadline as it stands.
    pub deadline_at: Option<Timestamp>,
    /// What has moved it, to know a retry by.
    pub extensions: Vec<Submit>,
    /// The last event about it.
    pub seq: Seq,
    /// How far it has come.
    pub phase: Phase,
}

/// How far an ask has come.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// It waits for a person.
    Open,
    /// It has ended.
    Resolved {
        /// How.
        resolved: Arc<Resolved>,
        /// What is known of the agent's side.
        delivery: Delivery,
    },
}

/// What is known of the agent's side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// Nothing yet.
    Awaited,
    /// The agent has it.
    Delivered {
        /// How sure that is, and the text.
        receipt: Receipt,
        /// Since when.
        at: Timestamp,
    },
    /// The agent took another answer.
    Overruled {
        /// What it took.
        receipt: Receipt,
        /// Since when that is known.
        at: Timestamp,
    },
    /// Nobody can say that the agent has it.
    Undelivered {
        /// Why.
        reason: String,
        /// Since when.
        at: Timestamp,
        /// What was handed over before, to compare a late receipt with.
        handed: Option<Receipt>,
    },
}

/// The state of an ask as one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// It waits for a person.
    Open,
    /// It has ended; nothing is known of the agent's side yet.
    Resolved,
    /// The agent has it.
    Delivered,
    /// The agent took another answer.
    Overruled,
    /// Nobody can say that the agent has it.
    Undelivered,
}

impl State {
    /// Every state there is.
    pub const ALL: [Self; 5] =
        [Self::Open, Self::Resolved, Self::Delivered, Self::Overruled, Self::Undelivered];

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Resolved => "resolved",
            Self::Delivered => "delivered",
            Self::Overruled => "overruled",
            Self::Undelivered => "undelivered",
        }
    }
}

impl Record {
    /// Makes the record of an ask that was just opened.
    #[must_use]
    pub fn open(id: AskId, opened: Arc<Opened>, seq: Seq, at: Timestamp) -> Self {
        let deadline_at = opened.deadline_at;
        Self { id, opened, asked_at: at, deadline_at, extensions: vec![], seq, phase: Phase::Open }
    }

    /// Makes records of events, in their order; several asks may be mixed.
    pub fn fold(entries: impl IntoIterator<Item = Entry>) -> Vec<Self> {
        let mut records: Vec<Self> = vec![];
        let mut places = HashMap::new();
        for entry in entries {
            let Some(id) = entry.ask else { continue };
            match places.get(&id) {
                Some(&place) => {
                    let record: &mut Self = &mut records[place];
                    record.apply(&entry);
                }
                None => {
                    if let Event::Opened(opened) = entry.event {
                        places.insert(id, records.len());
                        records.push(Self::open(id, opened, entry.seq, entry.at));
                    }
                }
            }
        }
        records
    }

    /// Makes records of what a store keeps; asks that have lost their contents are passed over.
    ///
    /// # Errors
    ///
    /// When something cannot be read.
    pub fn read(entries: &[StoredEntry]) -> Result<Vec<Self>, StoreError> {
        let entries: Result<Vec<_>, _> = entries.iter().map(StoredEntry::read).collect();
        Ok(Self::fold(entries?.into_iter().flatten()))
    }

    /// Folds one more event in. Never fails: events are history.
    pub fn apply(&mut self, entry: &Entry) {
        self.seq = entry.seq;
        let at = entry.at;
        match &entry.event {
            Event::Opened(_)
            | Event::DeviceChanged(_)
            | Event::AccessRefused(_)
            | Event::SessionChanged(_)
            | Event::Pruned(_) => {}
            Event::Resolved(resolved) => {
                let resolved = resolved.clone();
                self.phase = Phase::Resolved { resolved, delivery: Delivery::Awaited };
            }
            Event::Extended(extended) => {
                self.deadline_at = Some(extended.deadline_at);
                self.extensions.extend(extended.submit.clone());
            }
            Event::Delivered(receipt) => {
                self.deliver(Delivery::Delivered { receipt: receipt.clone(), at });
            }
            Event::Overruled(receipt) => {
                self.deliver(Delivery::Overruled { receipt: receipt.clone(), at });
            }
            Event::Undelivered(undelivered) => {
                let reason = undelivered.reason.clone();
                let handed = self.last_receipt().cloned();
                self.deliver(Delivery::Undelivered { reason, at, handed });
            }
        }
    }

    fn deliver(&mut self, now: Delivery) {
        if let Phase::Resolved { delivery, .. } = &mut self.phase {
            *delivery = now;
        }
    }

    /// The last receipt that came, whatever became of it.
    #[must_use]
    pub fn last_receipt(&self) -> Option<&Receipt> {
        match &self.phase {
            Phase::Open => None,
            Phase::Resolved { delivery, .. } => match delivery {
                Delivery::Awaited => None,
                Delivery::Delivered { receipt, .. } | Delivery::Overruled { receipt, .. } => {
                    Some(receipt)
                }
                Delivery::Undelivered { handed, .. } => handed.as_ref(),
            },
        }
    }

    /// Why no person can have given what the agent went on with, if that is known.
    #[must_use]
    pub fn doubt(&self) -> Option<&Doubt> {
        self.last_receipt()?.doubt.as_ref()
    }

    /// Who asked.
    #[must_use]
    pub fn asker(&self) -> &Asker {
        &self.opened.asker
    }

    /// What it is about.
    #[must_use]
    pub fn matter(&self) -> &Matter {
        &self.opened.matter
    }

    /// The rules it lives under.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.opened.policy
    }

    /// Whether it waits for a person.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    /// How it ended, if it did.
    #[must_use]
    pub fn resolved(&self) -> Option<&Resolved> {
        match &self.phase {
            Phase::Open => None,
            Phase::Resolved { resolved, .. } => Some(resolved),
        }
    }

    /// The time it took.
    #[must_use]
    pub fn span(&self) -> Span {
        let resolved = self.resolved();
        Span {
            directory: self.asker().directory.clone(),
            host: self.asker().host.clone(),
            asked_at: self.asked_at,
            ended_at: resolved.map(|resolved| resolved.at),
            by_person: resolved.is_some_and(Resolved::is_by_person) && !self.is_invented(),
        }
    }

    /// The ask as the program that waits for it may act on it.
    ///
    /// An end that only an agent claims is not an answer: the program showed no dialog, or whoever gave
    /// the receipt was not that program. It counts as withdrawn, so that no wording of it is a choice.
    #[must_use]
    pub fn for_waiting_program(self: Arc<Self>) -> Arc<Self> {
        let Phase::Resolved { resolved, delivery } = &self.phase else { return self };
        if !resolved.is_claimed_by_agent() {
            return self;
        }
        let reason = OwnWords::try_from(ENDED_ELSEWHERE).ok();
        let resolution = api::bare(&Resolution::<Answers>::Withdrawn { reason });
        let resolved = Arc::new(Resolved { resolution, responder: None, ..(**resolved).clone() });
        let phase = Phase::Resolved { resolved, delivery: delivery.clone() };
        Arc::new(Self { phase, ..(*self).clone() })
    }

    /// Whether what stands as the answer is what nobody can have given. Where the agent took something
    /// else, that is doubted, and the answer is a person's all the same.
    #[must_use]
    pub fn is_invented(&self) -> bool {
        self.doubt().is_some() && self.state() != State::Overruled
    }

    /// The resolution of questions, for whoever words it.
    ///
    /// # Errors
    ///
    /// When it is not about questions, or what was stored does not fit them.
    pub fn resolution(&self) -> Result<Option<Resolution>, Violations> {
        let Some(resolved) = self.resolved() else { return Ok(None) };
        api::read(&self.matter().ask()?, &resolved.resolution).map(Some)
    }

    /// The state as one word.
    #[must_use]
    pub fn state(&self) -> State {
        match &self.phase {
            Phase::Open => State::Open,
            Phase::Resolved { delivery, .. } => match delivery {
                Delivery::Awaited => State::Resolved,
                Delivery::Delivered { .. } => State::Delivered,
                Delivery::Overruled { .. } => State::Overruled,
                Delivery::Undelivered { .. } => State::Undelivered,
            },
        }
    }

    /// Whether a receipt is still awaited.
    #[must_use]
    pub fn awaits_receipt(&self) -> bool {
        match &self.phase {
            Phase::Open => false,
            Phase::Resolved { resolved, delivery } => match delivery {
                Delivery::Awaited => !resolved.is_withdrawn(),
                Delivery::Delivered { receipt, .. } => {
                    self.policy().receipt == Level::Seen
                        && receipt.level == Level::Handed
                        && receipt.took.is_none()
                }
                Delivery::Overruled { .. } | Delivery::Undelivered { .. } => false,
            },
        }
    }
}

impl Resolved {
    /// The names of all kinds of resolution.
    pub const KINDS: [&str; 5] = ["answered", "declined", "discuss", "no_answer", "withdrawn"];

    /// The name of the resolution's kind.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.resolution["kind"].as_str().unwrap_or_default()
    }

    /// Whether a person ended it, known or not: not silence, not the agent, not a rule.
    #[must_use]
    pub fn is_by_person(&self) -> bool {
        self.responder.as_ref().is_some_and(|responder| responder.surface != Surface::Rule)
    }

    /// Whether an agent's receipt ended it, and no surface of the hub did: what the agent says was
    /// answered in its own dialog. Where a person is doubted it names no responder.
    #[must_use]
    pub fn is_claimed_by_agent(&self) -> bool {
        match &self.responder {
            Some(responder) => responder.surface == Surface::Dialog,
            None => matches!(self.kind(), "answered" | "declined" | "discuss"),
        }
    }

    /// Whether the agent itself took the ask back: then there is nobody to deliver to.
    #[must_use]
    pub fn is_withdrawn(&self) -> bool {
        self.kind() == "withdrawn"
    }
}
