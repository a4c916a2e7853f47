//! A client that was away takes up where it left.

use handraise_broker::{Hub, News, Reply, Seq};
use handraise_client::RemoteHub;

use crate::asking::database;
use crate::hub_at_work::{HubAtWork, new_ask};

/// Everything there is to hear until the hub says that this was all.
async fn heard(hub: &RemoteHub, after: Option<Seq>) -> Vec<Seq> {
    let mut feed = hub.follow(after).await.unwrap();
    let mut seqs = vec![];
    loop {
        match feed.next().await.unwrap() {
            News::Event(told) => {
                let record = told.ask.as_ref();
                assert!(record.is_none_or(|record| record.seq == told.seq), "as it stood then");
                seqs.push(told.seq);
            }
            News::Live(_) => return seqs,
            News::Typing { .. } | News::Speaking { .. } => {}
            News::Reset(_) => panic!("nothing was dropped"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_missed_events_come_once_each_and_in_order() {
    let hub = HubAtWork::start();
    let (agent, person) = (hub.agent(), hub.person());
    let before = heard(&person, Some(0)).await;
    let cursor = *before.last().unwrap();
    // It is away; two events happen at each of five hundred asks.
    for _ in 0..500 {
        let id = agent.ask(new_ask(&database())).await.unwrap().record.id;
        person.reply(id, Reply::Decline(None), None).await.unwrap();
    }
    let missed = heard(&person, Some(cursor)).await;
    assert_eq!(missed, (cursor + 1..=cursor + 1000).collect::<Vec<_>>());
    assert_eq!(heard(&person, Some(cursor + 1000)).await, Vec::<Seq>::new());
    assert_eq!(heard(&person, Some(cursor + 990)).await.len(), 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn news_goes_on_without_a_gap_while_it_is_caught_up_with() {
    let hub = HubAtWork::start();
    let agent = hub.agent();
    for _ in 0..300 {
        agent.ask(new_ask(&database())).await.unwrap();
    }
    let mut feed = hub.person().follow(Some(2)).await.unwrap();
    let asking = tokio::spawn(async move {
        for _ in 0..300 {
            agent.ask(new_ask(&database())).await.unwrap();
        }
    });
    for expected in 3..603 {
        let told = loop {
            match feed.next().await.unwrap() {
                News::Event(told) => break told,
                News::Live(_) | News::Typing { .. } | News::Speaking { .. } => {}
                News::Reset(_) => panic!("this client is not slow"),
            }
        };
        assert_eq!(told.seq, expected);
    }
    asking.await.unwrap();
}
