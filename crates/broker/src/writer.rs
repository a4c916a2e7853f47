//! The one place where anything changes: jobs are decided one after the other, stored together, and
//! told afterwards.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::{broadcast, mpsc};

use crate::anchor::Anchor;
use crate::broker::Shared;
use crate::step::{Fetched, Step};
use crate::store::{Batch, DeviceWrite};
use crate::timers::Timers;
use crate::{
    AskId, AskKey, Device, Event, MessageKey, News, Record, SessionId, StoreError, event_log,
};

/// A change somebody wants made.
pub(crate) struct Job {
    pub(crate) wants: Wants,
    pub(crate) decide: Decide,
}

/// Decides, and says whom to tell once it is known whether it was stored.
pub(crate) type Decide = Box<dyn FnOnce(&mut Step) -> Finish + Send>;
pub(crate) type Finish = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// What a job has to know.
#[derive(Debug, Default)]
pub(crate) struct Wants {
    pub(crate) ask: Option<AskId>,
    /// Further asks, to be read only.
    pub(crate) asks: Vec<AskId>,
    pub(crate) key: Option<AskKey>,
    pub(crate) draft: Option<(AskId, String)>,
    pub(crate) session: Option<SessionId>,
    pub(crate) messages: Vec<MessageKey>,
}

/// The most jobs that share one commit, which bounds how long the first of them waits.
const MOST_JOBS: usize = 512;
/// While alarms are set, the clock that counts through the machine's sleep is looked at this often:
/// the one that timers run by may stand still meanwhile.
const LOOK_AGAIN: Duration = Duration::from_secs(20);
/// How long alarms rest after the store has failed.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

pub(crate) struct Writer {
    shared: Arc<Shared>,
    news: broadcast::Sender<News>,
    timers: Timers,
    /// Open asks with a deadline.
    watched: HashMap<AskId, Watch>,
    rest_until: Duration,
}

/// What the deadline of an ask goes by.
#[derive(Debug, Clone, Copy)]
struct Watch {
    /// Taken when the deadline was set.
    anchor: Anchor,
    /// When somebody last typed, by that anchor.
    typed_at: Option<Timestamp>,
}

impl Writer {
    pub(crate) fn new(
        shared: Arc<Shared>,
        news: broadcast::Sender<News>,
        anchors: HashMap<AskId, Anchor>,
        typed: Vec<(AskId, Timestamp)>,
    ) -> Self {
        let watch = |(ask, anchor)| (ask, Watch { anchor, typed_at: None });
        let mut writer = Self {
            shared,
            news,
            timers: Timers::default(),
            watched: anchors.into_iter().map(watch).collect(),
            rest_until: Duration::ZERO,
        };
        for (ask, typed_at) in typed {
            if let Some(watch) = writer.watched.get_mut(&ask) {
                watch.typed_at = Some(typed_at);
            }
        }
        let records: Vec<_> = writer.shared.live(|live| live.asks.values().cloned().collect());
        for record in records {
            writer.set_alarm(&record);
        }
        writer
    }

    fn anchor(&self) -> Anchor {
        Anchor::now(&*self.shared.world, self.shared.boot)
    }

    fn typed_at(&self, ask: AskId) -> Option<Timestamp> {
        self.watched.get(&ask).and_then(|watch| watch.typed_at)
    }

    pub(crate) async fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut batch = Vec::new();
        loop {
            let alarm = self.timers.next().map(|due| {
                let due = due.max(self.rest_until);
                due.saturating_sub(self.shared.world.elapsed()).min(LOOK_AGAIN)
            });
            tokio::select! {
                received = jobs.recv_many(&mut batch, MOST_JOBS) => {
                    if received == 0 {
                        return;
                    }
                }
                () = tokio::time::sleep(alarm.unwrap_or_default()), if alarm.is_some() => {}
            }
            self.process(&mut batch).await;
            // A store may keep this thread until all is on the disk. Whoever was just told goes first:
            // the runtime lets no other thread run the last one that was woken here.
            tokio::task::yield_now().await;
        }
    }

    async fn process(&mut self, jobs: &mut Vec<Job>) {
        let elapsed = self.shared.world.elapsed();
        let due =
            if elapsed < self.rest_until { vec![] } else { self.timers.due(elapsed, MOST_JOBS) };
        if jobs.is_empty() && due.is_empty() {
            return;
        }
        let wants: Vec<_> = jobs.iter_mut().map(|job| std::mem::take(&mut job.wants)).collect();
        let fetched = match self.fetch(&wants, &due).await {
            Ok(fetched) => fetched,
            Err(error) => return self.fail(jobs, &error),
        };
        let now = self.anchor();
        let mut step = self.shared.live(|live| Step::new(now, live, fetched));
        for ask in due {
            self.alarm(ask, &mut step);
        }
        let decided: Vec<_> = jobs.drain(..).map(|job| (job.decide)(&mut step)).collect();
        let kept = match step.take_batch() {
            None => Ok(()),
            Some(batch) => {
                let kept = self.shared.store.commit(&batch).await;
                match &kept {
                    Ok(()) => self.publish(&batch, step),
                    Err(error) => self.rest(error),
                }
                kept
            }
        };
        for finish in decided {
            finish(kept.clone());
        }
    }

    fn fail(&mut self, jobs: &mut Vec<Job>, error: &StoreError) {
        self.rest(error);
        let now = self.anchor();
        for job in jobs.drain(..) {
            // Decided against nothing and told that nothing was kept.
            let mut step = self.shared.live(|live| Step::new(now, live, Fetched::default()));
            (job.decide)(&mut step)(Err(error.clone()));
        }
    }

    fn rest(&mut self, error: &StoreError) {
        tracing::error!(%error, "the store failed; nothing of this batch was kept");
        self.rest_until = self.shared.world.elapsed() + AFTER_FAILURE;
    }

    /// Everything the jobs want to know, in few questions to the store.
    async fn fetch(&self, wants: &[Wants], due: &[AskId]) -> Result<Fetched, StoreError> {
        let store = &self.shared.store;
        let mut fetched = Fetched::default();
        let keys: Vec<_> = wants.iter().filter_map(|wants| wants.key.clone()).collect();
        if !keys.is_empty() {
            fetched.keys = store.by_key(&keys).await?.into_iter().collect();
        }
        let wanted = wants.iter().flat_map(|wants| wants.ask.iter().chain(&wants.asks).copied());
        let wanted = wanted.chain(due.iter().copied()).chain(fetched.keys.values().copied());
        let mut missing = vec![];
        self.shared.live(|live| {
            for id in wanted {
                match live.asks.get(&id) {
                    Some(record) => {
                        fetched.asks.insert(id, record.clone());
                    }
                    None => missing.push(id),
                }
            }
        });
        if !missing.is_empty() {
            missing.sort_unstable();
            missing.dedup();
            for record in store.load(&missing).await? {
                fetched.asks.insert(record.id, Arc::new(record));
            }
        }
        for (ask, person) in wants.iter().filter_map(|wants| wants.draft.clone()) {
            if let Some(stored) = store.draft(ask, &person).await? {
                fetched.drafts.insert((ask, person), stored.draft);
            }
        }
        self.fetch_sessions(wants, &mut fetched).await?;
        let elapsed = self.shared.world.elapsed();
        let watched = wants.iter().filter_map(|wants| wants.ask);
        let watched = watched.filter_map(|id| Some((id, self.watched.get(&id)?)));
        fetched.clocks = watched.map(|(id, watch)| (id, watch.anchor.wall_at(elapsed))).collect();
        Ok(fetched)
    }

    async fn fetch_sessions(
        &self,
        wants: &[Wants],
        fetched: &mut Fetched,
    ) -> Result<(), StoreError> {
        for id in wants.iter().filter_map(|wants| wants.session) {
            let known = self.shared.live(|live| live.sessions.get(&id).cloned());
            let found = match known {
                Some(session) => Some(session),
                None => self.shared.store.session(id).await?.map(Arc::new),
            };
            if let Some(session) = found {
                fetched.sessions.insert(id, session);
            }
        }
        for place in wants.iter().flat_map(|wants| &wants.messages) {
            if let Some(message) = self.shared.store.message(place).await? {
                fetched.messages.insert(place.clone(), message);
            }
        }
        Ok(())
    }

    /// Time is up: for the person, or for whoever should have brought the answer to the agent.
    fn alarm(&mut self, ask: AskId, step: &mut Step) {
        let Ok(record) = step.record(ask) else {
            self.timers.set(ask, None);
            return;
        };
        let events = if record.is_open() {
            // The alarm went by the clock that cannot be set, so that is the time it is.
            let typed_at = self.typed_at(ask);
            let reached = record.ends_at(typed_at).map_or(step.now, |end| end.max(step.now));
            record.expire(typed_at, reached)
        } else {
            record.miss_receipt()
        };
        if events.is_empty() {
            self.timers.set(ask, None);
        } else if let Err(error) = step.happen(ask, events) {
            tracing::error!(%error, "an alarm for an ask that is gone");
        }
    }

    /// Tells what was stored.
    fn publish(&mut self, batch: &Batch, mut step: Step) {
        for sealed in &batch.events {
            let record = sealed.entry.ask.and_then(|id| step.changed.get(&id));
            self.shared.stats.count(&sealed.entry.event, record.map(|record| &**record));
            event_log::log(&sealed.entry);
        }
        {
            let mut live = self.shared.live.write().unwrap_or_else(PoisonError::into_inner);
            live.head = step.head;
            live.open = step.open;
            live.last = step.last;
            for (id, record) in &step.changed {
                if record.is_open() || record.awaits_receipt() {
                    live.asks.insert(*id, record.clone());
                } else {
                    live.asks.remove(id);
                }
            }
            for (id, session) in &step.sessions {
                if session.is_over() {
                    live.sessions.remove(id);
                } else {
                    live.sessions.insert(*id, session.clone());
                }
            }
            for write in &batch.devices {
                match write {
                    DeviceWrite::Add(device, hash) => live.devices.push((device.clone(), *hash)),
                    DeviceWrite::Revoke(id, _) => {
                        let is_gone = |(device, _): &mut (Device, _)| device.id == *id;
                        let gone: Vec<_> = live.devices.extract_if(.., is_gone).collect();
                        live.revoked.extend(gone.into_iter().map(|(_, hash)| hash));
                    }
                }
            }
        }
        for write in &batch.devices {
            if let DeviceWrite::Revoke(id, _) = write {
                // Before it is told: its holder hears nothing more.
                self.shared.revoked.note(*id);
            }
        }
        // The agents first: they go on with what was decided, everybody else only looks.
        for sealed in &batch.events {
            if let (Some(id), Event::Resolved(_)) = (sealed.entry.ask, &sealed.entry.event) {
                self.shared.waiters.ring(id);
            }
        }
        for changed in batch.events.iter().filter_map(|sealed| sealed.entry.event.session()) {
            self.shared.speaking.heard(changed);
        }
        for told in step.told.drain(..) {
            self.tell(News::Event(Arc::new(told)));
        }
        for (ask, anchor) in &batch.anchors {
            self.watched.insert(*ask, Watch { anchor: *anchor, typed_at: None });
        }
        for record in step.changed.values() {
            if !record.is_open() && !record.awaits_receipt() {
                self.shared.deliverers.forget(record.id);
            }
            self.set_alarm(record);
        }
        self.note_typing(&step);
    }

    fn tell(&self, news: News) {
        // Nobody listening is no error.
        let _ = self.news.send(news);
    }

    fn note_typing(&mut self, step: &Step) {
        for ask in &step.typed {
            let live = self.shared.live(|live| live.asks.get(ask).cloned());
            let Some(record) = live.filter(|record| record.is_open()) else { continue };
            let elapsed = self.shared.world.elapsed();
            if let Some(watch) = self.watched.get_mut(ask) {
                watch.typed_at = Some(watch.anchor.wall_at(elapsed));
            }
            self.set_alarm(&record);
            let ends_at = record.ends_at(self.typed_at(*ask));
            self.tell(News::Typing { ask: *ask, ends_at });
        }
    }

    fn set_alarm(&mut self, record: &Record) {
        if !record.is_open() || record.deadline_at.is_none() {
            self.watched.remove(&record.id);
        }
        let due = if record.is_open() {
            record.ends_at(self.typed_at(record.id)).map(|end| {
                let known = self.watched.get(&record.id).map(|watch| watch.anchor);
                known.unwrap_or_else(|| self.anchor()).elapsed_at(end)
            })
        } else if record.awaits_receipt() {
            Some(self.shared.world.elapsed() + self.shared.settings.receipt_patience)
        } else {
            None
        };
        self.timers.set(record.id, due);
    }
}
