//! What a full disk does. It is full by SQLite's own account: `max_page_count` holds for one
//! connection, and only these tests can reach the one that writes.

use std::sync::Arc;

use handraise_broker::{
    AskStore, Broker, Caller, Device, DeviceId, Hub, HubError, NewAsk, Power, Query, Seat,
    Settings, StoreError,
};
use handraise_question::Surface;
use handraise_testkit::{FakeWorld, new_ask};

use crate::SqliteStore;

impl SqliteStore {
    /// Leaves no room for more pages than there are already, plus `spare`.
    fn fill(&self, spare: i64) {
        let filled = self.writer.with(|connection| {
            let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
            connection.pragma_update(None, "max_page_count", pages + spare)?;
            Ok(())
        });
        filled.unwrap();
    }
}

async fn agent(store: SqliteStore) -> Seat {
    let start = Broker::start(Arc::new(store), FakeWorld::still(), Settings::default());
    let (broker, _) = start.await.unwrap();
    let device = Device {
        id: DeviceId::new(FakeWorld::START, [7; 10]),
        name: "agent".into(),
        power: Power::Agent,
        person: None,
        added_at: FakeWorld::START,
    };
    broker.seat(Caller { device, surface: Surface::Api })
}

/// An ask that needs more room than a page.
fn long_ask() -> NewAsk {
    let mut new = new_ask(None);
    new.asker.preamble = Some("I have been thinking. ".repeat(2000));
    new
}

#[tokio::test]
async fn a_full_disk_keeps_nothing_of_a_batch_and_says_so() {
    let home = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&home.path().join("asks.db")).unwrap();
    let agent = agent(store.clone()).await;
    let kept = agent.ask(long_ask()).await.unwrap().record;
    let everything = Query { limit: 10, ..Query::default() };
    let before = (store.head().await, store.log(0, 10).await, store.list(&everything).await);

    // There is room for a part of the ask, not for all of it.
    store.fill(3);
    assert_eq!(agent.ask(long_ask()).await, Err(HubError::Store(StoreError::Full)));
    let after = (store.head().await, store.log(0, 10).await, store.list(&everything).await);
    assert_eq!(after, before);
    assert_eq!(agent.get(kept.id).await, Ok(kept), "what was there can be read");

    store.fill(1000);
    let asked = agent.ask(long_ask()).await.unwrap();
    assert_eq!((asked.new, asked.record.seq), (true, 2), "there is room again");
}
