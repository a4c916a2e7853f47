//! A revoked device has no say and hears nothing, however early it began.

use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{
    Broker, Caller, Hub, HubError, News, Power, Rejection, Reply, Seat, Settings, StoredEntry,
};
use handraise_question::Surface;
use handraise_store_sqlite::SqliteStore;
use handraise_testkit::{FakeWorld, new_ask};
use tempfile::TempDir;

use crate::house::House;

const REVOKED: HubError = HubError::Rejected(Rejection::Revoked);

async fn hub() -> (Broker, TempDir) {
    let home = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&home.path().join("asks.db")).unwrap();
    let start = Broker::start(Arc::new(store), FakeWorld::still(), Settings::default());
    (start.await.unwrap().0, home)
}

async fn seat(broker: &Broker, power: Power) -> (Seat, handraise_broker::DeviceId) {
    let person = (power == Power::Person).then(|| "ann".to_owned());
    let (device, _) = broker.add_device("a device", power, person).await.unwrap();
    let id = device.id;
    (broker.seat(Caller { device, surface: Surface::Api }), id)
}

#[tokio::test]
async fn an_answer_counts_if_it_came_before_the_device_was_revoked_and_not_otherwise() {
    let (broker, _home) = hub().await;
    let (agent, _) = seat(&broker, Power::Agent).await;
    let decline = || Reply::Decline(None);

    // Each pair is decided in one batch, in this order.
    let (person, device) = seat(&broker, Power::Person).await;
    let id = agent.ask(new_ask(None)).await.unwrap().record.id;
    let (replied, revoked) =
        tokio::join!(person.reply(id, decline(), None), broker.revoke_device(device));
    assert!(replied.is_ok() && revoked.is_ok());

    let (person, device) = seat(&broker, Power::Person).await;
    let id = agent.ask(new_ask(None)).await.unwrap().record.id;
    let (revoked, replied) =
        tokio::join!(broker.revoke_device(device), person.reply(id, decline(), None));
    assert!(revoked.is_ok());
    assert_eq!(replied, Err(REVOKED));
    assert_eq!(person.drop_draft(id).await, Err(REVOKED), "nor later");
    assert!(agent.get(id).await.unwrap().is_open());
}

#[tokio::test]
async fn whoever_waits_or_listens_is_told_at_once() {
    let (broker, _home) = hub().await;
    let (agent, agents) = seat(&broker, Power::Agent).await;
    let (person, persons) = seat(&broker, Power::Person).await;
    let id = agent.ask(new_ask(None)).await.unwrap().record.id;
    let mut heard_by = [agent.follow(None).await.unwrap(), person.follow(None).await.unwrap()];
    for feed in &mut heard_by {
        assert!(matches!(feed.next().await, Ok(News::Live(_))));
    }
    let (waited, revoked) =
        tokio::join!(agent.wait(id, None, Duration::from_hours(1)), broker.revoke_device(agents));
    assert!(revoked.is_ok());
    assert_eq!(waited, Err(REVOKED));
    broker.revoke_device(persons).await.unwrap();
    for feed in &mut heard_by {
        assert_eq!(feed.next().await, Err(REVOKED));
    }
}

#[tokio::test]
async fn no_link_of_a_revoked_device_pairs_another() {
    let house = House::new().await;
    let broker = &house.broker;
    let (by, _) = broker.add_device("phone", Power::Person, Some("ann".into())).await.unwrap();
    let held = house.store.hold("commit").await;
    // All of them were let in before the revocation, and are decided in one batch.
    let pair = |n: usize| broker.pair_device(by.id, "new", Some(n.to_string()));
    let (before, revoked, after, ()) = tokio::join!(
        futures_util::future::join_all((0..10).map(pair)),
        broker.revoke_device(by.id),
        futures_util::future::join_all((10..20).map(pair)),
        async {
            house.store.commits_begun(2).await;
            drop(held);
        },
    );
    revoked.unwrap();
    assert!(before.iter().all(Result::is_ok));
    assert!(after.iter().all(|paired| paired.as_ref().err() == Some(&REVOKED)), "{after:?}");
    assert!(pair(20).await.is_err(), "nor later");
    let log = house.log().await;
    assert_eq!(log.len(), 12, "the phone, ten others, and the end of the phone");
    let is_end =
        |entry: &StoredEntry| entry.body.as_deref().is_some_and(|it| it.contains("revoked"));
    assert_eq!(log.iter().position(is_end), Some(11), "by the log's own order");
}
