//! What happens, told to one client: first what it missed, then as it happens.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::broker::Shared;
use crate::chain::StoredEntry;
use crate::{
    AskId, Device, DeviceId, Entry, Event, Feed, HubError, News, Power, Record, Rejection, Seq,
    Told,
};

/// How many events are read from the log at once.
const PAGE: u32 = 64;
/// A client that catches up has so many bytes of asks waiting for it, or one ask.
const MAX_READY_BYTES: usize = 1024 * 1024;
/// A client that has no more than this waiting leaves its place to the next.
const SMALL_BYTES: usize = 64 * 1024;
/// How many clients of one power may read the log, or have much of it waiting for them, at once.
const MAX_REPLAYS: usize = 4;

/// Bounds the memory of clients that catch up, however many they are and however slowly they read.
/// Agents cannot take the places of people.
#[derive(Debug)]
pub(crate) struct Replays {
    agents: Arc<Semaphore>,
    people: Arc<Semaphore>,
}

impl Default for Replays {
    fn default() -> Self {
        let places = || Arc::new(Semaphore::new(MAX_REPLAYS));
        Self { agents: places(), people: places() }
    }
}

impl Replays {
    fn of(&self, power: Power) -> Arc<Semaphore> {
        match power {
            Power::Agent => self.agents.clone(),
            Power::Person => self.people.clone(),
        }
    }
}

/// A client's place in the log.
///
/// The publisher never waits for it: what is told live goes into a ring of fixed length, and a client
/// that is overtaken gets a reset.
pub(crate) struct Following {
    shared: Arc<Shared>,
    live: Receiver<News>,
    /// Everything up to here was told.
    cursor: Seq,
    mode: Mode,
    ready: VecDeque<News>,
    /// How many events the next page takes.
    page: u32,
    replays: Arc<Semaphore>,
    /// Held while much of the log waits for the client.
    place: Option<OwnedSemaphorePermit>,
    /// Whose it is.
    device: DeviceId,
    /// Whether events that are not about asks are told, too.
    all: bool,
}

#[derive(Clone, Copy)]
enum Mode {
    /// Reads from the log what was missed.
    Replaying,
    /// Has read all of it, and makes sure.
    LookingOnceMore,
    /// Tells it as it happens.
    Live,
}

impl Following {
    pub(crate) fn new(
        shared: Arc<Shared>,
        after: Option<Seq>,
        device: &Device,
    ) -> Result<Self, HubError> {
        // The ear is opened before the look, so that nothing falls in between.
        let live = shared.listen()?;
        let head = shared.live(|live| live.head.seq);
        let mut ready = VecDeque::new();
        let (cursor, mode) = match after {
            None => {
                ready.push_back(News::Live(head));
                (head, Mode::Live)
            }
            Some(after) if after > head => {
                // A cursor of another log.
                ready.extend([News::Reset(head), News::Live(head)]);
                (head, Mode::Live)
            }
            Some(after) => (after, Mode::Replaying),
        };
        let all = device.power == Power::Person;
        let replays = shared.replays.of(device.power);
        let (page, place, device) = (PAGE / 4, None, device.id);
        Ok(Self { shared, live, cursor, mode, ready, page, replays, place, device, all })
    }

    /// Reads the next page of what was missed.
    async fn replay(&mut self) -> Result<(), HubError> {
        self.place = None;
        let place = self.replays.clone().acquire_owned().await.map_err(|_| HubError::Closed)?;
        let page = self.shared.store.log(self.cursor, self.page).await?;
        if page.is_empty() {
            return self.catch_up();
        }
        self.mode = Mode::Replaying;
        let asks: HashSet<_> = page.iter().filter_map(|entry| entry.ask).collect();
        let asks: Vec<_> = asks.into_iter().collect();
        let mut records = HashMap::new();
        let earlier = self.shared.store.log_of(&asks, self.cursor).await?;
        for stored in &earlier {
            if let Some(entry) = stored.read()? {
                fold(&mut records, &entry);
            }
        }
        let (mut bytes, mut events) = (0, 0);
        for stored in page {
            let entry = stored.read()?;
            let session = entry.as_ref().and_then(|entry| entry.event.session().cloned());
            let detail = match (&stored.ask, &session, &stored.body) {
                (None, None, Some(body)) => serde_json::from_str(body).ok(),
                _ => None,
            };
            let ask = entry.and_then(|entry| fold(&mut records, &entry));
            if stored.ask.is_some() && ask.is_none() {
                // Retention dropped it, or how it began since this page was read.
                self.ready.clear();
                return self.reset();
            }
            let StoredEntry { seq, at, name, body, .. } = stored;
            let asked = ask.as_ref().map_or(0, |ask| ask.matter().as_sent().get().len());
            bytes += asked.max(body.map_or(0, |body| body.len()));
            events += 1;
            let told = Told { seq, at, name, ask, session, detail };
            if self.is_told(&told) {
                self.ready.push_back(News::Event(Arc::new(told)));
            }
            self.cursor = seq;
            if bytes > MAX_READY_BYTES {
                break;
            }
        }
        let is_large = bytes > MAX_READY_BYTES;
        self.page = if is_large { events } else { PAGE.min(self.page * 2) };
        self.place = (bytes > SMALL_BYTES).then_some(place);
        Ok(())
    }

    /// At the end of the log. However long that took, the ear is opened anew and the log looked at
    /// once more, so that only a client that is slow from here on is overtaken.
    fn catch_up(&mut self) -> Result<(), HubError> {
        match self.mode {
            Mode::Replaying => {
                self.live = self.shared.listen()?;
                self.mode = Mode::LookingOnceMore;
            }
            Mode::LookingOnceMore | Mode::Live => {
                self.mode = Mode::Live;
                self.ready.push_back(News::Live(self.cursor));
            }
        }
        Ok(())
    }

    /// Goes on from the end of the log, with all that may wait for a client before it.
    fn reset(&mut self) -> Result<(), HubError> {
        self.live = self.shared.listen()?;
        let head = self.shared.live(|live| live.head.seq);
        self.cursor = head;
        self.mode = Mode::Live;
        self.ready.extend([News::Reset(head), News::Live(head)]);
        Ok(())
    }

    async fn hear(&mut self) -> Result<(), HubError> {
        let heard = tokio::select! {
            heard = self.live.recv() => heard,
            () = self.shared.revoked.until(self.device) => return Ok(()),
        };
        match heard {
            Ok(news) => self.heard(news),
            Err(RecvError::Lagged(_)) => self.reset()?,
            Err(RecvError::Closed) => return Err(HubError::Closed),
        }
        Ok(())
    }

    /// Agents hear of asks and sessions, and not of who may do what.
    fn is_told(&self, told: &Told) -> bool {
        self.all || told.ask.is_some() || told.session.is_some()
    }

    fn heard(&mut self, news: News) {
        match news {
            News::Event(told) => {
                if told.seq > self.cursor {
                    self.cursor = told.seq;
                    if self.is_told(&told) {
                        self.ready.push_back(News::Event(told));
                    }
                }
            }
            News::Typing { .. } | News::Speaking { .. } => self.ready.push_back(news),
            News::Live(_) | News::Reset(_) => {}
        }
    }
}

#[async_trait]
impl Feed for Following {
    async fn next(&mut self) -> Result<News, HubError> {
        loop {
            if self.shared.revoked.has(self.device) {
                return Err(Rejection::Revoked.into());
            }
            if let Some(news) = self.ready.pop_front() {
                return Ok(news);
            }
            match self.mode {
                Mode::Replaying | Mode::LookingOnceMore => self.replay().await?,
                Mode::Live => self.hear().await?,
            }
        }
    }

    fn ready(&mut self) -> Option<News> {
        if self.shared.revoked.has(self.device) {
            return None;
        }
        while self.ready.is_empty() && matches!(self.mode, Mode::Live) {
            match self.live.try_recv() {
                Ok(news) => self.heard(news),
                Err(TryRecvError::Lagged(_)) => {
                    if self.reset().is_err() {
                        // What was missed is still in the log.
                        self.mode = Mode::Replaying;
                    }
                }
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        self.ready.pop_front()
    }
}

/// Folds an event into its ask, and returns the ask as it stands then.
fn fold(records: &mut HashMap<AskId, Arc<Record>>, entry: &Entry) -> Option<Arc<Record>> {
    let id = entry.ask?;
    if let Event::Opened(opened) = &entry.event {
        let record = Record::open(id, opened.clone(), entry.seq, entry.at);
        records.insert(id, Arc::new(record));
    } else if let Some(record) = records.get_mut(&id) {
        Arc::make_mut(record).apply(entry);
    }
    records.get(&id).cloned()
}
