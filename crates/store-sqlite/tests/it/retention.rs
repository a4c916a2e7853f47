//! Dropping what is old, and proving that nothing else is gone.

use std::time::Duration;

use futures_util::future::join_all;
use handraise_broker::{
    AskId, Audit, Broken, Event, Head, Hub, HubError, Level, NewAsk, Policy, Query, Receipt,
    Rejection, Settings, Sound, State,
};
use handraise_testkit::{FakeWorld, new_ask};
use jiff::Timestamp;

use crate::house::House;

async fn audit(house: &House, kept: Option<Head>) -> Result<Sound, Broken> {
    let mut audit = Audit::new(kept);
    for entry in house.log().await {
        audit.next(&entry)?;
    }
    audit.finish()
}

/// An ask that has ended and waits for nothing.
async fn finished(house: &House) -> AskId {
    let id = house.ask_any().await;
    house.agent().withdraw(id, None).await.unwrap();
    id
}

#[tokio::test]
async fn what_ended_long_ago_is_dropped_and_nothing_else() {
    let settings = Settings { receipt_patience: Duration::from_hours(24), ..Settings::default() };
    let house = House::with(FakeWorld::still(), settings).await;
    let old = finished(&house).await;
    let open = house.ask_any().await;
    let awaited = house.ask_any().await;
    house.answer(awaited).await;
    house.world.pass(Duration::from_hours(1));
    let young = finished(&house).await;
    let kept = house.broker.head();
    assert_eq!(house.broker.prune(FakeWorld::second(60)).await, Ok(1));
    let gone = house.agent().get(old).await;
    assert_eq!(gone, Err(HubError::Rejected(Rejection::NoSuchAsk(old))));
    let listed = house.agent().list(Query { limit: 10, ..Query::default() }).await.unwrap();
    let listed: Vec<_> = listed.iter().map(|record| record.id).collect();
    assert_eq!(listed, [open, awaited, young]);
    let sound = Sound { head: house.broker.head(), pruned: 1 };
    assert_eq!(audit(&house, Some(kept)).await, Ok(sound));
    assert_eq!(house.broker.prune(FakeWorld::second(60)).await, Ok(0));
    assert_eq!(audit(&house, None).await, Ok(sound), "nothing to drop is no event");
}

#[tokio::test]
async fn any_number_is_dropped_and_every_drop_is_an_event() {
    let house = House::new().await;
    let mut asks = join_all((0..1200).map(|_| finished(&house))).await;
    asks.sort();
    assert_eq!(house.broker.prune(Timestamp::MAX).await, Ok(1200));
    let mut dropped = vec![];
    for entry in house.log().await {
        if let Some(Event::Pruned(pruned)) = entry.read().unwrap().map(|entry| entry.event) {
            dropped.extend(pruned.asks);
        }
    }
    dropped.sort();
    assert_eq!(dropped, asks);
    let sound = Sound { head: house.broker.head(), pruned: 1200 };
    assert_eq!(audit(&house, None).await, Ok(sound));
}

/// A late receipt makes an ask wait for another one, just as retention has found it to be done with.
#[tokio::test]
async fn an_ask_that_comes_back_to_life_is_not_dropped() {
    let house = House::new().await;
    let policy = Policy { receipt: Level::Seen, ..Policy::default() };
    let id = house.ask(NewAsk { policy, ..new_ask(None) }).await.unwrap().record.id;
    house.answer(id).await;
    house.agent().withdraw(id, None).await.unwrap();
    assert_eq!(house.get(id).await.state(), State::Undelivered);
    let held = house.store.hold_commits().await;
    let (agent, begun) = (house.agent(), house.store.commits());
    let handed = Receipt::handed(Some("JWT".into()));
    let (delivered, dropped, ()) = tokio::join!(
        agent.receipt(id, handed),
        async {
            house.store.commits_begun(begun + 1).await;
            house.broker.prune(Timestamp::MAX).await
        },
        async {
            house.store.commits_begun(begun + 1).await;
            house.store.has_answered("ended_before", 1).await;
            drop(held);
        },
    );
    assert_eq!(dropped, Ok(0));
    assert_eq!(house.get(id).await, *delivered.unwrap());
    let last = house.log().await.pop().unwrap().name;
    assert_eq!(last, "ask.delivered", "to drop nothing is no event");
}
