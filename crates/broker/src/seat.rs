//! The hub as one caller sees it, with no more power than that caller has.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use handraise_question::{Responder, Surface, Violation, Violations};
use jiff::SignedDuration;

use crate::broker::{agents_called, ten};
use crate::deliverer::Deliverer;
use crate::feed::Following;
use crate::step::Step;
use crate::store::DeviceWrite;
use crate::writer::Wants;
use crate::{
    AskId, AskKey, Asked, Attempt, Broker, Caller, DelivererId, Device, DeviceChange, Draft, Event,
    Feed, Hub, HubError, Look, NewAsk, Opened, Order, Power, Query, Receipt, Record, Rejection,
    Reply, Seq, State, Token,
};

/// A [`Broker`] with somebody in front of it.
#[derive(Clone)]
pub struct Seat {
    pub(crate) broker: Broker,
    pub(crate) caller: Caller,
}

const LONGEST_KEY: usize = 500;
const LONGEST_RECEIPT: usize = 1024 * 1024;
/// The most asks in one answer.
pub const MOST_LISTED: u32 = 500;
/// A page ends early after so many bytes of asks or messages: clients read no more than 32 MiB of an answer.
pub const MAX_PAGE_BYTES: usize = 16 * 1024 * 1024;
/// So many asks are read at once. Each may be a megabyte.
pub(crate) const MAX_READ_TOGETHER: u32 = 32;
/// The most asks that one search looks into, give or take a page: it takes a moment, however many there
/// are.
pub const MOST_SEARCHED: usize = 5000;

/// Some of the asks that match.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// In the order of the query.
    pub asks: Vec<Arc<Record>>,
    /// After which ask to go on; `None` when these are the last.
    pub next: Option<AskId>,
}

impl Seat {
    /// The device whose token the caller showed.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.caller.device
    }

    pub(crate) fn only(&self, power: Power) -> Result<(), Rejection> {
        if self.caller.device.power == power { Ok(()) } else { Err(Rejection::NotAllowed(power)) }
    }

    pub(crate) fn responder(&self) -> Responder {
        let proof = match &self.caller.surface {
            Surface::Terminal => "tty",
            Surface::Web => "browser",
            Surface::Dialog | Surface::Api | Surface::Dialect(_) | Surface::Rule => "token",
        };
        Responder {
            person: self.caller.device.person.clone(),
            device: Some(self.caller.device.name.clone()),
            surface: self.caller.surface.clone(),
            proof: Some(proof.into()),
        }
    }

    /// The name under which this caller's asks and sessions are kept.
    pub(crate) fn owner(&self) -> &str {
        &self.caller.device.name
    }

    /// Gives the agent of this name a token.
    ///
    /// # Errors
    ///
    /// When the caller is not a person, the name cannot be one or is another agent's, or it cannot be
    /// stored.
    pub async fn add_agent(&self, name: &str) -> Result<(Device, Token), HubError> {
        self.only(Power::Person)?;
        let device = self.broker.new_agent(name)?;
        let token = self.broker.new_token();
        let (shared, hash) = (self.broker.shared().clone(), token.hash());
        let added = self.change(Wants::default(), move |step| {
            if !agents_called(&shared, step, &device.name).is_empty() {
                return Err(Rejection::NameTaken(device.name));
            }
            step.change_device(DeviceChange::Added, device.clone());
            step.write_device(DeviceWrite::Add(device.clone(), hash));
            Ok(device)
        });
        Ok((added.await?, token))
    }

    fn deliverer(&self, id: DelivererId) -> Deliverer {
        Deliverer { owner: self.owner().to_owned(), id }
    }

    /// Refuses what another agent's token opened. What was stored before owners were kept is open to every
    /// agent: the program that goes on with it after an upgrade has another token than the one that began.
    pub(crate) fn only_own(&self, owner: Option<&str>) -> Result<(), Rejection> {
        self.only(Power::Agent)?;
        match owner {
            Some(owner) if owner != self.owner() => Err(Rejection::NotYours),
            Some(_) | None => Ok(()),
        }
    }

    /// A page of what matches. One that looks into asks gives up after [`MOST_SEARCHED`] of them: it then
    /// has fewer than were wanted, and says where to go on.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub async fn search(&self, mut query: Query) -> Result<Page, HubError> {
        let limit = query.limit.clamp(1, MOST_LISTED);
        let sought = std::mem::take(&mut query.sought);
        let mut page = Page::default();
        let (mut searched, mut bytes) = (0, 0);
        query.limit = limit.min(MAX_READ_TOGETHER);
        loop {
            let records = self.page(&query).await?;
            let is_last = records.len() < query.limit as usize;
            searched += records.len();
            for record in records {
                query.after = Some(record.id);
                if sought.is_in(&record) {
                    bytes += record.matter().as_sent().get().len();
                    page.asks.push(record);
                }
                if page.asks.len() == limit as usize || bytes > MAX_PAGE_BYTES {
                    break;
                }
            }
            let is_full = page.asks.len() == limit as usize || bytes > MAX_PAGE_BYTES;
            if is_full || is_last || searched >= MOST_SEARCHED {
                page.next = query.after.filter(|_| is_full || !is_last);
                return Ok(page);
            }
        }
    }

    /// Asks whose index matches, whatever is sought in them.
    async fn page(&self, query: &Query) -> Result<Vec<Arc<Record>>, HubError> {
        let shared = self.broker.shared();
        let is_open = query.states == [State::Open] && query.order == Order::OldestFirst;
        if is_open && query.kind.is_none() && !query.doubted {
            return Ok(shared.live(|live| live.open_asks(query)));
        }
        Ok(shared.store.list(query).await?.into_iter().map(Arc::new).collect())
    }

    fn person(&self) -> Result<String, Rejection> {
        self.only(Power::Person)?;
        Ok(self.caller.device.person.clone().unwrap_or_default())
    }

    /// Has something decided, unless the device was revoked since its token was looked at: what its
    /// holder had begun to send counts no more either.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        wants: Wants,
        decide: impl FnOnce(&mut Step) -> Result<T, Rejection> + Send + 'static,
    ) -> Result<T, HubError> {
        let (shared, device) = (self.broker.shared().clone(), self.caller.device.id);
        self.broker
            .change(wants, move |step| {
                if shared.revoked.has(device) || step.revokes(device) {
                    return Err(Rejection::Revoked);
                }
                decide(step)
            })
            .await
    }

    /// Decides something about one ask.
    async fn decide(
        &self,
        id: AskId,
        decide: impl FnOnce(&Record, jiff::Timestamp) -> Result<Vec<Event>, Rejection> + Send + 'static,
    ) -> Result<Arc<Record>, HubError> {
        let wants = Wants { ask: Some(id), ..Wants::default() };
        self.change(wants, move |step| {
            let events = decide(&*step.record(id)?, step.now)?;
            step.happen(id, events)
        })
        .await
    }

    /// Decides something about one ask of the caller's own.
    async fn decide_own(
        &self,
        id: AskId,
        decide: impl FnOnce(&Record, jiff::Timestamp) -> Result<Vec<Event>, Rejection> + Send + 'static,
    ) -> Result<Arc<Record>, HubError> {
        let seat = self.clone();
        self.decide(id, move |record, now| {
            seat.only_own(record.opened.owner.as_deref())?;
            decide(record, now)
        })
        .await
    }
}

#[async_trait]
impl Hub for Seat {
    async fn ask(&self, new: NewAsk) -> Result<Asked, HubError> {
        self.only(Power::Agent)?;
        let asker = new.asker.check()?;
        check_key(new.key.as_deref())?;
        let shared = self.broker.shared().clone();
        let policy = shared.settings.caps.grant(new.policy);
        let most = shared.settings.most_open;
        let owner = self.owner().to_owned();
        let agent = asker.agent.clone();
        let key = new.key.clone().map(|key| AskKey { owner: owner.clone(), agent, key });
        let wants = Wants { key: key.clone(), ..Wants::default() };
        let random = ten(shared.world.random());
        let (matter, rival_dialog) = (new.matter, new.rival_dialog);
        let stored = self.change(wants, move |step| {
            if let Some(known) = key.as_ref().and_then(|key| step.by_key(key)) {
                let record = step.record(known)?;
                return if record.matter().same(&matter) {
                    Ok((record, false))
                } else {
                    Err(Rejection::KeyReused)
                };
            }
            if step.open >= most {
                return Err(Rejection::TooManyOpen(most));
            }
            let seconds = policy.deadline_seconds.map(|s| i64::try_from(s).unwrap_or(i64::MAX));
            let deadline_at =
                seconds.and_then(|s| step.now.saturating_add(SignedDuration::from_secs(s)).ok());
            let (key, owner) = (new.key, Some(owner));
            let opened = Opened { asker, key, owner, matter, policy, rival_dialog, deadline_at };
            Ok((step.open(random, opened), true))
        });
        let (record, new_one) = stored.await?;
        let yours = new
            .deliverer
            .is_none_or(|id| self.broker.shared().deliverers.claim(record.id, &self.deliverer(id)));
        Ok(Asked { record, new: new_one, yours })
    }

    async fn get(&self, id: AskId) -> Result<Arc<Record>, HubError> {
        let shared = self.broker.shared();
        if let Some(record) = shared.live(|live| live.asks.get(&id).cloned()) {
            return Ok(record);
        }
        let found = shared.store.load(&[id]).await?.pop();
        found.map(Arc::new).ok_or(HubError::Rejected(Rejection::NoSuchAsk(id)))
    }

    async fn list(&self, mut query: Query) -> Result<Vec<Arc<Record>>, HubError> {
        let mut found = vec![];
        loop {
            let page = self.search(query.clone()).await?;
            query.limit =
                query.limit.saturating_sub(u32::try_from(page.asks.len()).unwrap_or(u32::MAX));
            query.after = page.next;
            found.extend(page.asks);
            if query.limit == 0 || query.after.is_none() {
                return Ok(found);
            }
        }
    }

    async fn wait(
        &self,
        id: AskId,
        deliverer: Option<DelivererId>,
        patience: Duration,
    ) -> Result<Option<Arc<Record>>, HubError> {
        let shared = self.broker.shared();
        // The place at the bell is taken before the look, so that no end falls in between.
        let waiting = shared.waiters.join(id);
        let rings = waiting.bell.notified();
        tokio::pin!(rings);
        rings.as_mut().enable();
        let mut record = self.get(id).await?;
        // Without a deliverer it is only read, which every token may.
        if let Some(deliverer) = deliverer {
            self.only_own(record.opened.owner.as_deref())?;
            if !shared.deliverers.claim(id, &self.deliverer(deliverer)) {
                return Err(Rejection::AnotherDelivers.into());
            }
        }
        if record.is_open() && !patience.is_zero() {
            let device = self.caller.device.id;
            // Whether it rang or time ran out, the record tells.
            tokio::select! {
                _ = tokio::time::timeout(patience, rings) => {}
                () = shared.revoked.until(device) => {}
            }
            if shared.revoked.has(device) {
                return Err(Rejection::Revoked.into());
            }
            record = self.get(id).await?;
        }
        Ok(Some(record).filter(|record| !record.is_open()))
    }

    async fn reply(
        &self,
        id: AskId,
        reply: Reply,
        key: Option<String>,
    ) -> Result<Arc<Record>, HubError> {
        self.only(Power::Person)?;
        let attempt = Attempt { reply, responder: self.responder(), key };
        self.decide(id, move |record, now| record.reply(attempt, now)).await
    }

    async fn extend(
        &self,
        id: AskId,
        seconds: u64,
        key: Option<String>,
    ) -> Result<Arc<Record>, HubError> {
        self.only(Power::Person)?;
        let responder = self.responder();
        let wants = Wants { ask: Some(id), ..Wants::default() };
        self.change(wants, move |step| {
            let events = step.record(id)?.extend(seconds, responder, key, step.clock_of(id))?;
            step.happen(id, events)
        })
        .await
    }

    async fn withdraw(&self, id: AskId, reason: Option<String>) -> Result<Arc<Record>, HubError> {
        self.only(Power::Agent)?;
        self.decide_own(id, move |record, now| record.withdraw(reason, now)).await
    }

    async fn receipt(&self, id: AskId, receipt: Receipt) -> Result<Arc<Record>, HubError> {
        self.only(Power::Agent)?;
        if receipt.text.as_ref().is_some_and(|text| text.len() > LONGEST_RECEIPT) {
            let allowed = format!("{LONGEST_RECEIPT} bytes or fewer");
            return Err(Violations::from(Violation::new("text", "too much", allowed)).into());
        }
        self.decide_own(id, move |record, now| record.receipt(receipt, now)).await
    }

    async fn draft(&self, id: AskId) -> Result<Option<Draft>, HubError> {
        let person = self.person()?;
        self.get(id).await?;
        let stored = self.broker.shared().store.draft(id, &person).await?;
        Ok(stored.map(|stored| stored.draft))
    }

    async fn keep_draft(&self, id: AskId, draft: Draft) -> Result<(), HubError> {
        let person = self.person()?;
        let draft = draft.check()?;
        let place = (id, person.clone());
        let wants = Wants { ask: Some(id), draft: Some(place), ..Wants::default() };
        self.change(wants, move |step| {
            step.record(id)?;
            match step.draft(id, &person) {
                Some(kept) if *kept == draft => Ok(()),
                Some(kept) if kept.version >= draft.version => {
                    Err(Rejection::OlderDraft(Box::new(kept.clone())))
                }
                _ => {
                    step.keep_draft(id, person, Some(draft));
                    Ok(())
                }
            }
        })
        .await
    }

    async fn drop_draft(&self, id: AskId) -> Result<(), HubError> {
        let person = self.person()?;
        let wants = Wants { ask: Some(id), ..Wants::default() };
        self.change(wants, move |step| {
            step.record(id)?;
            step.keep_draft(id, person, None);
            Ok(())
        })
        .await
    }

    async fn look(&self, look: Look) -> Result<(), HubError> {
        self.only(Power::Person)?;
        let shared = self.broker.shared();
        shared.attention.note(self.caller.device.id, look.check()?, shared.world.elapsed());
        Ok(())
    }

    async fn follow(&self, after: Option<Seq>) -> Result<Box<dyn Feed>, HubError> {
        let shared = self.broker.shared().clone();
        Ok(Box::new(Following::new(shared, after, &self.caller.device)?))
    }
}

fn check_key(key: Option<&str>) -> Result<(), Violations> {
    match key {
        Some(key) if key.is_empty() || key.len() > LONGEST_KEY => {
            let found = format!("{} bytes", key.len());
            Err(Violation::new("key", found, format!("1–{LONGEST_KEY}")).into())
        }
        _ => Ok(()),
    }
}
