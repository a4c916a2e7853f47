//! Waiting for the end of an ask.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use handraise_broker::{AskId, Hub, HubError, Rejection, World};
use handraise_testkit::{FakeWorld, PATIENCE};

use crate::house::{House, end, jwt};

#[tokio::test(start_paused = true)]
async fn waiting_ends_with_the_ask() {
    let house = House::timed().await;
    let id = house.ask_any().await;
    let agent = house.agent();
    let (ended, answered) = tokio::join!(agent.wait(id, None, PATIENCE), house.answer(id));
    assert_eq!(ended, Ok(Some(Arc::new(answered))));
    assert_eq!(house.world.now(), FakeWorld::START, "and at once");
}

#[tokio::test(start_paused = true)]
async fn patience_has_an_end() {
    let house = House::timed().await;
    let id = house.ask_any().await;
    assert_eq!(house.agent().wait(id, None, Duration::from_secs(30)).await, Ok(None));
    assert_eq!(house.world.now(), FakeWorld::second(30));
    assert_eq!(house.agent().wait(id, None, Duration::ZERO).await, Ok(None));
    assert_eq!(house.world.now(), FakeWorld::second(30));
}

#[tokio::test]
async fn an_ask_that_has_ended_is_not_waited_for() {
    let house = House::new().await;
    let id = house.ask_any().await;
    let answered = Arc::new(house.answer(id).await);
    for patience in [Duration::ZERO, PATIENCE] {
        assert_eq!(house.agent().wait(id, None, patience).await, Ok(Some(answered.clone())));
    }
    house.agent().withdraw(id, None).await.unwrap();
    let finished = Arc::new(house.get(id).await);
    assert_eq!(house.agent().wait(id, None, PATIENCE).await, Ok(Some(finished)));
}

#[tokio::test]
async fn an_ask_that_does_not_exist_is_not_waited_for() {
    let house = House::new().await;
    let nobody: AskId = "01977420-dfe8-7101-8101-010101010101".parse().unwrap();
    let refused = house.agent().wait(nobody, None, PATIENCE).await;
    assert_eq!(refused, Err(HubError::Rejected(Rejection::NoSuchAsk(nobody))));
}

#[tokio::test]
async fn one_end_wakes_all_who_wait_for_it_and_nobody_else() {
    let house = House::new().await;
    let (id, other) = (house.ask_any().await, house.ask_any().await);
    let waiting = (0..50).map(|_| {
        let agent = house.agent();
        tokio::spawn(async move { agent.wait(id, None, PATIENCE).await })
    });
    let waiting: Vec<_> = waiting.collect();
    let agent = house.agent();
    let elsewhere = tokio::spawn(async move { agent.wait(other, None, PATIENCE).await });
    tokio::task::yield_now().await;
    let answered = Arc::new(house.answer(id).await);
    for ended in join_all(waiting).await {
        assert_eq!(ended.unwrap(), Ok(Some(answered.clone())));
    }
    assert!(!elsewhere.is_finished());
    elsewhere.abort();
}

/// Whoever gives up leaves the others waiting.
#[tokio::test]
async fn one_who_gives_up_takes_nobody_along() {
    let house = House::new().await;
    let id = house.ask_any().await;
    let wait = || {
        let agent = house.agent();
        tokio::spawn(async move { agent.wait(id, None, PATIENCE).await })
    };
    let (stays, leaves) = (wait(), wait());
    tokio::task::yield_now().await;
    leaves.abort();
    assert!(leaves.await.unwrap_err().is_cancelled());
    let answered = Arc::new(house.answer(id).await);
    assert_eq!(stays.await.unwrap(), Ok(Some(answered)));
}

/// Somebody begins to wait at every moment around the end, so that it falls before, after and in
/// between the steps of waiting.
#[tokio::test(flavor = "multi_thread")]
async fn no_end_is_missed_however_close_it_comes() {
    let house = House::new().await;
    for _ in 0..30 {
        let id = house.ask_any().await;
        let ann = house.person("ann");
        let answering = tokio::spawn(async move { ann.reply(id, jwt(), None).await });
        let mut waiting = vec![];
        while !answering.is_finished() {
            let agent = house.agent();
            // Longer than the test waits: one who is not woken would find the end only then.
            waiting.push(tokio::spawn(async move { agent.wait(id, None, 2 * PATIENCE).await }));
            // A few microseconds, so that they are many but not too many.
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
        }
        let waiting = tokio::time::timeout(PATIENCE, join_all(waiting));
        for ended in waiting.await.expect("the end was missed") {
            assert_eq!(ended.unwrap().unwrap().as_deref().and_then(end), Some("answered"));
        }
        answering.await.unwrap().unwrap();
    }
}
