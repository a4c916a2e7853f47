//! A store that fails changes nothing, is told to everybody, and is not the end.

use std::time::Duration;

use futures_util::future::join_all;
use handraise_broker::{
    Broker, Feed, Hub, HubError, NewAsk, News, Policy, Query, Settings, State, StoreError,
};
use handraise_testkit::{FakeWorld, PATIENCE, new_ask};

use crate::house::{House, end, jwt};

fn full<T>() -> Result<T, HubError> {
    Err(HubError::Store(StoreError::Full))
}

async fn next(feed: &mut Box<dyn Feed>) -> News {
    tokio::time::timeout(PATIENCE, feed.next()).await.expect("no news").unwrap()
}

#[tokio::test]
async fn everybody_in_a_batch_that_was_not_kept_hears_of_it() {
    let house = House::new().await;
    let id = house.ask_any().await;
    let before = house.get(id).await;
    let mut feed = house.person("bob").follow(None).await.unwrap();
    assert_eq!(next(&mut feed).await, News::Live(1));
    let (ann, agent) = (house.person("ann"), house.agent());
    let held = house.store.hold_commits().await;
    let (first, answered, withdrawn, keyed, ()) = tokio::join!(
        house.ask(new_ask(None)),
        async {
            house.store.commits_begun(2).await;
            ann.reply(id, jwt(), None).await
        },
        async {
            house.store.commits_begun(2).await;
            agent.withdraw(id, None).await
        },
        async {
            house.store.commits_begun(2).await;
            house.ask(new_ask(Some("k"))).await
        },
        async {
            house.store.commits_begun(2).await;
            house.store.break_with(StoreError::Full);
            drop(held);
        },
    );
    assert_eq!((first, answered), (full(), full()));
    assert_eq!((withdrawn, keyed), (full(), full()));
    house.store.mend();
    assert_eq!(house.get(id).await, before);
    assert_eq!(house.names().await, ["ask.opened"]);
    assert_eq!(house.broker.waiting().0, 1);

    let answered = house.answer(id).await;
    assert_eq!(answered.seq, 2, "it goes on where it was");
    let News::Event(told) = next(&mut feed).await else { panic!("nothing was told") };
    assert_eq!((told.seq, told.ask.as_deref()), (2, Some(&answered)), "and nothing else was told");
    assert!(house.ask(new_ask(Some("k"))).await.unwrap().new);
}

/// A commit that fails, after the questions to the store were answered.
#[tokio::test]
async fn a_commit_that_fails_is_told_to_all_who_were_in_it() {
    let house = House::new().await;
    let id = house.ask_any().await;
    let held = house.store.hold_commits().await;
    let (agent, ann) = (house.agent(), house.person("ann"));
    let waiting = tokio::spawn(async move { agent.wait(id, None, PATIENCE).await });
    let (answered, ()) = tokio::join!(ann.reply(id, jwt(), None), async {
        house.store.commits_begun(2).await;
        house.store.break_with(StoreError::ReadOnly);
        drop(held);
    });
    assert_eq!(answered, Err(HubError::Store(StoreError::ReadOnly)));
    assert!(!waiting.is_finished(), "nobody was woken by what did not happen");
    house.store.mend();
    house.answer(id).await;
    assert_eq!(waiting.await.unwrap().unwrap().as_deref().and_then(end), Some("answered"));
}

#[tokio::test]
async fn what_cannot_be_looked_up_is_an_error_and_not_absent() {
    let house = House::new().await;
    let id = house.ask_any().await;
    house.agent().withdraw(id, None).await.unwrap();
    let (agent, ann) = (house.agent(), house.person("ann"));
    house.store.break_with(StoreError::Full);
    assert_eq!(agent.get(id).await, full());
    assert_eq!(agent.list(Query::default()).await, full());
    assert_eq!(agent.wait(id, None, PATIENCE).await, full());
    assert_eq!(ann.draft(id).await, full());
    assert_eq!(ann.drop_draft(id).await, full());
    assert_eq!(ann.reply(id, jwt(), None).await, full());
    assert_eq!(house.ask(new_ask(Some("k"))).await, full());
    assert_eq!(house.broker.prune(FakeWorld::START).await, full());
    house.store.mend();
    assert_eq!(end(&house.get(id).await), Some("withdrawn"));
}

#[tokio::test]
async fn a_hub_does_not_start_on_a_store_that_fails() {
    let house = House::new().await;
    house.store.break_with(StoreError::Damaged("torn".into()));
    let start = Broker::start(house.store.clone(), FakeWorld::still(), Settings::default()).await;
    assert_eq!(start.err(), Some(StoreError::Damaged("torn".into())));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_cannot_be_stored_is_kept_as_soon_as_it_can() {
    let house = House::timed().await;
    let policy = Policy { deadline_seconds: Some(10), ..Policy::default() };
    let id = house.ask(NewAsk { policy, ..new_ask(None) }).await.unwrap().record.id;
    let begun = house.store.commits();
    house.store.break_with(StoreError::Full);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert!(house.get(id).await.is_open());
    let tries = house.store.commits() - begun;
    assert!((10..=60).contains(&tries), "it tried {tries} times in fifty seconds");
    house.store.mend();
    let ended = house.agent().wait(id, None, Duration::from_secs(2)).await.unwrap();
    assert_eq!(ended.as_deref().and_then(end), Some("no_answer"));
    assert_eq!(house.names().await, ["ask.opened", "ask.resolved"]);
}

#[tokio::test(start_paused = true)]
async fn a_missed_receipt_that_cannot_be_stored_is_told_as_soon_as_it_can() {
    let house = House::timed().await;
    let id = house.ask_any().await;
    house.answer(id).await;
    house.store.break_with(StoreError::Full);
    tokio::time::sleep(Duration::from_mins(5)).await;
    house.store.mend();
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(house.get(id).await.state(), State::Undelivered);
}

#[tokio::test]
async fn many_jobs_share_one_commit() {
    let house = House::new().await;
    let held = house.store.hold_commits().await;
    let first = house.agent();
    let first = tokio::spawn(async move { first.ask(new_ask(None)).await });
    house.store.commits_begun(1).await;
    let asking: Vec<_> = (0..500)
        .map(|_| {
            let agent = house.agent();
            tokio::spawn(async move { agent.ask(new_ask(None)).await })
        })
        .collect();
    // All of them have handed in their job by the time this comes to its turn.
    tokio::task::yield_now().await;
    drop(held);
    first.await.unwrap().unwrap();
    for asked in join_all(asking).await {
        assert!(asked.unwrap().unwrap().new);
    }
    assert_eq!(house.store.commits(), 2, "one for the first, one for all who came meanwhile");
    assert_eq!(house.broker.head().seq, 501);
}

#[tokio::test]
async fn what_changes_nothing_is_no_commit() {
    let house = House::new().await;
    let id = house.ask(new_ask(Some("k"))).await.unwrap().record.id;
    house.person("ann").reply(id, jwt(), Some("k".into())).await.unwrap();
    let commits = house.store.commits();
    house.ask(new_ask(Some("k"))).await.unwrap();
    house.person("ann").reply(id, jwt(), Some("k".into())).await.unwrap();
    assert!(house.person("bob").reply(id, jwt(), None).await.is_err());
    assert_eq!(house.store.commits(), commits);
}

#[tokio::test]
async fn a_hub_that_shuts_down_stores_what_it_has_taken() {
    let house = House::new().await;
    let held = house.store.hold_commits().await;
    let asking: Vec<_> = (0..10)
        .map(|_| {
            let agent = house.agent();
            tokio::spawn(async move { agent.ask(new_ask(None)).await })
        })
        .collect();
    house.store.commits_begun(1).await;
    let (house, ()) = tokio::join!(house.restart_after(Duration::ZERO), async { drop(held) });
    for asked in asking {
        assert!(asked.await.unwrap().is_ok());
    }
    assert_eq!(house.names().await, ["ask.opened"; 10]);
}
