//! A revoked device has no say and hears nothing, however early it began.

use std::sync::Arc;
use std::time::Duration;

use handraise_broker::{
    Broker, Caller, Hub, HubError, News, Power, Rejection, Reply, Seat, Settings,
};
use handraise_question::Surface;
use handraise_store_sqlite::SqliteStore;
use handraise_testkit::{FakeWorld, new_ask};
use tempfile::TempDir;

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
