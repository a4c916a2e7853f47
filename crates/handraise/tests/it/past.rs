//! What was before a hub is started: a database that is filled in this process, at any time.

use std::path::Path;
use std::sync::Arc;

use handraise_broker::{Broker, CLI, Caller, Device, DeviceId, Power, Seat, Settings};
use handraise_question::Surface;
use handraise_store_sqlite::SqliteStore;
use handraise_testkit::FakeWorld;
use tokio::task::JoinHandle;

/// A hub in this process, whose time stands still until a test moves it.
pub(crate) struct Past {
    pub(crate) broker: Broker,
    pub(crate) world: Arc<FakeWorld>,
    store: SqliteStore,
    writer: JoinHandle<()>,
}

impl Past {
    /// Fills the database of a home that has no hub yet.
    pub(crate) async fn of(database: &Path) -> Self {
        std::fs::create_dir_all(database.parent().unwrap()).unwrap();
        let store = SqliteStore::open(database).unwrap();
        let world = FakeWorld::still();
        let started =
            Broker::start(Arc::new(store.clone()), world.clone(), Settings::default()).await;
        let (broker, writer) = started.unwrap();
        Self { broker, world, store, writer }
    }

    fn seat(&self, power: Power, person: Option<&str>) -> Seat {
        let device = Device {
            id: DeviceId::new(FakeWorld::START, [7; 10]),
            name: match power {
                Power::Agent => CLI.into(),
                Power::Person => "laptop".into(),
            },
            power,
            person: person.map(str::to_owned),
            added_at: FakeWorld::START,
        };
        self.broker.seat(Caller { device, surface: Surface::Web })
    }

    pub(crate) fn agent(&self) -> Seat {
        self.seat(Power::Agent, None)
    }

    pub(crate) fn ann(&self) -> Seat {
        self.seat(Power::Person, Some("ann"))
    }

    /// Ends it and leaves one tidy file.
    pub(crate) async fn end(self) {
        drop(self.broker);
        self.writer.await.unwrap();
        self.store.close().await;
    }
}

pub(crate) fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}
