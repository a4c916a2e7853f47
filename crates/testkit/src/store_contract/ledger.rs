//! Batches as a hub makes them.

use std::collections::BTreeMap;
use std::sync::Arc;

use handraise_broker::{
    AskId, AskStore, Asker, Batch, Draft, DraftChange, Entry, Event, Head, Level, Matter, Opened,
    Policy, Pruned, Receipt, Record, Resolved, Sealed, StoreError, StoredEntry, Undelivered,
};
use handraise_question::AnswerForm;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::{FakeWorld, asker, questions};

/// A hub's side of a store: what it wrote, and what it is about to write.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger {
    log: Vec<Sealed>,
    records: BTreeMap<AskId, Record>,
    pub(super) batch: Batch,
}

/// A time at which something happened: each a second and a microsecond after the one before.
pub(super) fn moment(n: u64) -> Timestamp {
    let n = i64::try_from(n).unwrap();
    FakeWorld::START + SignedDuration::from_micros(1_000_001 * n)
}

/// Who opens asks.
pub(super) const OWNER: &str = "one agent";

pub(super) fn opened(asker: Asker, key: Option<&str>) -> Opened {
    Opened {
        asker,
        key: key.map(str::to_owned),
        owner: Some(OWNER.into()),
        matter: questions(r#"[{"question": "Which auth?", "options": [{"label": "JWT"}]}]"#),
        policy: Policy::default(),
        rival_dialog: false,
        deadline_at: None,
    }
}

impl Ledger {
    pub(super) fn head(&self) -> Head {
        self.log.last().map_or(Head::EMPTY, Sealed::head)
    }

    fn append(&mut self, ask: Option<AskId>, event: Event) -> Entry {
        let seq = self.head().seq + 1;
        let entry = Entry { seq, at: moment(seq), ask, event };
        let sealed = Sealed::new(entry.clone(), &self.head()).unwrap();
        self.log.push(sealed.clone());
        self.batch.events.push(sealed);
        entry
    }

    fn touch(&mut self, id: AskId) {
        self.batch.asks.retain(|record| record.id != id);
        self.batch.asks.push(Arc::new(self.records[&id].clone()));
    }

    /// Opens an ask.
    pub(super) fn open(&mut self, opened: Opened) -> AskId {
        let seq = self.head().seq + 1;
        let [.., low] = seq.to_be_bytes();
        let id = AskId::new(moment(seq), [low; 10]);
        let opened = Arc::new(opened);
        self.append(Some(id), Event::Opened(opened.clone()));
        self.records.insert(id, Record::open(id, opened, seq, moment(seq)));
        self.touch(id);
        id
    }

    /// Opens an ask of nobody in particular.
    pub(super) fn open_any(&mut self) -> AskId {
        self.open(opened(asker("test"), None))
    }

    /// Opens an ask about something in particular.
    pub(super) fn open_about(&mut self, matter: Matter) -> AskId {
        self.open(Opened { matter, ..opened(asker("test"), None) })
    }

    /// Lets something happen to an ask.
    pub(super) fn happen(&mut self, id: AskId, event: Event) {
        let entry = self.append(Some(id), event);
        self.records.get_mut(&id).unwrap().apply(&entry);
        self.touch(id);
    }

    /// Ends an ask.
    pub(super) fn end(&mut self, id: AskId, kind: &str) {
        let resolution = match kind {
            "answered" => json!({"kind": kind, "answers": [AnswerForm {
                selected: vec!["JWT".into()], ..AnswerForm::default()
            }]}),
            "no_answer" => json!({"kind": kind, "afterSeconds": 300}),
            "discuss" => json!({"kind": kind, "words": "why?"}),
            _ => json!({"kind": kind, "reason": null}),
        };
        let at = moment(self.head().seq + 1);
        let resolved = Resolved { resolution, responder: None, at, submit: None };
        self.happen(id, Event::Resolved(Arc::new(resolved)));
    }

    /// Gives an ask a receipt.
    pub(super) fn deliver(&mut self, id: AskId, level: Level) {
        self.happen(
            id,
            Event::Delivered(Receipt { level, text: Some("JWT".into()), took: None, doubt: None }),
        );
    }

    /// Gives the delivery of an ask up.
    pub(super) fn give_up(&mut self, id: AskId) {
        self.happen(id, Event::Undelivered(Undelivered { reason: "gone".into() }));
    }

    /// Lets something happen that is about no ask.
    pub(super) fn note(&mut self, event: Event) {
        self.append(None, event);
    }

    /// Keeps a draft, or throws it away, at the `n`th moment.
    pub(super) fn draft(&mut self, ask: AskId, person: &str, draft: Option<Draft>, n: u64) {
        self.batch.drafts.push(DraftChange { ask, person: person.into(), draft, at: moment(n) });
    }

    /// Drops what these asks hold.
    pub(super) fn prune(&mut self, asks: &[AskId]) {
        self.note(Event::Pruned(Pruned {
            before: moment(1000),
            asks: asks.to_vec(),
            sessions: vec![],
            events: vec![],
        }));
        self.batch.pruned.extend(asks);
        self.records.retain(|id, _| !asks.contains(id));
    }

    /// Commits what was gathered; on failure it is forgotten, as a hub does.
    pub(super) async fn try_commit(&mut self, store: &impl AskStore) -> Result<(), StoreError> {
        store.commit(&std::mem::take(&mut self.batch)).await
    }

    pub(super) async fn commit(&mut self, store: &impl AskStore) {
        self.try_commit(store).await.unwrap();
    }

    pub(super) fn record(&self, id: AskId) -> Record {
        self.records[&id].clone()
    }

    /// Every ask there is, oldest first.
    pub(super) fn records(&self) -> Vec<Record> {
        self.records.values().cloned().collect()
    }

    /// The log as the store is to give it back.
    pub(super) fn stored(&self) -> Vec<StoredEntry> {
        let stored = |sealed: &Sealed| StoredEntry {
            seq: sealed.entry.seq,
            at: sealed.entry.at,
            ask: sealed.entry.ask,
            name: sealed.entry.event.name().to_owned(),
            body: Some(sealed.body.clone()),
            digest: sealed.digest,
            hash: sealed.hash,
        };
        self.log.iter().map(stored).collect()
    }
}

/// A draft of one word.
pub(super) fn draft(version: u64, words: &str) -> Draft {
    let form = AnswerForm { words: Some(words.into()), ..AnswerForm::default() };
    Draft { version, answers: vec![form], ..Draft::default() }
}

/// Everything a store holds, to be compared with what it held before.
#[derive(Debug, PartialEq)]
pub(super) struct Holdings {
    head: Head,
    log: Vec<StoredEntry>,
    asks: Vec<Record>,
    unfinished: Vec<Record>,
    devices: usize,
    typed: Vec<(AskId, Timestamp)>,
}

impl Holdings {
    pub(super) async fn of(store: &impl AskStore) -> Self {
        let everything = handraise_broker::Query { limit: 1000, ..Default::default() };
        let mut unfinished = store.unfinished().await.unwrap();
        unfinished.sort_by_key(|record| record.id);
        let mut typed = store.last_typed().await.unwrap();
        typed.sort();
        Self {
            head: store.head().await.unwrap(),
            log: store.log(0, 1000).await.unwrap(),
            asks: store.list(&everything).await.unwrap(),
            unfinished,
            devices: store.devices().await.unwrap().len(),
            typed,
        }
    }
}

/// Asks in the order of their ids, where a store gives no order.
pub(super) fn by_id(mut records: Vec<Record>) -> Vec<Record> {
    records.sort_by_key(|record| record.id);
    records
}
