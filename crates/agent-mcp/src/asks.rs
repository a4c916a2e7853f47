//! The questions this process has asked, from the hub's taking them to the client's having the answer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use handraise_broker::{
    AskId, Asker, DelivererId, Hub, HubError, Matter, NewAsk, Query, Receipt, Record, Rejection,
    State, wait_for_answer,
};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

/// How an ask ended, or why nobody can say.
pub(crate) type End = Result<Arc<Record>, HubError>;

const PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Every ask whose end the client does not have yet.
pub(crate) struct Asks {
    hub: Arc<dyn Hub>,
    deliverer: DelivererId,
    book: Mutex<HashMap<AskId, Open>>,
    /// One is put at a time, so that two equal ones become one; false when no more are.
    putting: tokio::sync::Mutex<bool>,
    /// How many were put.
    asked: AtomicU64,
    /// Whether it is being looked for what the hub may have kept without saying so.
    settling: AtomicBool,
    /// Receipts and withdrawals on their way.
    errands: TaskTracker,
}

struct Open {
    asker: Asker,
    matter: Matter,
    end: watch::Receiver<Option<End>>,
    /// Calls that wait for it this very moment.
    waiting: usize,
    /// Whether the hub has made this process its deliverer: nobody else may take it back.
    is_ours: bool,
}

/// A call that waits for an ask.
pub(crate) struct Waiter {
    asks: Arc<Asks>,
    pub(crate) id: AskId,
    end: watch::Receiver<Option<End>>,
}

impl Asks {
    pub(crate) fn new(hub: Arc<dyn Hub>, deliverer: DelivererId) -> Self {
        Self {
            hub,
            deliverer,
            book: Mutex::default(),
            putting: tokio::sync::Mutex::new(true),
            asked: AtomicU64::new(0),
            settling: AtomicBool::new(false),
            errands: TaskTracker::new(),
        }
    }

    fn book(&self) -> MutexGuard<'_, HashMap<AskId, Open>> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks, unless the same session asks the same already, for the same reason: that is what a person
    /// reads beside it.
    ///
    /// The key is our own, and not the client's id of the call: that may come twice, and be of any length.
    /// When the hub goes away before it has said whether it has the question, it is told the same again
    /// until then.
    pub(crate) async fn put(
        self: Arc<Self>,
        new: NewAsk,
        until: Instant,
    ) -> Result<Waiter, HubError> {
        let still_putting = self.putting.lock().await;
        if !*still_putting {
            return Err(HubError::Closed);
        }
        if let Some(id) = self.same(&new)
            && let Some(waiter) = self.join(id)
        {
            return Ok(waiter);
        }
        // Where no hub is running nothing is sent, and it is certain that nobody was asked.
        let agent = new.asker.agent.clone();
        self.hub.list(Query { limit: 1, ..open_of(agent.clone()) }).await?;
        let key = self.asked.fetch_add(1, Ordering::Relaxed);
        let key = Some(format!("{}/{key}", self.deliverer.as_str()));
        let new = NewAsk { deliverer: Some(self.deliverer.clone()), key, ..new };
        let mut is_doubtful = false;
        let asked = loop {
            let asked = self.hub.ask(new.clone()).await;
            // A hub that cannot store says that it has not.
            let is_silent = matches!(asked, Err(HubError::Unreachable(_) | HubError::Closed));
            is_doubtful |= is_silent;
            if !is_silent || Instant::now() >= until {
                break asked;
            }
            tokio::time::sleep(PAUSE).await;
        };
        if is_doubtful && asked.is_err() && !self.settling.swap(true, Ordering::SeqCst) {
            self.errands.spawn(self.clone().settle(agent));
        }
        let asked = asked?;
        if !asked.yours {
            return Err(Rejection::AnotherDelivers.into());
        }
        Ok(self.attend(&asked.record, true))
    }

    /// The hub went away before it said whether it has the question. The model was told that nobody was
    /// asked, so nobody is to answer: what this process has at the hub and does not know of is taken back.
    async fn settle(self: Arc<Self>, agent: String) {
        let query = Query { limit: 1000, ..open_of(agent) };
        let prefix = format!("{}/", self.deliverer.as_str());
        let mut pause = PAUSE;
        loop {
            // Nothing may be on its way meanwhile.
            let putting = self.putting.lock().await;
            let open = self.hub.list(query.clone()).await;
            if !is_away(&open) {
                let open = open.unwrap_or_default();
                let ours = |record: &&Arc<Record>| {
                    let key = record.opened.key.as_deref();
                    key.is_some_and(|key| key.starts_with(&prefix))
                        && !self.book().contains_key(&record.id)
                };
                for record in open.iter().filter(ours) {
                    let reason = "the agent was told that nobody could be asked";
                    self.withdraw(record.id, reason.into()).await;
                }
                self.settling.store(false, Ordering::SeqCst);
                return;
            }
            drop(putting);
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn same(&self, new: &NewAsk) -> Option<AskId> {
        let is_same =
            |open: &Open| open.is_ours && open.asker == new.asker && open.matter.same(&new.matter);
        self.book().iter().find(|(_, open)| is_same(open)).map(|(id, _)| *id)
    }

    /// Waits along for an ask that is attended to.
    pub(crate) fn join(self: &Arc<Self>, id: AskId) -> Option<Waiter> {
        let mut book = self.book();
        let open = book.get_mut(&id)?;
        open.waiting += 1;
        Some(Waiter { asks: self.clone(), id, end: open.end.clone() })
    }

    /// Takes up an ask that this process did not put. It is ours only once the hub says so: another
    /// process may be waiting for it.
    pub(crate) fn take_up(self: &Arc<Self>, record: &Record) -> Waiter {
        self.attend(record, false)
    }

    /// Stays at the hub until the ask ends, whether or not a call waits for it.
    fn attend(self: &Arc<Self>, record: &Record, is_ours: bool) -> Waiter {
        let id = record.id;
        let (tell, end) = watch::channel(None);
        {
            let mut book = self.book();
            if let Some(open) = book.get_mut(&id) {
                open.waiting += 1;
                open.is_ours |= is_ours;
                return Waiter { asks: self.clone(), id, end: open.end.clone() };
            }
            let (asker, matter) = (record.asker().clone(), record.matter().clone());
            book.insert(id, Open { asker, matter, end: end.clone(), waiting: 1, is_ours });
        }
        let asks = self.clone();
        tokio::spawn(async move {
            let ended = asks.until_end(id, is_ours);
            // When nobody listens any more there is nobody to tell, and no reason to wait.
            tokio::select! {
                ended = ended => { tell.send_replace(Some(ended)); }
                () = tell.closed() => {}
            }
        });
        Waiter { asks: self.clone(), id, end }
    }

    async fn until_end(&self, id: AskId, is_ours: bool) -> End {
        if !is_ours {
            self.claim(id).await?;
            if let Some(open) = self.book().get_mut(&id) {
                open.is_ours = true;
            }
        }
        wait_for_answer(&*self.hub, id, Some(self.deliverer.clone()), |_| {}).await
    }

    /// Becomes the deliverer of an ask, unless another process is.
    async fn claim(&self, id: AskId) -> Result<(), HubError> {
        loop {
            let claimed = self.hub.wait(id, Some(self.deliverer.clone()), Duration::ZERO).await;
            if !is_away(&claimed) {
                return claimed.map(drop);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// An ask as the client may act on it.
    pub(crate) async fn look_up(&self, id: AskId) -> Result<Arc<Record>, HubError> {
        self.hub.get(id).await.map(Record::for_waiting_program)
    }

    /// The client has it.
    pub(crate) fn handed(self: &Arc<Self>, id: AskId, text: String) {
        self.book().remove(&id);
        let asks = self.clone();
        self.errands.spawn(async move {
            let receipt = Receipt::handed(Some(text));
            while is_away(&asks.hub.receipt(id, receipt.clone()).await) {
                tokio::time::sleep(PAUSE).await;
            }
        });
    }

    /// Nobody will come for this one.
    pub(crate) fn forget(&self, id: AskId) {
        self.book().remove(&id);
    }

    /// Takes an ask back, unless another call waits for it, or perhaps another process.
    pub(crate) fn abandon(self: &Arc<Self>, id: AskId, reason: String) {
        {
            let mut book = self.book();
            if book.get(&id).is_none_or(|open| open.waiting > 0) {
                return;
            }
            if !book.remove(&id).is_some_and(|open| open.is_ours) {
                return;
            }
        }
        let asks = self.clone();
        self.errands.spawn(async move { asks.withdraw(id, reason).await });
    }

    async fn withdraw(&self, id: AskId, reason: String) {
        // Another process may have taken it up while the hub did not see us.
        if let Err(HubError::Rejected(Rejection::AnotherDelivers)) = self.claim(id).await {
            return;
        }
        while is_away(&self.hub.withdraw(id, Some(reason.clone())).await) {
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Takes back whatever is open and ours, and waits until the hub has heard everything.
    pub(crate) async fn close(self: &Arc<Self>, reason: &str) {
        *self.putting.lock().await = false;
        let open: Vec<_> = self.book().drain().collect();
        for (id, _) in open.into_iter().filter(|(_, open)| open.is_ours) {
            let (asks, reason) = (self.clone(), reason.to_owned());
            self.errands.spawn(async move { asks.withdraw(id, reason).await });
        }
        self.errands.close();
        self.errands.wait().await;
    }
}

fn open_of(agent: String) -> Query {
    Query { states: vec![State::Open], agent: Some(agent), ..Query::default() }
}

fn is_away<T>(said: &Result<T, HubError>) -> bool {
    matches!(said, Err(HubError::Unreachable(_) | HubError::Closed | HubError::Store(_)))
}

impl Waiter {
    /// Waits for the end.
    pub(crate) async fn end(&mut self) -> End {
        match self.end.wait_for(Option::is_some).await {
            Ok(end) => end.clone().unwrap_or(Err(HubError::Closed)),
            Err(_) => Err(HubError::Closed),
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        if let Some(open) = self.asks.book().get_mut(&self.id) {
            open.waiting = open.waiting.saturating_sub(1);
        }
    }
}
