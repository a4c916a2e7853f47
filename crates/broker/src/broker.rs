//! A hub in this process.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use handraise_question::{Surface, Violation, Violations};
use jiff::Timestamp;
use jiff::tz::Offset;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::attention::Attention;
use crate::deliverer::{Deliverer, Deliverers, Presence};
use crate::feed::Replays;
use crate::proof::Tickets;
use crate::revoked::Revoked;
use crate::session_seat::Speaking;
use crate::stats::Stats;
use crate::step::{Live, Step};
use crate::store::DeviceWrite;
use crate::waiters::Waiters;
use crate::writer::{Job, Wants, Writer};
use crate::{
    AccessRefused, Anchor, AskId, AskStore, Batch, BootId, Caller, Counts, Days, DelivererId,
    Device, DeviceChange, DeviceId, Event, Head, HubError, News, PolicyCaps, Power, Progress,
    Pruned, Record, Rejection, Seat, Session, SessionId, StoreError, Times, Token, World,
    is_agent_name,
};

/// How a hub treats those who use it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How far an agent's wishes go.
    pub caps: PolicyCaps,
    /// The most asks that may be open at once.
    pub most_open: usize,
    /// How long a resolved ask waits for a receipt before the person is told that none came.
    pub receipt_patience: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            caps: PolicyCaps::default(),
            most_open: 200_000,
            receipt_patience: Duration::from_mins(1),
        }
    }
}

/// A hub in this process: cheap to clone, one behind it all.
#[derive(Clone)]
pub struct Broker {
    shared: Arc<Shared>,
    jobs: mpsc::Sender<Job>,
}

/// What everybody reads and only the writer writes.
pub(crate) struct Shared {
    pub(crate) store: Arc<dyn AskStore>,
    pub(crate) world: Arc<dyn World>,
    pub(crate) boot: Option<BootId>,
    pub(crate) tickets: Tickets,
    pub(crate) settings: Settings,
    pub(crate) live: RwLock<Live>,
    /// The writer has the strong one: when it is gone, so is the hub.
    pub(crate) news: broadcast::WeakSender<News>,
    pub(crate) waiters: Waiters,
    pub(crate) revoked: Revoked,
    pub(crate) replays: Replays,
    pub(crate) deliverers: Deliverers,
    pub(crate) stats: Stats,
    pub(crate) speaking: Speaking,
    pub(crate) attention: Attention,
}

impl Shared {
    pub(crate) fn live<T>(&self, look: impl FnOnce(&Live) -> T) -> T {
        look(&self.live.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.world.now()
    }

    /// Listens to everything that is told from now on.
    pub(crate) fn listen(&self) -> Result<broadcast::Receiver<News>, HubError> {
        self.news.upgrade().map(|news| news.subscribe()).ok_or(HubError::Closed)
    }
}

/// How much news may wait for a client before it counts as too slow.
const NEWS_WAITING: usize = 1024;
const JOBS_WAITING: usize = 4096;
const MOST_PRUNED_AT_ONCE: u32 = 500;

impl Broker {
    /// Takes up the work where the store says it was left.
    ///
    /// The task ends when the last clone of the broker is gone and everything is stored.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub async fn start(
        store: Arc<dyn AskStore>,
        world: Arc<dyn World>,
        settings: Settings,
    ) -> Result<(Self, JoinHandle<()>), StoreError> {
        let asks: Vec<Record> = store.unfinished().await?;
        let typed = store.last_typed().await?;
        let boot = world.boot();
        let anchors = resume_deadlines(&*store, &asks, Anchor::now(&*world, boot)).await?;
        let last = store.newest().await?;
        let sessions = store.live_sessions().await?;
        let live = Live {
            open: asks.iter().filter(|record| record.is_open()).count(),
            asks: asks.into_iter().map(|record| (record.id, Arc::new(record))).collect(),
            last,
            devices: store.devices().await?,
            revoked: vec![],
            sessions: sessions.into_iter().map(|one| (one.id, Arc::new(one))).collect(),
            head: store.head().await?,
        };
        let news = broadcast::channel(NEWS_WAITING).0;
        let tickets = Tickets::new(world.random());
        let shared = Arc::new(Shared {
            store,
            world,
            boot,
            tickets,
            settings,
            live: RwLock::new(live),
            news: news.downgrade(),
            waiters: Waiters::default(),
            revoked: Revoked::default(),
            replays: Replays::default(),
            deliverers: Deliverers::default(),
            stats: Stats::default(),
            speaking: Speaking::default(),
            attention: Attention::default(),
        });
        let (jobs, waiting) = mpsc::channel(JOBS_WAITING);
        let writer = Writer::new(shared.clone(), news, anchors, typed).run(waiting);
        Ok((Self { shared, jobs }, tokio::spawn(writer)))
    }

    /// The hub as `caller` sees it.
    #[must_use]
    pub fn seat(&self, caller: Caller) -> Seat {
        Seat { broker: self.clone(), caller }
    }

    /// Whose token, or ticket, this is.
    #[must_use]
    pub fn authenticate(&self, token: &Token) -> Option<Device> {
        let presented = token.hash();
        let holder = self.shared.tickets.holder(token);
        // Every hash is compared, and each in constant time.
        self.shared.live(|live| {
            live.devices.iter().fold(None, |found, (device, hash)| {
                let is_it = *hash == presented || holder == Some(device.id);
                if is_it { Some(device.clone()) } else { found }
            })
        })
    }

    /// Proves to a page that this hub knows its token, before the page sends it; `None` when it does not.
    /// `up` is for how long it has listened.
    #[must_use]
    pub fn prove(
        &self,
        fingerprint: &str,
        origin: &str,
        nonce: &str,
        up: Duration,
    ) -> Option<String> {
        let known = self.shared.live(|live| {
            let all = live.devices.iter().map(|(_, hash)| hash).chain(&live.revoked);
            all.copied().find(|hash| hash.fingerprint() == fingerprint)
        });
        known.map(|hash| hash.proof(origin, nonce, up))
    }

    /// What a page sends with its requests instead of its token: it counts as long as this hub runs and the
    /// device is not revoked.
    #[must_use]
    pub fn ticket(&self, device: DeviceId) -> Token {
        self.shared.tickets.issue(device)
    }

    /// The devices whose tokens count.
    #[must_use]
    pub fn devices(&self) -> Vec<Device> {
        self.shared.live(|live| live.devices.iter().map(|(device, _)| device.clone()).collect())
    }

    /// Gives a new device its token.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub async fn add_device(
        &self,
        name: &str,
        power: Power,
        person: Option<String>,
    ) -> Result<(Device, Token), HubError> {
        let token = self.new_token();
        let device = self.admit_device(&token, name, power, person).await?;
        Ok((device, token))
    }

    /// A token that counts for nothing yet.
    #[must_use]
    pub fn new_token(&self) -> Token {
        Token::new(self.shared.world.random())
    }

    /// Makes a token count, as that of a new device.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub async fn admit_device(
        &self,
        token: &Token,
        name: &str,
        power: Power,
        person: Option<String>,
    ) -> Result<Device, HubError> {
        self.admit(token, name, power, person, None).await
    }

    /// Gives a device its token that was invited by another one, unless that one was revoked meanwhile:
    /// an invitation is worth no more than the device it was made with.
    ///
    /// # Errors
    ///
    /// When the inviting device was revoked, or it cannot be stored.
    pub async fn pair_device(
        &self,
        by: DeviceId,
        name: &str,
        person: Option<String>,
    ) -> Result<(Device, Token), HubError> {
        let token = self.new_token();
        let device = self.admit(&token, name, Power::Person, person, Some(by)).await?;
        Ok((device, token))
    }

    async fn admit(
        &self,
        token: &Token,
        name: &str,
        power: Power,
        person: Option<String>,
        by: Option<DeviceId>,
    ) -> Result<Device, HubError> {
        let hash = token.hash();
        let device = self.new_device(name, power, person);
        let shared = self.shared.clone();
        self.change(Wants::default(), move |step| {
            // Decided in the writer: checked before, a revocation could come in between.
            if by.is_some_and(|by| shared.revoked.has(by) || step.revokes(by)) {
                return Err(Rejection::Revoked);
            }
            step.change_device(DeviceChange::Added, device.clone());
            step.write_device(DeviceWrite::Add(device.clone(), hash));
            Ok(device)
        })
        .await
    }

    /// Makes a token count, as that of the agent of this name, and that of another agent of this name no
    /// more. Names are unique among agents, for asks belong to them.
    ///
    /// # Errors
    ///
    /// When the name cannot be one, or it cannot be stored.
    pub async fn admit_agent(&self, token: &Token, name: &str) -> Result<Device, HubError> {
        let (shared, hash) = (self.shared.clone(), token.hash());
        let device = self.new_agent(name)?;
        self.change(Wants::default(), move |step| {
            for known in agents_called(&shared, step, &device.name) {
                step.write_device(DeviceWrite::Revoke(known.id, step.now));
                step.change_device(DeviceChange::Revoked, known);
            }
            step.change_device(DeviceChange::Added, device.clone());
            step.write_device(DeviceWrite::Add(device.clone(), hash));
            Ok(device)
        })
        .await
    }

    pub(crate) fn new_agent(&self, name: &str) -> Result<Device, Violations> {
        if is_agent_name(name) {
            return Ok(self.new_device(name, Power::Agent, None));
        }
        let found = format!("{} characters", name.chars().count());
        let allowed = "1–100 of a–z, A–Z, 0–9, -, _, . and @, a letter or digit first";
        Err(Violation::new("agent", found, allowed).into())
    }

    /// The hub as the agent of this name sees it, without a token: for what the hub does in its place.
    #[must_use]
    pub fn agent_seat(&self, name: &str) -> Seat {
        let device = self.new_device(name, Power::Agent, None);
        self.seat(Caller { device, surface: Surface::Api })
    }

    pub(crate) fn new_device(&self, name: &str, power: Power, person: Option<String>) -> Device {
        let added_at = self.shared.now();
        let id = DeviceId::new(added_at, ten(self.shared.world.random()));
        Device { id, name: name.to_owned(), power, person, added_at }
    }

    /// Makes a device's token count no more.
    ///
    /// # Errors
    ///
    /// When there is no such device, or it cannot be stored.
    pub async fn revoke_device(&self, id: DeviceId) -> Result<Device, HubError> {
        let shared = self.shared.clone();
        self.change(Wants::default(), move |step| {
            let known = shared.live(|live| {
                live.devices.iter().find(|(device, _)| device.id == id).map(|(d, _)| d.clone())
            });
            // A job before this one may have done it already.
            let known = known.filter(|_| !step.revokes(id));
            let device = known.ok_or(Rejection::NoSuchDevice)?;
            step.change_device(DeviceChange::Revoked, device.clone());
            step.write_device(DeviceWrite::Revoke(id, step.now));
            Ok(device)
        })
        .await
    }

    /// Waits until the device is revoked.
    pub async fn until_revoked(&self, id: DeviceId) {
        self.shared.revoked.until(id).await;
    }

    /// Writes a refused attempt into the log.
    ///
    /// # Errors
    ///
    /// When it cannot be stored.
    pub async fn note_refusal(&self, refused: AccessRefused) -> Result<(), HubError> {
        self.change(Wants::default(), move |step| {
            step.append(None, Event::AccessRefused(refused));
            Ok(())
        })
        .await
    }

    /// Notes how a session stands, where nobody runs it who could tell.
    ///
    /// # Errors
    ///
    /// When there is no such session, or it cannot be stored.
    pub async fn note_progress(&self, id: SessionId, progress: Progress) -> Result<(), HubError> {
        let wants = Wants { session: Some(id), ..Wants::default() };
        self.change(wants, move |step| {
            let mut session = Session::clone(&*step.session(id)?);
            session.progress(&progress);
            step.change_session(session, vec![]);
            Ok(())
        })
        .await
    }

    /// Notes that the last front end of a dialect which showed an ask has gone: its rules say what
    /// that means. Whether it is missed is asked once more at the moment in which that is decided:
    /// another front end may have come meanwhile.
    ///
    /// # Errors
    ///
    /// When there is no such ask, or it cannot be stored.
    pub async fn disconnected(
        &self,
        id: AskId,
        dialect: &'static str,
        is_missed: impl FnOnce(&Record) -> bool + Send + 'static,
    ) -> Result<(), HubError> {
        let wants = Wants { ask: Some(id), ..Wants::default() };
        self.change(wants, move |step| {
            let ask = step.record(id)?;
            let events = if is_missed(&ask) { ask.disconnect(dialect, step.now) } else { vec![] };
            step.happen(id, events).map(|_| ())
        })
        .await
    }

    /// The sessions that are not over.
    #[must_use]
    pub fn live_sessions(&self) -> Vec<Arc<Session>> {
        self.shared.live(|live| live.sessions.values().cloned().collect())
    }

    /// The open asks for which `wanted` holds, the oldest first.
    ///
    /// Nothing is changed while `wanted` looks: it is to be quick.
    #[must_use]
    pub fn open_asks(&self, wanted: impl Fn(&Record) -> bool) -> Vec<Arc<Record>> {
        let mut found: Vec<_> = self.shared.live(|live| {
            let open = live.asks.values().filter(|record| record.is_open() && wanted(record));
            open.cloned().collect()
        });
        found.sort_by_key(|record| record.id);
        found
    }

    /// Drops the contents of asks and sessions that ended before `before`; returns how many.
    ///
    /// # Errors
    ///
    /// When the store fails; what was dropped by then stays dropped.
    pub async fn prune(&self, before: Timestamp) -> Result<usize, HubError> {
        let mut dropped = self.prune_sessions(before).await?;
        loop {
            let ended = self.shared.store.ended_before(before, MOST_PRUNED_AT_ONCE).await?;
            if ended.is_empty() {
                return Ok(dropped);
            }
            let shared = self.shared.clone();
            let drop = self.change(Wants::default(), move |step| {
                // A late receipt may have brought one back to life since.
                let live = |id: &AskId| shared.live(|live| live.asks.contains_key(id));
                let over = |id: &AskId| !live(id) && !step.changed.contains_key(id);
                let asks: Vec<_> = ended.into_iter().filter(over).collect();
                let dropped = asks.len();
                if dropped > 0 {
                    step.batch.pruned.extend(&asks);
                    let (sessions, events) = (vec![], vec![]);
                    step.append(None, Event::Pruned(Pruned { before, asks, sessions, events }));
                }
                Ok(dropped)
            });
            match drop.await? {
                // All of them wait for something again.
                0 => return Ok(dropped),
                now => dropped += now,
            }
        }
    }

    /// Drops the contents of sessions that were over before `before`; returns how many.
    async fn prune_sessions(&self, before: Timestamp) -> Result<usize, HubError> {
        let mut dropped = 0;
        while let Some((session, events)) = self.shared.store.session_over_before(before).await? {
            self.change(Wants::default(), move |step| {
                step.batch.pruned_sessions.push(session);
                let (asks, sessions) = (vec![], vec![session]);
                step.append(None, Event::Pruned(Pruned { before, asks, sessions, events }));
                Ok(())
            })
            .await?;
            dropped += 1;
        }
        Ok(dropped)
    }

    /// Waits until a deliverer has left, since this was waited for last: perhaps with its agent, and
    /// perhaps without having told so.
    pub async fn deliverer_left(&self) {
        self.shared.deliverers.one_left().await;
    }

    /// Notes that a deliverer of the agent of this name is connected, for as long as the presence lives.
    #[must_use]
    pub fn arrive(&self, owner: &str, id: DelivererId) -> Presence {
        self.shared.deliverers.arrive(Deliverer { owner: owner.to_owned(), id })
    }

    /// Until when, in the time of [`World::elapsed`], somebody looks at an ask; `None` when nobody does.
    #[must_use]
    pub fn looked_at_until(&self, ask: AskId) -> Option<Duration> {
        self.shared.attention.until(ask, self.shared.world.elapsed())
    }

    /// Hears when a surface says that somebody looks, or no longer does.
    #[must_use]
    pub fn looks(&self) -> watch::Receiver<()> {
        self.shared.attention.changes()
    }

    /// Whether the store is still where it was.
    ///
    /// # Errors
    ///
    /// When it is not: nothing could be kept.
    pub async fn probe(&self) -> Result<(), StoreError> {
        self.shared.store.probe().await
    }

    /// Whether anything was ever asked.
    #[must_use]
    pub fn has_asks(&self) -> bool {
        self.shared.live(|live| live.last.is_some())
    }

    /// The end of the log.
    #[must_use]
    pub fn head(&self) -> Head {
        self.shared.live(|live| live.head)
    }

    /// How many asks are open, and how many seconds agents have waited for them in all.
    #[must_use]
    pub fn waiting(&self) -> (usize, f64) {
        let now = self.shared.now();
        self.shared.live(|live| {
            let open = live.asks.values().filter(|record| record.is_open());
            let waited = open.map(|record| now.duration_since(record.asked_at).as_secs_f64());
            // Not `sum`: that of nothing is minus zero.
            (live.open, waited.fold(0.0, std::ops::Add::add))
        })
    }

    /// How long agents waited in the last days, for somebody whose clock is so far from UTC.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub async fn times(&self, days: u16, offset: Offset) -> Result<Times, HubError> {
        let now = self.shared.now();
        let days = Days::until(now, days, offset);
        let spans = self.shared.store.spans(days.begin()).await?;
        // A year of many asks takes a moment, in which others want to be served.
        let times = tokio::task::spawn_blocking(move || Times::of(&spans, &days, now));
        times.await.map_err(|_| HubError::Closed)
    }

    /// Counts since this hub was started.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.shared.stats.counts()
    }

    /// Time and chance, as this hub has them.
    #[must_use]
    pub fn world(&self) -> &dyn World {
        &*self.shared.world
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Has something decided by the writer, and waits until it is stored.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        wants: Wants,
        decide: impl FnOnce(&mut Step) -> Result<T, Rejection> + Send + 'static,
    ) -> Result<T, HubError> {
        let (done, outcome) = oneshot::channel();
        let job = Job {
            wants,
            decide: Box::new(move |step| {
                let decided = decide(step);
                Box::new(move |kept| {
                    let result = kept.map_err(HubError::from);
                    // Whoever asked for it may be gone by now; it is stored all the same.
                    let _ = done.send(result.and_then(|()| decided.map_err(HubError::from)));
                })
            }),
        };
        self.jobs.send(job).await.map_err(|_| HubError::Closed)?;
        outcome.await.map_err(|_| HubError::Closed)?
    }
}

/// Finds out what the deadlines of open asks are counted by, and keeps what is new of it.
async fn resume_deadlines(
    store: &dyn AskStore,
    asks: &[Record],
    now: Anchor,
) -> Result<HashMap<AskId, Anchor>, StoreError> {
    let kept: HashMap<_, _> = store.anchors().await?.into_iter().collect();
    let waiting = asks.iter().filter(|ask| ask.is_open() && ask.deadline_at.is_some());
    let resume = |ask: &Record| Anchor::resume(kept.get(&ask.id).copied(), now, ask.asked_at);
    let resumed: HashMap<_, _> = waiting.map(|ask| (ask.id, resume(ask))).collect();
    let is_new = |(id, anchor): &(&AskId, &Anchor)| kept.get(id) != Some(anchor);
    let anchors: Vec<_> =
        resumed.iter().filter(is_new).map(|(id, anchor)| (*id, *anchor)).collect();
    if now.boot.is_some() && !anchors.is_empty() {
        store.commit(&Batch { anchors, ..Batch::default() }).await?;
    }
    Ok(resumed)
}

pub(crate) fn ten(random: [u8; 32]) -> [u8; 10] {
    let mut bytes = [0; 10];
    bytes.copy_from_slice(&random[..10]);
    bytes
}

/// The agents of this name whose tokens count when the jobs before this one are done.
pub(crate) fn agents_called(shared: &Shared, step: &Step, name: &str) -> Vec<Device> {
    let is_one = |device: &&Device| device.is_agent(name) && !step.revokes(device.id);
    let known = shared.live(|live| {
        live.devices.iter().map(|(device, _)| device).filter(is_one).cloned().collect::<Vec<_>>()
    });
    known.into_iter().chain(step.added_devices().filter(is_one).cloned()).collect()
}
