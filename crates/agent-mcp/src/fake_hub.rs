//! A hub in memory that goes away when a test says so.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use handraise_broker::{
    AskId, Asked, Asker, DelivererId, Delivery, Draft, Feed, Hub, HubError, Look, NewAsk, Opened,
    Phase, Query, Receipt, Record, Rejection, Reply, Resolved, Seq,
};
use handraise_question::{Responder, Surface};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::watch;

/// What a test sees of it.
pub(crate) struct FakeHub {
    asks: Mutex<Vec<Record>>,
    /// Goes up whenever something has changed.
    changed: watch::Sender<usize>,
    is_away: Mutex<bool>,
    /// Whether the next ask is kept, and the hub gone before it says so.
    dies_at_the_next_ask: Mutex<bool>,
    /// Who else delivers an ask, as far as the hub says so.
    rivals: Mutex<HashMap<AskId, Rival>>,
}

/// What the hub says to whoever wants to deliver an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rival {
    /// Nothing yet.
    Unsaid,
    /// That another process delivers it.
    Delivers,
}

impl FakeHub {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            asks: Mutex::default(),
            changed: watch::Sender::new(0),
            is_away: Mutex::default(),
            dies_at_the_next_ask: Mutex::default(),
            rivals: Mutex::default(),
        })
    }

    fn asks(&self) -> MutexGuard<'_, Vec<Record>> {
        self.asks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn go_away(&self, away: bool) {
        *self.is_away.lock().unwrap() = away;
        self.tell();
    }

    pub(crate) fn die_at_the_next_ask(&self) {
        *self.dies_at_the_next_ask.lock().unwrap() = true;
    }

    pub(crate) fn set_rival(&self, id: AskId, rival: Rival) {
        self.rivals.lock().unwrap().insert(id, rival);
    }

    fn tell(&self) {
        self.changed.send_modify(|changes| *changes += 1);
    }

    fn there(&self) -> Result<(), HubError> {
        let away = *self.is_away.lock().unwrap();
        if away { Err(HubError::Unreachable("no hub is running".into())) } else { Ok(()) }
    }

    /// Waits until the asks are as described, and returns them.
    pub(crate) async fn until(&self, holds: impl Fn(&[Record]) -> bool) -> Vec<Record> {
        let mut changed = self.changed.subscribe();
        loop {
            let asks = self.asks().clone();
            if holds(&asks) {
                return asks;
            }
            changed.changed().await.unwrap();
        }
    }

    /// An ask of another agent, or of another process.
    pub(crate) fn foreign(&self, agent: &str, questions: &str) -> AskId {
        let matter = handraise_broker::Matter::questions(
            serde_json::value::RawValue::from_string(questions.to_owned()).unwrap(),
        );
        let asker = Asker { agent: agent.into(), ..Asker::default() };
        self.open(NewAsk {
            asker,
            key: None,
            matter: matter.unwrap(),
            policy: handraise_broker::Policy::default(),
            rival_dialog: false,
            deliverer: None,
        })
        .id
    }

    fn open(&self, new: NewAsk) -> Record {
        let mut asks = self.asks();
        let id = AskId::new(Timestamp::UNIX_EPOCH, [u8::try_from(asks.len()).unwrap(); 10]);
        let NewAsk { asker, key, matter, policy, rival_dialog, .. } = new;
        let opened =
            Opened { asker, key, owner: None, matter, policy, rival_dialog, deadline_at: None };
        let record = Record::open(id, Arc::new(opened), 1, Timestamp::UNIX_EPOCH);
        asks.push(record.clone());
        record
    }

    /// Ends an ask.
    pub(crate) fn resolve(&self, id: AskId, resolution: &Value) {
        let is_persons =
            ["answered", "declined", "discuss"].iter().any(|kind| resolution["kind"] == *kind);
        let surface = is_persons.then_some(Surface::Web);
        self.resolve_at(id, resolution, surface);
    }

    /// Ends an ask, as a responder at this surface did.
    pub(crate) fn resolve_at(&self, id: AskId, resolution: &Value, surface: Option<Surface>) {
        let responder =
            surface.map(|surface| Responder { person: None, device: None, surface, proof: None });
        for ask in self.asks().iter_mut().filter(|ask| ask.id == id) {
            let resolved = Resolved {
                resolution: resolution.clone(),
                responder: responder.clone(),
                at: Timestamp::UNIX_EPOCH,
                submit: None,
            };
            ask.phase =
                Phase::Resolved { resolved: Arc::new(resolved), delivery: Delivery::Awaited };
        }
        self.tell();
    }

    /// Answers an ask of one question.
    pub(crate) fn choose(&self, id: AskId, label: &str) {
        let answer = json!({"selected": [label], "words": null, "notes": null, "leftOpen": false});
        self.resolve(id, &json!({"kind": "answered", "answers": [answer]}));
    }
}

fn no_such(id: AskId) -> HubError {
    Rejection::NoSuchAsk(id).into()
}

#[async_trait]
impl Hub for FakeHub {
    async fn ask(&self, new: NewAsk) -> Result<Asked, HubError> {
        self.there()?;
        let known =
            self.asks().iter().find(|ask| new.key.is_some() && ask.opened.key == new.key).cloned();
        if let Some(record) = known.map(Arc::new) {
            return Ok(Asked { record, new: false, yours: true });
        }
        let record = Arc::new(self.open(new));
        if std::mem::take(&mut *self.dies_at_the_next_ask.lock().unwrap()) {
            self.go_away(true);
            return Err(HubError::Unreachable("the connection was closed".into()));
        }
        self.tell();
        Ok(Asked { record, new: true, yours: true })
    }

    async fn get(&self, id: AskId) -> Result<Arc<Record>, HubError> {
        self.there()?;
        let asks = self.asks();
        let found = asks.iter().find(|ask| ask.id == id);
        found.map(|ask| Arc::new(ask.clone())).ok_or_else(|| no_such(id))
    }

    async fn list(&self, query: Query) -> Result<Vec<Arc<Record>>, HubError> {
        self.there()?;
        let fits = |ask: &&Record| {
            query.states.contains(&ask.state()) && query.agent.as_ref() == Some(&ask.asker().agent)
        };
        Ok(self.asks().iter().filter(fits).cloned().map(Arc::new).collect())
    }

    async fn wait(
        &self,
        id: AskId,
        deliverer: Option<DelivererId>,
        patience: Duration,
    ) -> Result<Option<Arc<Record>>, HubError> {
        let rival = self.rivals.lock().unwrap().get(&id).copied();
        match rival.filter(|_| deliverer.is_some()) {
            Some(Rival::Unsaid) => std::future::pending().await,
            Some(Rival::Delivers) => return Err(Rejection::AnotherDelivers.into()),
            None => {}
        }
        let mut changed = self.changed.subscribe();
        let ended = async {
            loop {
                let ask = self.get(id).await?;
                if !ask.is_open() {
                    return Ok(ask);
                }
                changed.changed().await.unwrap();
            }
        };
        tokio::time::timeout(patience, ended).await.map_or(Ok(None), |ended| ended.map(Some))
    }

    async fn withdraw(&self, id: AskId, reason: Option<String>) -> Result<Arc<Record>, HubError> {
        self.there()?;
        if self.get(id).await?.is_open() {
            self.resolve(id, &json!({"kind": "withdrawn", "reason": reason}));
        }
        self.get(id).await
    }

    async fn receipt(&self, id: AskId, receipt: Receipt) -> Result<Arc<Record>, HubError> {
        self.there()?;
        for ask in self.asks().iter_mut().filter(|ask| ask.id == id) {
            let Phase::Resolved { delivery, .. } = &mut ask.phase else {
                return Err(Rejection::StillOpen.into());
            };
            *delivery = Delivery::Delivered { receipt: receipt.clone(), at: Timestamp::UNIX_EPOCH };
        }
        self.tell();
        self.get(id).await
    }

    async fn reply(
        &self,
        _id: AskId,
        _reply: Reply,
        _key: Option<String>,
    ) -> Result<Arc<Record>, HubError> {
        Err(HubError::Closed)
    }

    async fn extend(
        &self,
        _id: AskId,
        _seconds: u64,
        _key: Option<String>,
    ) -> Result<Arc<Record>, HubError> {
        Err(HubError::Closed)
    }

    async fn draft(&self, _id: AskId) -> Result<Option<Draft>, HubError> {
        Err(HubError::Closed)
    }

    async fn keep_draft(&self, _id: AskId, _draft: Draft) -> Result<(), HubError> {
        Err(HubError::Closed)
    }

    async fn drop_draft(&self, _id: AskId) -> Result<(), HubError> {
        Err(HubError::Closed)
    }

    async fn look(&self, _look: Look) -> Result<(), HubError> {
        Err(HubError::Closed)
    }

    async fn follow(&self, _after: Option<Seq>) -> Result<Box<dyn Feed>, HubError> {
        Err(HubError::Closed)
    }
}
