//! A hub on a real store, and those who use it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{
    AskId, AskStore, Asked, Broker, Caller, Device, DeviceId, Hub, HubError, NewAsk, Power, Record,
    Reply, Seat, Settings, StoredEntry,
};
use handraise_question::Surface;
use handraise_store_sqlite::SqliteStore;
use handraise_testkit::{FakeWorld, StoreDouble, answers, new_ask, while_time_stands_still};
use serde_json::json;
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// A hub, its store and its world.
pub(crate) struct House {
    pub(crate) broker: Broker,
    pub(crate) store: Arc<StoreDouble<SqliteStore>>,
    pub(crate) world: Arc<FakeWorld>,
    sqlite: SqliteStore,
    writer: JoinHandle<()>,
    settings: Settings,
    file: PathBuf,
    /// The directory of the file, if it is this house's own.
    home: Option<TempDir>,
}

impl House {
    /// A new hub whose time stands still.
    pub(crate) async fn new() -> Self {
        Self::with(FakeWorld::still(), Settings::default()).await
    }

    /// A new hub whose time is tokio's, in a test with paused time.
    pub(crate) async fn timed() -> Self {
        Self::with(FakeWorld::following_tokio(), Settings::default()).await
    }

    pub(crate) async fn with(world: Arc<FakeWorld>, settings: Settings) -> Self {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("asks.db");
        let house = Self::start(&file, world, settings).await;
        Self { home: Some(home), ..house }
    }

    /// A hub on a file that somebody else keeps.
    pub(crate) async fn at(file: &Path) -> Self {
        Self::start(file, FakeWorld::still(), Settings::default()).await
    }

    async fn start(file: &Path, world: Arc<FakeWorld>, settings: Settings) -> Self {
        let sqlite = SqliteStore::open(file).unwrap();
        let store = StoreDouble::new(sqlite.clone());
        let (broker, writer) =
            Broker::start(store.clone(), world.clone(), settings.clone()).await.unwrap();
        Self { broker, store, world, sqlite, writer, settings, file: file.to_owned(), home: None }
    }

    /// Stops the hub, waits until everything is stored, and closes the file.
    pub(crate) async fn stop(self) {
        drop(self.broker);
        self.writer.await.unwrap();
        while_time_stands_still(self.sqlite.close()).await;
    }

    /// Stops the hub and starts it again after a while.
    pub(crate) async fn restart_after(mut self, down: Duration) -> Self {
        let (file, world, settings) =
            (self.file.clone(), self.world.clone(), self.settings.clone());
        let home = self.home.take();
        self.stop().await;
        world.pass(down);
        Self { home, ..Self::start(&file, world, settings).await }
    }

    fn seat(&self, power: Power, person: Option<&str>, surface: Surface) -> Seat {
        let device = Device {
            id: DeviceId::new(FakeWorld::START, [7; 10]),
            name: "laptop".into(),
            power,
            person: person.map(str::to_owned),
            added_at: FakeWorld::START,
        };
        self.broker.seat(Caller { device, surface })
    }

    /// The hub as agents see it.
    pub(crate) fn agent(&self) -> Seat {
        self.seat(Power::Agent, None, Surface::Api)
    }

    /// The hub as a person sees it.
    pub(crate) fn person(&self, name: &str) -> Seat {
        self.seat(Power::Person, Some(name), Surface::Web)
    }

    pub(crate) async fn ask(&self, new: NewAsk) -> Result<Asked, HubError> {
        self.agent().ask(new).await
    }

    /// Asks anything.
    pub(crate) async fn ask_any(&self) -> AskId {
        self.ask(new_ask(None)).await.unwrap().record.id
    }

    pub(crate) async fn get(&self, id: AskId) -> Record {
        Record::clone(&*self.agent().get(id).await.unwrap())
    }

    /// Has ann answer `JWT`.
    pub(crate) async fn answer(&self, id: AskId) -> Record {
        Record::clone(&*self.person("ann").reply(id, jwt(), None).await.unwrap())
    }

    pub(crate) async fn log(&self) -> Vec<StoredEntry> {
        self.store.log(0, 100_000).await.unwrap()
    }

    /// The names of everything that happened.
    pub(crate) async fn names(&self) -> Vec<String> {
        self.log().await.into_iter().map(|entry| entry.name).collect()
    }
}

/// The answer to [`new_ask`].
pub(crate) fn jwt() -> Reply {
    answers(json!([{"selected": ["JWT"]}]))
}

/// How an ask ended, in one word.
pub(crate) fn end(record: &Record) -> Option<&str> {
    record.resolved().map(handraise_broker::Resolved::kind)
}
