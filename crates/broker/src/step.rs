//! Changes that are decided but not yet stored.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use jiff::Timestamp;

use crate::chain::{Head, Sealed};
use crate::store::{Batch, DeviceWrite, DraftChange};
use crate::{
    Anchor, AskId, AskKey, Device, DeviceChange, DeviceChanged, DeviceId, Draft, Entry, Event,
    Message, MessageKey, Query, Record, Rejection, Session, SessionChanged, SessionId, TokenHash,
    Told,
};

/// What the hub knows without asking the store: everything that still waits for something.
#[derive(Debug)]
pub(crate) struct Live {
    /// By their ids, which is the order in which they were asked.
    pub(crate) asks: BTreeMap<AskId, Arc<Record>>,
    pub(crate) open: usize,
    /// The last ask there is.
    pub(crate) last: Option<AskId>,
    pub(crate) devices: Vec<(Device, TokenHash)>,
    /// Tokens that were revoked since the hub was started: their holders may still ask who it is.
    pub(crate) revoked: Vec<TokenHash>,
    /// Sessions that are not over.
    pub(crate) sessions: HashMap<SessionId, Arc<Session>>,
    pub(crate) head: Head,
}

impl Live {
    /// The open asks of an agent or a session: all of them are known without the store.
    pub(crate) fn open_asks(&self, query: &Query) -> Vec<Arc<Record>> {
        let after = query.after.map_or(Bound::Unbounded, Bound::Excluded);
        let wish =
            |wish: &Option<String>, found: Option<&str>| wish.is_none() || wish.as_deref() == found;
        let beyond = self.asks.range((after, Bound::Unbounded)).map(|(_, record)| record);
        let wanted = beyond.filter(|record| {
            let asker = record.asker();
            record.is_open()
                && wish(&query.agent, Some(&asker.agent))
                && wish(&query.session, asker.session.as_deref())
        });
        wanted.take(query.limit as usize).cloned().collect()
    }
}

/// What was fetched from the store because a batch of jobs wants to know it.
#[derive(Debug, Default)]
pub(crate) struct Fetched {
    pub(crate) asks: HashMap<AskId, Arc<Record>>,
    pub(crate) keys: HashMap<AskKey, AskId>,
    pub(crate) drafts: HashMap<(AskId, String), Draft>,
    pub(crate) sessions: HashMap<SessionId, Arc<Session>>,
    pub(crate) messages: HashMap<MessageKey, Message>,
    /// What time it is for asks with a deadline, if the clock on the wall was set since they came.
    pub(crate) clocks: HashMap<AskId, Timestamp>,
}

/// One batch of changes in the making: each job sees what those before it decided, and all of it is
/// stored together or not at all.
pub(crate) struct Step {
    pub(crate) now: Timestamp,
    /// The same moment by both clocks.
    anchor: Anchor,
    pub(crate) batch: Batch,
    pub(crate) told: Vec<Told>,
    /// Asks somebody has just typed at.
    pub(crate) typed: Vec<AskId>,
    pub(crate) changed: HashMap<AskId, Arc<Record>>,
    /// Sessions as they stand afterwards.
    pub(crate) sessions: HashMap<SessionId, Arc<Session>>,
    pub(crate) head: Head,
    pub(crate) open: usize,
    pub(crate) last: Option<AskId>,
    fetched: Fetched,
}

impl Step {
    pub(crate) fn new(now: Anchor, live: &Live, fetched: Fetched) -> Self {
        Self {
            now: now.wall,
            anchor: now,
            batch: Batch::default(),
            told: vec![],
            typed: vec![],
            changed: HashMap::new(),
            sessions: HashMap::new(),
            head: live.head,
            open: live.open,
            last: live.last,
            fetched,
        }
    }

    /// An ask as it stands after the jobs before this one.
    pub(crate) fn record(&self, id: AskId) -> Result<Arc<Record>, Rejection> {
        let known = self.changed.get(&id).or_else(|| self.fetched.asks.get(&id));
        known.cloned().ok_or(Rejection::NoSuchAsk(id))
    }

    /// What time it is, as far as the deadline of an ask goes.
    pub(crate) fn clock_of(&self, id: AskId) -> Timestamp {
        self.fetched.clocks.get(&id).copied().unwrap_or(self.now)
    }

    /// The ask that was asked with this key.
    pub(crate) fn by_key(&self, key: &AskKey) -> Option<AskId> {
        self.fetched.keys.get(key).copied()
    }

    /// A person's draft.
    pub(crate) fn draft(&self, ask: AskId, person: &str) -> Option<&Draft> {
        self.fetched.drafts.get(&(ask, person.to_owned()))
    }

    /// Opens an ask, which comes after all others.
    pub(crate) fn open(&mut self, random: [u8; 10], opened: crate::Opened) -> Arc<Record> {
        let id = AskId::after(self.last, self.now, random);
        self.last = Some(id);
        if let (Some(key), Some(owner)) = (opened.key.clone(), opened.owner.clone()) {
            let agent = opened.asker.agent.clone();
            self.fetched.keys.insert(AskKey { owner, agent, key }, id);
        }
        let opened = Arc::new(opened);
        let record = Record::open(id, opened.clone(), self.head.seq + 1, self.now);
        let record = Arc::new(record);
        if record.deadline_at.is_some() {
            self.batch.anchors.push((id, self.anchor));
        }
        self.open += 1;
        self.changed.insert(id, record.clone());
        self.append(Some(id), Event::Opened(opened));
        record
    }

    /// Lets events happen to an ask, and returns the ask as it then stands.
    pub(crate) fn happen(
        &mut self,
        id: AskId,
        events: Vec<Event>,
    ) -> Result<Arc<Record>, Rejection> {
        let mut record = self.record(id)?;
        for event in events {
            let was_open = record.is_open();
            let entry = Entry { seq: self.head.seq + 1, at: self.now, ask: Some(id), event };
            Arc::make_mut(&mut record).apply(&entry);
            if was_open && !record.is_open() {
                self.open = self.open.saturating_sub(1);
            }
            self.changed.insert(id, record.clone());
            self.append(Some(id), entry.event);
        }
        Ok(record)
    }

    /// Appends an event to the log.
    pub(crate) fn append(&mut self, ask: Option<AskId>, event: Event) {
        let entry = Entry { seq: self.head.seq + 1, at: self.now, ask, event };
        let told = Told {
            seq: entry.seq,
            at: entry.at,
            name: entry.event.name().to_owned(),
            ask: ask.and_then(|id| self.changed.get(&id).cloned()),
            session: entry.event.session().cloned(),
            detail: None,
        };
        match Sealed::new(entry, &self.head) {
            Ok(sealed) => {
                self.head = sealed.head();
                let detail = || serde_json::from_str(&sealed.body).ok();
                let is_plain = ask.is_none() && told.session.is_none();
                let detail = if is_plain { detail() } else { None };
                self.told.push(Told { detail, ..told });
                self.batch.events.push(sealed);
            }
            // Every event has a JSON form; if one had not, keeping quiet about it would be a lie.
            Err(error) => tracing::error!(%error, "an event could not be written as JSON"),
        }
    }

    /// A session as it stands after the jobs before this one.
    pub(crate) fn session(&self, id: SessionId) -> Result<Arc<Session>, Rejection> {
        let known = self.sessions.get(&id).or_else(|| self.fetched.sessions.get(&id));
        known.cloned().ok_or(Rejection::NoSuchSession)
    }

    /// What was said in a session under this name.
    pub(crate) fn message(&self, place: &MessageKey) -> Option<&Message> {
        self.fetched.messages.get(place)
    }

    /// Lets something happen in a session.
    pub(crate) fn change_session(
        &mut self,
        mut session: Session,
        messages: Vec<Message>,
    ) -> Arc<SessionChanged> {
        session.changed_at = self.now;
        for message in &messages {
            let place = MessageKey { session: session.id, key: message.key.clone() };
            self.fetched.messages.insert(place, message.clone());
        }
        self.sessions.insert(session.id, Arc::new(session.clone()));
        let changed = Arc::new(SessionChanged { session, messages });
        self.append(None, Event::SessionChanged(changed.clone()));
        changed
    }

    pub(crate) fn keep_draft(&mut self, ask: AskId, person: String, draft: Option<Draft>) {
        let place = (ask, person.clone());
        match &draft {
            Some(draft) => {
                self.fetched.drafts.insert(place, draft.clone());
                self.typed.push(ask);
            }
            None => {
                self.fetched.drafts.remove(&place);
            }
        }
        // By the clock its deadline goes by, which decides whether this moves it.
        let at = self.clock_of(ask);
        self.batch.drafts.push(DraftChange { ask, person, draft, at });
    }

    /// The devices that a job before this one has added.
    pub(crate) fn added_devices(&self) -> impl Iterator<Item = &Device> {
        self.batch.devices.iter().filter_map(|write| match write {
            DeviceWrite::Add(device, _) => Some(device),
            DeviceWrite::Revoke(..) => None,
        })
    }

    /// Whether a job before this one makes the device's token count no more.
    pub(crate) fn revokes(&self, device: DeviceId) -> bool {
        let revoked =
            |write: &DeviceWrite| matches!(write, DeviceWrite::Revoke(id, _) if *id == device);
        self.batch.devices.iter().any(revoked)
    }

    /// Notes a change in who may do what.
    pub(crate) fn change_device(&mut self, change: DeviceChange, device: Device) {
        self.append(None, Event::DeviceChanged(DeviceChanged { change, device }));
    }

    pub(crate) fn write_device(&mut self, write: DeviceWrite) {
        self.batch.devices.push(write);
    }

    /// What is to be stored, if anything is.
    pub(crate) fn take_batch(&mut self) -> Option<Batch> {
        let mut batch = std::mem::take(&mut self.batch);
        batch.asks = self.changed.values().cloned().collect();
        let empty = batch.events.is_empty() && batch.drafts.is_empty() && batch.devices.is_empty();
        (!empty).then_some(batch)
    }
}
